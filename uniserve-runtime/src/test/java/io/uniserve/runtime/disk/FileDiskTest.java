package io.uniserve.runtime.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Disk.Entry;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDiskTest {
    @TempDir
    Path root;

    private final Loop loop = new Loop();
    private FileDisk disk;

    @BeforeEach
    void open() {
        disk = new FileDisk(root, 4, loop);
    }

    @AfterEach
    void close() {
        disk.close();
        loop.close();
    }

    private static void does(Consumer<Completion<Done>> operation) {
        assertThat(Waiter.<Done>value(operation)).isEqualTo(Done.DONE);
    }

    private String text(String path) {
        return Waiter.<Bytes>value(done -> disk.read(path, done)).utf8();
    }

    private List<Entry> list(String directory) {
        return Waiter.<List<Entry>>value(done -> disk.list(directory, done));
    }

    private ErrorCode readError(String path) {
        return Waiter.<Bytes>error(done -> disk.read(path, done)).code();
    }

    @Test
    void appendsMakeTheFileAndItsDirectoriesAndGoToItsEnd() {
        does(done -> disk.append("a/b/log.1", Bytes.utf8("one "), done));
        does(done -> disk.append("a/b/log.1", Bytes.utf8("two"), done));
        does(done -> disk.sync("a/b/log.1", done));
        assertThat(text("a/b/log.1")).isEqualTo("one two");
        try (FileDisk again = new FileDisk(root, 1, loop)) {
            does(done -> again.append("a/b/log.1", Bytes.utf8("!"), done));
            assertThat(text("a/b/log.1")).isEqualTo("one two!");
        }
    }

    @Test
    void anyNumberOfScratchFilesKeepsFewOpen() {
        int files = 4 * FileDisk.SCRATCH_OPEN_FILES_MAX;
        try (FileDisk scratch = FileDisk.scratch("scratch", root, 2, loop)) {
            for (String part : List.of("one ", "two")) {
                for (int file = 0; file < files; file++) {
                    String path = "chunks/" + file;
                    does(done -> scratch.append(path, Bytes.utf8(part), done));
                }
            }
            assertThat(scratch.openFiles()).isLessThanOrEqualTo(FileDisk.SCRATCH_OPEN_FILES_MAX);
            for (int file = 0; file < files; file++) {
                assertThat(text("chunks/" + file)).isEqualTo("one two");
            }
            does(done -> scratch.delete("chunks", done));
            assertThat(scratch.openFiles()).isZero();
        }
    }

    @Test
    void whatIsAppendedAndSyncedAtOnceFailsByTheHalfThatFailed() {
        List<Outcome<Done>> others = Collections.synchronizedList(new ArrayList<>());
        does(done -> disk.appendSynced("a/log.1", Bytes.utf8("one "), others::add, done));
        does(done -> disk.appendSynced("a/log.1", Bytes.utf8("two"), others::add, done));
        assertThat(text("a/log.1")).isEqualTo("one two");
        assertThat(Waiter.<Done>error(done -> disk.appendSynced("a/log.1/b", Bytes.utf8("x"), done, others::add))
                        .code())
                .isEqualTo(ErrorCode.IO);
        assertThat(others).isEmpty();
    }

    @Test
    void aRangeIsReadAloneAndNeverPastTheEnd() {
        does(done -> disk.append("f", Bytes.utf8("0123456789"), done));
        assertThat(Waiter.<Bytes>value(done -> disk.readRange("f", 3, 4, done)).utf8())
                .isEqualTo("3456");
        assertThat(Waiter.<Bytes>error(done -> disk.readRange("f", 8, 4, done)).code())
                .isEqualTo(ErrorCode.IO);
        assertThat(Waiter.<Bytes>error(done -> disk.readRange("f", -1, 4, done)).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void truncateCutsAndAppendsGoOnFromThere() {
        does(done -> disk.append("f", Bytes.utf8("0123456789"), done));
        does(done -> disk.truncate("f", 4, done));
        does(done -> disk.append("f", Bytes.utf8("x"), done));
        assertThat(text("f")).isEqualTo("0123x");
    }

    @Test
    void replaceTakesTheWholeFileAndLeavesNothingBeside() {
        does(done -> disk.append("d/state", Bytes.utf8("a long old state"), done));
        does(done -> disk.replace("d/state", Bytes.utf8("new"), done));
        assertThat(text("d/state")).isEqualTo("new");
        assertThat(root.resolve("d").toFile().list()).containsExactly("state");
    }

    @Test
    void unfinishedFilesAreNotListed() throws IOException {
        does(done -> disk.replace("d/state", Bytes.utf8("new"), done));
        Files.writeString(root.resolve("d/state~"), "cut off");
        assertThat(list("d")).containsExactly(new Entry("state", 3));
    }

    @Test
    void directoriesAreListedSortedAndAbsentOnesAreEmpty() {
        for (String path : List.of("d/b", "d/a", "d/sub/x")) {
            does(done -> disk.append(path, Bytes.utf8("1"), done));
        }
        assertThat(list("d")).containsExactly(new Entry("a", 1), new Entry("b", 1), new Entry("sub/", 0));
        assertThat(list("")).containsExactly(new Entry("d/", 0));
        assertThat(list("none")).isEmpty();
        assertThat(list("d/a")).isEmpty();
    }

    @Test
    void movesFilesAndDirectoriesWithTheirOpenFiles() {
        does(done -> disk.append("log/1.seg", Bytes.utf8("one"), done));
        does(done -> disk.move("log", "rollback/7/log", done));
        assertThat(list("log")).isEmpty();
        does(done -> disk.append("rollback/7/log/1.seg", Bytes.utf8("+"), done));
        does(done -> disk.append("log/1.seg", Bytes.utf8("new"), done));
        assertThat(text("rollback/7/log/1.seg")).isEqualTo("one+");
        assertThat(text("log/1.seg")).isEqualTo("new");
    }

    @Test
    void deletesTreesAndWhatIsAbsent() {
        does(done -> disk.append("t/x/y", Bytes.utf8("1"), done));
        does(done -> disk.delete("t", done));
        does(done -> disk.delete("t", done));
        assertThat(list("")).isEmpty();
        does(done -> disk.append("t/x/y", Bytes.utf8("2"), done));
        assertThat(text("t/x/y")).isEqualTo("2");
    }

    @Test
    void whatIsAbsentCannotBeReadSyncedOrCut() {
        assertThat(readError("none")).isEqualTo(ErrorCode.IO);
        assertThat(Waiter.<Done>error(done -> disk.sync("none", done)).code()).isEqualTo(ErrorCode.IO);
        assertThat(Waiter.<Done>error(done -> disk.truncate("none", 0, done)).code())
                .isEqualTo(ErrorCode.IO);
        assertThat(Waiter.<Done>error(done -> disk.move("none", "other", done)).code())
                .isEqualTo(ErrorCode.IO);
    }

    @Test
    void pathsThatCouldLeaveTheRootAreRefused() {
        for (String path : List.of(
                "", "/etc/passwd", "..", "a/../b", "a//b", "a/", "./a", "A", "a b", "a\u0000", "a~", "x".repeat(600))) {
            assertThat(readError(path)).as(path).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(Waiter.<Done>error(done -> disk.move("a", "../b", done)).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void moreFilesThanStayOpenKeepTheirBytes() {
        List<Waiter<Done>> appends = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            Waiter<Done> waiter = new Waiter<>();
            disk.append("many/f" + i, Bytes.utf8("a" + i), waiter);
            appends.add(waiter);
        }
        appends.forEach(Waiter::await);
        for (int i = 0; i < 700; i += 50) {
            int file = i;
            does(done -> disk.sync("many/f" + file, done));
            does(done -> disk.append("many/f" + file, Bytes.utf8("b"), done));
            assertThat(text("many/f" + i)).isEqualTo("a" + i + "b");
        }
    }

    @Test
    void aClosedDiskRefuses() {
        Disk closed = disk;
        disk.close();
        assertThat(Waiter.<Bytes>error(done -> closed.read("f", done)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }
}
