package io.uniserve.simulator.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Excuses for an actor that was taken over and is not back: only a loss that no server could repair. */
final class RecoverabilityCheckTest {
    private static final ServerId S1 = new ServerId("s1");
    private static final ServerId S2 = new ServerId("s2");
    private static final ReplicaKey KEY = new ReplicaKey(1, 12);
    private static final String ROOT = "backup/sim/1/12/";
    private static final String CHUNK =
            ROOT + "checkpoint/" + "0".repeat(20) + "-" + "a".repeat(16) + "/" + "b".repeat(64);

    private static ActorState actor(ServerId primary, PreviousIsr previousIsr) {
        return new ActorState(
                12,
                4,
                primary,
                List.of(primary),
                List.of(),
                List.of(),
                List.of(primary),
                Map.of(),
                4,
                false,
                previousIsr);
    }

    private static String run(long first, long last, long epoch) {
        return ROOT + "log/%020d-%020d-%020d".formatted(first, last, epoch);
    }

    private static boolean gone(long checkpointIndex, String rotten, String... others) {
        BackupRecord record =
                new BackupRecord(KEY, false, 1, 104, checkpointIndex > 0 ? "manifest" : "", checkpointIndex);
        List<String> keys =
                Stream.concat(Stream.of(rotten), List.of(others).stream()).toList();
        return RecoverabilityCheck.isBackupLost(KEY, record, keys, rotten::equals);
    }

    @Test
    void aWholeCopyThatMayComeBackIsNoExcuse() {
        assertThat(RecoverabilityCheck.areCopiesLost(actor(S2, new PreviousIsr(List.of(S1), 1, 0)), S1))
                .as("the new server has nothing yet")
                .isTrue();
        assertThat(RecoverabilityCheck.areCopiesLost(actor(S1, new PreviousIsr(List.of(S2), 1, 0)), S1))
                .as("the copy from before is on another server")
                .isFalse();
        assertThat(RecoverabilityCheck.areCopiesLost(actor(S1, PreviousIsr.NONE), S1))
                .isTrue();
        assertThat(RecoverabilityCheck.areCopiesLost(actor(S2, PreviousIsr.NONE), S1))
                .as("the takeover has started elsewhere")
                .isFalse();
    }

    @Test
    void aRunOfTheLogThatIsReadStandsInTheWay() {
        assertThat(gone(0, run(81, 83, 1), run(1, 80, 1), run(84, 90, 1))).isTrue();
        assertThat(gone(80, run(81, 83, 1))).isTrue();
        assertThat(gone(82, run(81, 83, 1))).isTrue();
        assertThat(gone(0, run(81, 83, 1), run(81, 82, 1))).isTrue();
        assertThat(gone(0, run(81, 83, 2), run(81, 90, 1)))
                .as("an older primary's word does not count")
                .isTrue();
    }

    @Test
    void whatNoRestorationReadsDoesNot() {
        assertThat(gone(83, run(81, 83, 1))).as("the checkpoint has it").isFalse();
        assertThat(gone(0, run(81, 83, 1), run(81, 90, 1))).as("shipped again").isFalse();
        assertThat(gone(0, run(81, 83, 1), run(80, 83, 2)))
                .as("shipped again by a later primary")
                .isFalse();
        assertThat(gone(0, ROOT + "pin/x")).isFalse();
        assertThat(gone(0, run(81, 83, 1).replace("/12/", "/11/")))
                .as("of another actor")
                .isFalse();
        assertThat(gone(0, CHUNK)).as("no checkpoint is named").isFalse();
        assertThat(gone(80, CHUNK)).isTrue();
    }
}
