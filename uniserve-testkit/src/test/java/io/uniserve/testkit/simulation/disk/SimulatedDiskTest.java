package io.uniserve.testkit.simulation.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Disk;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The disk keeps what was synced and only that. */
final class SimulatedDiskTest {
    private final SimulatedDisk platter = new SimulatedDisk();

    @Test
    void aCrashKeepsSyncedBytesAndAPartOfTheRest() {
        platter.append("d/log", Bytes.utf8("synced"));
        platter.sync("d/log");
        platter.append("d/log", Bytes.utf8("-lost"));
        platter.crash(new Prng(3), false);
        assertThat(platter.read("d/log").utf8()).startsWith("synced").hasSizeLessThan("synced-lost".length() + 1);
        assertThat("synced-lost").startsWith(platter.read("d/log").utf8());
    }

    @Test
    void aFailedSyncDropsPagesThatALaterOneDoesNotBringBack() {
        platter.append("log", Bytes.utf8("a"));
        platter.sync("log");
        platter.append("log", Bytes.utf8("b".repeat(100)));
        platter.syncFailed("log");
        platter.sync("log");
        platter.crash(new Prng(1), false);
        assertThat(platter.read("log").size()).isLessThan(101);
    }

    @Test
    void aFileThatWasNeverSyncedMayVanish() {
        int vanished = 0;
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk fresh = new SimulatedDisk();
            fresh.append("f", Bytes.utf8("x"));
            fresh.crash(new Prng(seed), false);
            vanished += fresh.list("").isEmpty() ? 1 : 0;
        }
        assertThat(vanished).isBetween(5, 45);
    }

    @Test
    void listsFilesAndDirectoriesInOrder() {
        platter.replace("a/2.seg", Bytes.utf8("22"));
        platter.replace("a/1.seg", Bytes.utf8("1"));
        platter.replace("a/b/c", Bytes.utf8("c"));
        assertThat(platter.list("a"))
                .containsExactly(new Disk.Entry("1.seg", 1), new Disk.Entry("2.seg", 2), new Disk.Entry("b/", 0));
        platter.move("a", "z/y");
        assertThat(platter.list("a")).isEmpty();
        assertThat(platter.list("z")).isEqualTo(List.of(new Disk.Entry("y/", 0)));
        platter.delete("z");
        assertThatThrownBy(() -> platter.read("z/y/1.seg")).isInstanceOf(UniserveException.class);
    }
}
