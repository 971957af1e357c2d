package io.uniserve.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalObjectStoreTest {
    @TempDir
    Path root;

    private final Loop loop = new Loop();
    private AsyncObjectStore store;

    @BeforeEach
    void open() {
        store = new AsyncObjectStore(DurableStoreFactory.open("file:" + root), 4, loop);
    }

    @AfterEach
    void close() {
        store.close();
        loop.close();
    }

    private void put(String key, String text) {
        assertThat(Waiter.<Done>value(done -> store.put(key, Bytes.utf8(text), done)))
                .isEqualTo(Done.DONE);
    }

    private ErrorCode getError(String key) {
        return Waiter.<Bytes>error(done -> store.get(key, done)).code();
    }

    private String get(String key) {
        return Waiter.<Bytes>value(done -> store.get(key, done)).utf8();
    }

    private List<String> list(String prefix) {
        return Waiter.<List<String>>value(done -> store.list(prefix, done));
    }

    @Test
    void objectsComeBackAndNeverChange() {
        put("t1/a0/1.seg", "one");
        put("t1/a0/1.seg", "one");
        put("empty", "");
        assertThat(Waiter.<Done>error(done -> store.put("t1/a0/1.seg", Bytes.utf8("two"), done))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(get("t1/a0/1.seg")).isEqualTo("one");
        assertThat(get("empty")).isEmpty();
        assertThat(getError("none")).isEqualTo(ErrorCode.IO);
    }

    @Test
    void listsByPrefixSortedWithKeysInsideKeys() {
        for (String key : List.of("a/b", "a", "a/b/c", "a.x", "ab", "b/a")) {
            put(key, key);
        }
        assertThat(list("")).containsExactly("a", "a.x", "a/b", "a/b/c", "ab", "b/a");
        assertThat(list("a/")).containsExactly("a/b", "a/b/c");
        assertThat(list("a/b")).containsExactly("a/b", "a/b/c");
        assertThat(list("a")).containsExactly("a", "a.x", "a/b", "a/b/c", "ab");
        assertThat(list("none/x")).isEmpty();
    }

    @Test
    void sizesAreThoseOfTheFiles() throws IOException {
        put("a/b", "xyz");
        put("a/b-c", "");
        put("ab", "1");
        try (DurableStore sync = DurableStoreFactory.open("file:" + root)) {
            assertThat(sync.sizes("a/"))
                    .containsExactly(Map.entry("a/b", 3L + ObjectFileFormat.HEADER_BYTES), Map.entry("a/b-c", (long)
                            ObjectFileFormat.HEADER_BYTES));
            assertThat(sync.sizes("")).hasSize(3);
            assertThat(sync.sizes("none/")).isEmpty();
        }
    }

    @Test
    void deletesOnceAndAgain() {
        put("a/b", "1");
        for (int i = 0; i < 2; i++) {
            Waiter.<Done>value(done -> store.delete("a/b", done));
        }
        assertThat(getError("a/b")).isEqualTo(ErrorCode.IO);
        put("a/b", "other bytes under a key that is free again");
    }

    /** A lost mount leaves no directory or an empty one. */
    @Test
    void aStoreThatIsLostIsNoEmptyStore() throws IOException {
        put("t1/a0/1.seg", "one");
        Path mount = root.resolveSibling(root.getFileName() + "-away");
        Files.move(root, mount);
        for (boolean directory : List.of(false, true)) {
            if (directory) {
                Files.createDirectory(root);
            }
            for (String prefix : List.of("", "t1/", "none/x")) {
                assertThat(Waiter.<List<String>>error(done -> store.list(prefix, done))
                                .getMessage())
                        .contains("durable store " + root + " is gone", "mount it again");
            }
            assertThat(Waiter.<Bytes>error(done -> store.get("t1/a0/1.seg", done))
                            .getMessage())
                    .contains("is gone");
            assertThat(Waiter.<Done>error(done -> store.put("t1/a0/2.seg", Bytes.utf8("two"), done))
                            .getMessage())
                    .contains("is gone");
            assertThat(Waiter.<Done>error(done -> store.delete("t1/a0/1.seg", done))
                            .getMessage())
                    .contains("is gone");
        }
        assertThat(root).isEmptyDirectory();
        Files.delete(root);
        Files.move(mount, root);
        assertThat(list("")).containsExactly("t1/a0/1.seg");
        put("t1/a0/2.seg", "two");
        assertThat(get("t1/a0/2.seg")).isEqualTo("two");
    }

    @Test
    void everyFlippedBitIsSeen() throws IOException {
        put("k", "some bytes of an object");
        Path file = root.resolve("k~");
        byte[] good = Files.readAllBytes(file);
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= (byte) (1 << at % 8);
            Files.write(file, bad);
            assertThat(getError("k")).as("byte " + at).isEqualTo(ErrorCode.CORRUPT);
        }
        Files.write(file, java.util.Arrays.copyOf(good, good.length - 1));
        assertThat(getError("k")).isEqualTo(ErrorCode.CORRUPT);
        Files.write(file, new byte[0]);
        assertThat(getError("k")).isEqualTo(ErrorCode.CORRUPT);
        put("k", "some bytes of an object");
        assertThat(get("k")).isEqualTo("some bytes of an object");
    }

    @Test
    void keysThatCouldLeaveTheRootAreRefused() {
        for (String key :
                List.of("", "/a", "..", "a/../b", "a//b", "a/", "A", "a b", "a\u0000b", "a~", "unfinished~/x")) {
            assertThat(getError(key)).as(key).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(Waiter.<Done>error(done -> store.put(key, Bytes.EMPTY, done))
                            .code())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(Waiter.<List<String>>error(done -> store.list("../", done)).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void twoWritersOfOneKeyAgree() {
        try (AsyncObjectStore other = new AsyncObjectStore(DurableStoreFactory.open(root.toString()), 4, loop)) {
            for (int i = 0; i < 50; i++) {
                String key = "race/" + i;
                Waiter<Done> mine = new Waiter<>();
                Waiter<Done> theirs = new Waiter<>();
                store.put(key, Bytes.utf8("mine"), mine);
                other.put(key, Bytes.utf8("theirs"), theirs);
                boolean mineWon = mine.await().equals(io.uniserve.protocol.env.Outcome.ok(Done.DONE));
                boolean theirsWon = theirs.await().equals(io.uniserve.protocol.env.Outcome.ok(Done.DONE));
                assertThat(mineWon).isNotEqualTo(theirsWon);
                assertThat(get(key)).isEqualTo(mineWon ? "mine" : "theirs");
            }
        }
        assertThat(root.resolve("unfinished~")).isEmptyDirectory();
    }

    @Test
    void unusableLocationsAreRefused() throws IOException {
        Path file = Files.writeString(root.resolve("file"), "x");
        for (String location :
                List.of("", "s3://bucket/x", "S3://bucket/x", "x://y", "file:" + file, file + "/below")) {
            assertThatThrownBy(() -> DurableStoreFactory.open(location))
                    .isInstanceOf(UniserveException.class)
                    .extracting(e -> ((UniserveException) e).code())
                    .isEqualTo(ErrorCode.INVALID_CONFIGURATION);
        }
    }
}
