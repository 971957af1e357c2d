package io.uniserve.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ReplicaKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupKeysTest {
    private static final ReplicaKey KEY = new ReplicaKey(3, 1);

    private static String run(long first, long last, long epoch) {
        return BackupKeys.log("c", KEY, first, last, epoch);
    }

    private static List<String> chain(String... keys) {
        return BackupKeys.chain(List.of(keys), BackupKeys.logPrefix("c", KEY)).stream()
                .map(BackupKeys.Run::key)
                .toList();
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
}
