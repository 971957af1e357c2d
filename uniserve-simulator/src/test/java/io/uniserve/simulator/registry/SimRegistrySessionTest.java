package io.uniserve.simulator.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The twin of ZooKeeper gives the guarantees of ZooKeeper, and no more. */
final class SimRegistrySessionTest {
    private static final long SECOND = 1_000_000_000L;
    private static final RegistryValue VALUE = new TermRecord("x");

    private final EventQueue queue = new EventQueue();
    private final FaultIntensity faultIntensity = new FaultIntensity(new Prng(1), new EventTrace(queue, line -> {}));
    private final SimEnsemble ensemble = new SimEnsemble((session, ops, failing) -> false);
    private final SimProcess process = process("p");
    private final SimRegistrySession session = session(process);
    private final List<Object> heard = new ArrayList<>();

    @Test
    void aMultiAppliesAllOrNothingAndTellsVersions() {
        session.multi(List.of(new Op.Create("/a", VALUE, false), new Op.Create("/b", VALUE, false)), heard::add);
        session.multi(List.of(new Op.Set("/a", VALUE, 0), new Op.Check("/b", 5)), heard::add);
        session.multi(List.of(new Op.Set("/a", VALUE, 0), new Op.Delete("/b", 0), new Op.Check("/b", -1)), heard::add);
        session.read("/a", heard::add);
        run(1);
        assertThat(heard)
                .containsExactly(
                        Outcome.ok(new MultiResult(true, List.of(0, 0), -1)),
                        Outcome.ok(new MultiResult(false, List.of(), 1)),
                        Outcome.ok(new MultiResult(true, List.of(1, -1, -1), -1)),
                        Outcome.ok(new Versioned(VALUE, 1)));
    }

    @Test
    void aSessionThatIsAwayTooLongLosesItsEphemeralNodes() {
        session.onSession(heard::add);
        session.multi(List.of(new Op.Create("/e", VALUE, true)), outcome -> {});
        run(1);
        session.link().disconnect();
        run(10);
        assertThat(ensemble.children("", ensemble.zxid())).isEmpty();
        session.link().heal();
        run(2);
        assertThat(heard)
                .containsExactly(
                        SessionEvent.CONNECTED, SessionEvent.SUSPENDED, SessionEvent.EXPIRED, SessionEvent.CONNECTED);
    }

    @Test
    void aShortBreakKeepsTheSessionAndWakesItsWatches() {
        session.multi(List.of(new Op.Create("/e", VALUE, true)), outcome -> {});
        session.watch("/w", () -> heard.add("woken"));
        run(1);
        session.link().reset();
        run(2);
        assertThat(heard).containsExactly("woken");
        assertThat(ensemble.children("", ensemble.zxid())).containsExactly("e");
    }

    @Test
    void aWriteWhoseAnswerIsLostIsUnknownAndMayBeDone() {
        faultIntensity.set(Fault.REGISTRY_OUTCOME_UNKNOWN, 1_000_000);
        session.multi(List.of(new Op.Create("/u", VALUE, false)), heard::add);
        run(1);
        assertThat(heard)
                .singleElement()
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN));
        assertThat(ensemble.read("/u", ensemble.zxid()).value()).isEqualTo(VALUE);
    }

    @Test
    void aWatchTellsOfChangesByOthersAndOfChildren() {
        session.watch("/servers", () -> heard.add("children"));
        SimRegistrySession other = session(process("q"));
        other.multi(List.of(new Op.Create("/servers/q", VALUE, true)), outcome -> {});
        run(1);
        assertThat(heard).containsExactly("children");
    }

    @Test
    void aReadMayBeOldUntilSynced() {
        int old = 0;
        SimRegistrySession other = session(process("q"));
        for (int i = 0; i < 50; i++) {
            other.multi(List.of(new Op.Create("/n" + i, VALUE, false)), outcome -> {});
            queue.step(queue.now() + SECOND);
            List<Outcome<Versioned>> seen = new ArrayList<>();
            session.read("/n" + i, seen::add);
            run(1);
            old += seen.equals(List.of(Outcome.ok(new Versioned(null, Registry.ABSENT)))) ? 1 : 0;
        }
        assertThat(old).isPositive();
        session.sync(outcome -> session.read("/n49", heard::add));
        run(1);
        assertThat(heard).containsExactly(Outcome.ok(new Versioned(VALUE, 0)));
    }

    private SimProcess process(String name) {
        SimProcess made = new SimProcess(name, queue, new Prng(2), (failed, error) -> {
            throw new IllegalStateException(error);
        });
        made.start(0);
        return made;
    }

    private SimRegistrySession session(SimProcess owner) {
        return new SimRegistrySession(queue, new Prng(3), faultIntensity, ensemble, owner);
    }

    private void run(int seconds) {
        long end = queue.now() + seconds * SECOND;
        while (queue.step(end)) {
            // run all events until then
        }
    }
}
