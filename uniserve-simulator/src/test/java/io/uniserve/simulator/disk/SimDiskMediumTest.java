package io.uniserve.simulator.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Disk;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The disk keeps synced data, and only these. */
final class SimDiskMediumTest {
    private final SimDiskMedium simulatedDisk = new SimDiskMedium();

    @Test
    void aCrashKeepsSyncedBytesAndAPartOfTheRest() {
        simulatedDisk.append("d/log", Bytes.utf8("synced"));
        simulatedDisk.sync("d/log");
        simulatedDisk.append("d/log", Bytes.utf8("-lost"));
        simulatedDisk.crash(new Prng(3), false);
        assertThat(simulatedDisk.read("d/log").utf8()).startsWith("synced").hasSizeLessThan("synced-lost".length() + 1);
        assertThat("synced-lost").startsWith(simulatedDisk.read("d/log").utf8());
    }

    @Test
    void aFailedSyncDropsPagesThatALaterOneDoesNotBringBack() {
        simulatedDisk.append("log", Bytes.utf8("a"));
        simulatedDisk.sync("log");
        simulatedDisk.append("log", Bytes.utf8("b".repeat(100)));
        simulatedDisk.syncFailed("log");
        simulatedDisk.sync("log");
        simulatedDisk.crash(new Prng(1), false);
        assertThat(simulatedDisk.read("log").size()).isLessThan(101);
    }

    @Test
    void aFileThatWasNeverSyncedMayVanish() {
        int vanished = 0;
        for (int seed = 0; seed < 50; seed++) {
            SimDiskMedium fresh = new SimDiskMedium();
            fresh.append("f", Bytes.utf8("x"));
            fresh.crash(new Prng(seed), false);
            vanished += fresh.list("").isEmpty() ? 1 : 0;
        }
        assertThat(vanished).isBetween(5, 45);
    }

    @Test
    void listsFilesAndDirectoriesInOrder() {
        simulatedDisk.replace("a/2.seg", Bytes.utf8("22"));
        simulatedDisk.replace("a/1.seg", Bytes.utf8("1"));
        simulatedDisk.replace("a/b/c", Bytes.utf8("c"));
        assertThat(simulatedDisk.list("a"))
                .containsExactly(new Disk.Entry("1.seg", 1), new Disk.Entry("2.seg", 2), new Disk.Entry("b/", 0));
        simulatedDisk.move("a", "z/y");
        assertThat(simulatedDisk.list("a")).isEmpty();
        assertThat(simulatedDisk.list("z")).isEqualTo(List.of(new Disk.Entry("y/", 0)));
        simulatedDisk.delete("z");
        assertThatThrownBy(() -> simulatedDisk.read("z/y/1.seg")).isInstanceOf(UniserveException.class);
    }
}
