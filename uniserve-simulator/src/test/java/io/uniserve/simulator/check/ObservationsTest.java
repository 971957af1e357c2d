package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that run during a simulation. */
final class ObservationsTest {
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);
    private static final TableName TABLE = new TableName("t");
    private static final String MAP = RegistryPaths.map(TABLE);

    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));

    @Test
    void logsThatMatchPass() {
        LogCheck logs = new LogCheck(violations);
        logs.replicated(replicate("s1", 1, 0, 0, entry(1, 1, 7), entry(1, 2, 8)));
        logs.replicated(replicate("s2", 2, 1, 1, entry(1, 2, 8), entry(2, 3, 9)));
        assertThat(found()).isEmpty();
    }

    @Test
    void twoEntriesOfOnePlaceAreNamed() {
        LogCheck logs = new LogCheck(violations);
        logs.replicated(replicate("s1", 1, 0, 0, entry(1, 1, 7)));
        logs.replicated(replicate("s1", 1, 0, 0, entry(1, 1, 8)));
        assertThat(found()).containsExactly("I6");
    }

    @Test
    void twoPrimariesOfOneEpochAreNamed() {
        LogCheck logs = new LogCheck(violations);
        logs.replicated(replicate("s1", 3, 0, 0));
        logs.acknowledged(KEY, 3, "s2");
        assertThat(found()).containsExactly("I7");
    }

    @Test
    void aServerThatForgetsItsEpochIsNamed() {
        FenceCheck fences = new FenceCheck(violations);
        fences.onGatePublished("s1", KEY, new ReadGate(0, 4, true, 0, 0));
        fences.onGatePublished("s1", KEY, new ReadGate(0, 3, true, 0, 0));
        assertThat(found()).containsExactly("I8");
    }

    @Test
    void aRemovedReplicaThatAnswersAfterAnAcknowledgementIsNamed() {
        FenceCheck fences = new FenceCheck(violations);
        fences.onReadAnswered("s1", KEY, 4, 100);
        fences.onUpdateAcked("s2", KEY, 5, 7, 50);
        fences.onReadAnswered("s1", KEY, 4, 50);
        assertThat(found()).isEmpty();
        fences.onReadAnswered("s1", KEY, 4, 51);
        assertThat(found()).containsExactly("FENCE");
    }

    /** The answer to an update of several actors waits for the last of them. The epoch of another actor may have changed meanwhile. */
    @Test
    void anAcknowledgementThatIsLateBindsWhoDoesNotHaveTheUpdate() {
        FenceCheck fences = new FenceCheck(violations);
        fences.onGatePublished("s2", KEY, new ReadGate(0, 5, true, 0, 8));
        fences.onGatePublished("s1", KEY, new ReadGate(0, 4, true, 0, 7));
        fences.onUpdateAcked("s2", KEY, 4, 7, 50);
        fences.onReadAnswered("s1", KEY, 4, 51);
        assertThat(found()).isEmpty();
        fences.onGatePublished("s3", KEY, new ReadGate(0, 4, true, 0, 6));
        fences.onReadAnswered("s3", KEY, 4, 51);
        assertThat(found()).containsExactly("FENCE");
    }

    @Test
    void aDeposedCoordinatorsWriteIsNamed() {
        SimEnsemble lax = new SimEnsemble((session, ops, failing) -> true);
        lax.addListener(new MapCheck(violations));
        lax.multi("c1#1.1", List.of(new Op.Create(RegistryPaths.TERM, new TermRecord("c1"), false)));
        lax.multi(
                "c1#1.1",
                List.of(new Op.Check(RegistryPaths.TERM, 0), new Op.Create(MAP, map(1, "s1", "s1", "s2"), false)));
        lax.multi("c2#1.1", List.of(new Op.Set(RegistryPaths.TERM, new TermRecord("c2"), 0)));
        assertThat(found()).isEmpty();
        lax.multi("c1#1.1", List.of(new Op.Check(RegistryPaths.TERM, 0), new Op.Set(MAP, map(1, "s1", "s1", "s2"), 0)));
        assertThat(found()).containsExactly("I13");
    }

    @Test
    void aMapThatChangesWithoutANewEpochIsNamed() {
        SimEnsemble ensemble = new SimEnsemble((session, ops, failing) -> false);
        ensemble.addListener(new MapCheck(violations));
        ensemble.multi("c1#1.1", List.of(new Op.Create(RegistryPaths.TERM, new TermRecord("c1"), false)));
        Op check = new Op.Check(RegistryPaths.TERM, 0);
        ensemble.multi("c1#1.1", List.of(check, new Op.Create(MAP, map(1, "s1", "s1", "s2"), false)));
        ensemble.multi("c1#1.1", List.of(check, new Op.Set(MAP, map(1, "s2", "s1", "s2"), 0)));
        assertThat(found()).containsExactly("I8");
    }

    private List<String> found() {
        return violations.kept().stream().map(Violation::invariant).distinct().toList();
    }

    private static Replicate replicate(
            String primary, long epoch, long prevIndex, long prevEpoch, LogEntry... entries) {
        return new Replicate(KEY, epoch, new ServerId(primary), prevIndex, prevEpoch, List.of(entries), 0, 0, 0, 0);
    }

    private static LogEntry entry(long epoch, long index, long request) {
        RequestId id = new RequestId(1, 1, request);
        return new LogEntry(LogEntry.Type.UPDATE, epoch, index, 0, id, 0, "f@1", Bytes.utf8("row"));
    }

    private static TableMap map(long epoch, String primary, String... isr) {
        ActorState actor = new ActorState(
                0,
                epoch,
                new ServerId(primary),
                Stream.of(isr).map(ServerId::new).toList(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                0);
        return new TableMap(TABLE, 1, List.of(actor));
    }
}
