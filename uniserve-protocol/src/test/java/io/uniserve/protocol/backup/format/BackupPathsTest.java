package io.uniserve.protocol.backup.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.uniserve.model.ReplicaKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupPathsTest {
    private static final ReplicaKey KEY = new ReplicaKey(3, 1);

    private static String run(long first, long last, long epoch) {
        return BackupPaths.log("c", KEY, first, last, epoch);
    }

    private static List<String> chain(String... keys) {
        return chainAfter(0, 0, keys).stream().map(BackupPaths.Run::key).toList();
    }

    private static List<BackupPaths.Run> chainAfter(long index, long epoch, String... keys) {
        return BackupPaths.chain(List.of(keys), BackupPaths.logPrefix("c", KEY), index, epoch);
    }

    @Test
    void endsAtAGap() {
        assertThat(chain(run(1, 4, 1), run(5, 9, 2), run(11, 12, 2))).containsExactly(run(1, 4, 1), run(5, 9, 2));
        assertThat(chain(run(2, 4, 1))).isEmpty();
    }

    @Test
    void takesOverlapsFromTheLaterPrimary() {
        assertThat(chain(run(1, 4, 1), run(5, 10, 1), run(5, 6, 3))).containsExactly(run(1, 4, 1), run(5, 6, 3));
    }

    @Test
    void whatADeposedPrimaryShippedLateEndsWhereALaterOneBegins() {
        assertThat(chainAfter(0, 0, run(1, 100, 1), run(95, 120, 1), run(101, 130, 2)))
                .extracting(BackupPaths.Run::first, BackupPaths.Run::last, BackupPaths.Run::epoch)
                .containsExactly(tuple(1L, 100L, 1L), tuple(101L, 130L, 2L));
        assertThat(chainAfter(0, 0, run(1, 94, 1), run(95, 120, 1), run(101, 130, 2)))
                .extracting(BackupPaths.Run::first, BackupPaths.Run::last, BackupPaths.Run::epoch)
                .containsExactly(tuple(1L, 94L, 1L), tuple(95L, 100L, 1L), tuple(101L, 130L, 2L));
    }

    @Test
    void goesOnFromACheckpointInItsEpochOrALaterOne() {
        assertThat(chainAfter(110, 2, run(101, 120, 1))).isEmpty();
        assertThat(chainAfter(110, 2, run(101, 120, 1), run(105, 115, 2), run(116, 118, 3)))
                .extracting(BackupPaths.Run::first, BackupPaths.Run::last)
                .containsExactly(tuple(105L, 115L), tuple(116L, 118L));
    }

    @Test
    void namesOfOthersAreLeftAlone() {
        String prefix = BackupPaths.checkpointPrefix("c", KEY);
        String hash = "0123456789abcdef".repeat(4);
        String generation = BackupPaths.generation(7, -1);
        assertThat(BackupPaths.stored(BackupPaths.chunk(prefix, generation, hash), prefix))
                .isEqualTo(new BackupPaths.Stored(prefix + generation + "/" + hash, generation, 7, false, hash));
        assertThat(BackupPaths.stored(BackupPaths.manifest(prefix, generation, hash), prefix))
                .matches(BackupPaths.Stored::manifest);
        for (String odd : List.of(
                "",
                "../" + hash,
                generation,
                generation + "/../" + hash,
                generation + "/" + hash + "0",
                "99999999999999999999-" + "0".repeat(16) + "/" + hash)) {
            assertThat(BackupPaths.stored(prefix + odd, prefix)).as(odd).isNull();
        }
        assertThat(BackupPaths.stored("elsewhere/" + generation + "/" + hash, prefix))
                .isNull();
        assertThat(chain(
                        "elsewhere",
                        BackupPaths.logPrefix("c", KEY) + "9".repeat(20) + "-" + "9".repeat(20) + "-" + "9".repeat(20)))
                .isEmpty();
    }
}
