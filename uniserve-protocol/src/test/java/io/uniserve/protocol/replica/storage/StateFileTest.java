package io.uniserve.protocol.replica.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateFileTest {
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private final StateFile file = new StateFile(disk, "t1-a0", PersistentState.empty(new TableName("t"), KEY));
    private final List<Outcome<Done>> outcomes = new ArrayList<>();

    /** A hung engine delays the removal of a replica. A late change of its state must not create the directory again. */
    @Test
    void nothingIsWrittenOnceItIsClosed() {
        file.change(state -> state.withInstalledEpoch(2), outcomes::add);
        List<String> after = new ArrayList<>();
        file.close(() -> after.addAll(disk.files("t1-a0")));
        file.change(state -> state.withInstalledEpoch(3), outcomes::add);
        loop.run(1_000_000_000L);
        assertThat(after).as("what was under way came first").containsExactly("t1-a0/state");
        assertThat(file.get().installedEpoch()).isEqualTo(2);
        assertThat(outcomes).hasSize(2);
        assertThat(outcomes.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Ok.class);
        disk.delete("t1-a0", outcomes::add);
        file.change(state -> state.withInstalledEpoch(4), outcomes::add);
        loop.run(1_000_000_000L);
        assertThat(disk.files("t1-a0")).isEmpty();
    }
}
