package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.check.AtomicHistory.Read;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Histories with one error each, which is reported by its invariant. Lists 0 and 4 are on two actors. */
final class AtomicCheckTest {
    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final AtomicHistory history = new AtomicHistory();

    private AtomicHistory.Write write(String marker, long nanos, Integer... lists) {
        return history.write("k1", marker, new TreeSet<>(List.of(lists)), nanos);
    }

    private void read(String client, long from, long to, long version, List<String> first, List<String> second) {
        history.read(new Read(client, from, to, version, new TreeMap<>(Map.of(0, first, 4, second))));
    }

    private List<String> check(List<String> first, List<String> second) {
        new AtomicCheck(violations, history, Map.of(0, first, 4, second)).run();
        return violations.kept().stream().map(Violation::invariant).distinct().toList();
    }

    @Test
    void aGoodHistoryPasses() {
        write("a", 1, 0, 4).committed(10, 1);
        write("b", 11, 4);
        read("k2", 12, 20, 1, List.of("a"), List.of("a"));
        read("k2", 21, 30, 2, List.of("a"), List.of("a", "b"));
        assertThat(check(List.of("a"), List.of("a", "b"))).isEmpty();
    }

    @Test
    void aTornReadIsFound() {
        write("a", 1, 0, 4);
        read("k2", 2, 3, 1, List.of("a"), List.of());
        assertThat(check(List.of("a"), List.of("a"))).containsExactly("I3");
    }

    @Test
    void aTornUpdateIsFound() {
        write("a", 1, 0, 4);
        write("b", 1, 0, 4).committed(5, 2);
        assertThat(check(List.of("a"), List.of())).contains("I3", "I12");
    }

    @Test
    void aReadThatMissesWhatWasCommittedOrReadBeforeIsFound() {
        write("a", 1, 0, 4);
        read("k2", 2, 3, 1, List.of("a"), List.of("a"));
        read("k3", 4, 5, 0, List.of(), List.of());
        assertThat(check(List.of("a"), List.of("a"))).containsExactly("I4");
    }

    @Test
    void aClientThatGoesBackIsFound() {
        write("a", 1, 0, 4).committed(2, 7);
        read("k1", 3, 4, 6, List.of("a"), List.of("a"));
        assertThat(check(List.of("a"), List.of("a"))).containsExactly("I5");
    }

    @Test
    void doublesAndRefusedMarkersAndOtherOrdersAreFound() {
        write("a", 1, 0);
        write("b", 1, 0).refused();
        read("k2", 2, 3, 1, List.of("b", "a"), List.of());
        assertThat(check(List.of("a", "b", "a"), List.of())).contains("I9", "I11");
    }

    /** There is no read between the two, so only the list shows their order. */
    @Test
    void updatesOfTwoClientsOnOneRowInTheWrongOrderAreFound() {
        write("a", 1, 0).committed(10, 1);
        history.write("k2", "b", new TreeSet<>(List.of(0)), 11).committed(20, 2);
        assertThat(check(List.of("b", "a"), List.of())).containsExactly("ORDER");
    }

    @Test
    void anUpdateWithoutAnOutcomeBeforeWhatWasAcknowledgedBeforeItBeganIsFound() {
        write("a", 1, 0).committed(10, 1);
        history.write("k2", "b", new TreeSet<>(List.of(0)), 11);
        assertThat(check(List.of("b", "a"), List.of())).containsExactly("ORDER");
    }

    @Test
    void aListAgainstItsVersionsIsFound() {
        write("a", 1, 0).committed(10, 2);
        history.write("k2", "b", new TreeSet<>(List.of(0)), 1).committed(10, 1);
        assertThat(check(List.of("a", "b"), List.of())).containsExactly("ORDER");
    }

    /** Both orders are right, whichever result arrived first. Merged updates share a version. */
    @Test
    void updatesAtTheSameTimeMayBeInAnyOrder() {
        write("a", 1, 0).committed(10, 2);
        history.write("k2", "b", new TreeSet<>(List.of(0)), 9).committed(12, 1);
        history.write("k3", "c", new TreeSet<>(List.of(0)), 9).committed(11, 2);
        write("d", 2, 0);
        assertThat(check(List.of("b", "c", "a", "d"), List.of())).isEmpty();
    }
}
