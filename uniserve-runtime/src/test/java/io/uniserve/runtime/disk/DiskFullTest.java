package io.uniserve.runtime.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.store.AsyncObjectStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFullTest {
    private static final Bytes MEGABYTE = Bytes.wrap(new byte[1 << 20]);

    @TempDir
    Path directory;

    @Test
    void writesOfTheDiskAreRefusedReadsGoOnAndRoomHeals() throws IOException {
        try (SmallDisk small = SmallDisk.mount(directory.resolve("small"), 4);
                Loop loop = new Loop();
                FileDisk disk = new FileDisk(small.path().resolve("data"), 2, loop)) {
            Waiter.<Done>value(done -> disk.append("log/1", Bytes.utf8("kept"), done));
            Waiter.<Done>value(done -> disk.replace("state", Bytes.utf8("old"), done));
            Path filler = small.fill();
            assertThat(Waiter.<Done>error(done -> disk.append("log/1", MEGABYTE, done))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            assertThat(Waiter.<Done>error(done -> disk.replace("state", MEGABYTE, done))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            assertThat(Waiter.<Bytes>value(done -> disk.read("state", done)).utf8())
                    .isEqualTo("old");
            assertThat(Waiter.<Bytes>value(done -> disk.readRange("log/1", 0, 4, done))
                            .utf8())
                    .isEqualTo("kept");
            Files.delete(filler);
            Waiter.<Done>value(done -> disk.truncate("log/1", 4, done));
            Waiter.<Done>value(done -> disk.append("log/1", Bytes.utf8("+"), done));
            Waiter.<Done>value(done -> disk.sync("log/1", done));
            assertThat(Waiter.<Bytes>value(done -> disk.read("log/1", done)).utf8())
                    .isEqualTo("kept+");
        }
    }

    @Test
    void smallFilesAreReplacedOnAFullDiskAgainAndAgain() throws IOException {
        try (SmallDisk small = SmallDisk.mount(directory.resolve("small"), 4);
                Loop loop = new Loop();
                FileDisk disk = new FileDisk(small.path().resolve("data"), 2, loop)) {
            Waiter.<Done>value(done -> disk.replace("r/state", Bytes.utf8("old"), done));
            Path filler = small.fill();
            for (int i = 0; i < 20; i++) {
                String text = "state " + i;
                Waiter.<Done>value(done -> disk.replace("r/state", Bytes.utf8(text), done));
                assertThat(Waiter.<Bytes>value(done -> disk.read("r/state", done))
                                .utf8())
                        .isEqualTo(text);
                assertThat(Waiter.<Done>error(done -> disk.append("log/1", MEGABYTE, done))
                                .code())
                        .isEqualTo(ErrorCode.DISK_FULL);
                Waiter.<Done>value(done -> disk.delete("log/1", done));
                small.fill();
            }
            Files.delete(filler);
        }
    }

    @Test
    void objectsAreWholeOrAbsent() throws IOException {
        try (SmallDisk small = SmallDisk.mount(directory.resolve("small"), 4);
                Loop loop = new Loop();
                AsyncObjectStore store = new AsyncObjectStore(
                        DurableStoreFactory.open("file:" + small.path().resolve("objects")), 2, loop)) {
            Waiter.<Done>value(done -> store.put("a/1", Bytes.utf8("kept"), done));
            Path filler = small.fill();
            assertThat(Waiter.<Done>error(done -> store.put("a/2", MEGABYTE, done))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            assertThat(Waiter.<List<String>>value(done -> store.list("a/", done)))
                    .containsExactly("a/1");
            assertThat(Waiter.<Bytes>value(done -> store.get("a/1", done)).utf8())
                    .isEqualTo("kept");
            Files.delete(filler);
            Waiter.<Done>value(done -> store.put("a/2", MEGABYTE, done));
        }
    }
}
