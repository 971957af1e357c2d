package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.check.ClientHistory.Append;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the checker itself: right histories pass, and each kind of wrong one is reported. */
final class HistoryCheckTest {
    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final ClientHistory history = new ClientHistory();
    private long lastIndex;

    @Test
    void acceptsPrefixesAndBranchesThatNobodyAcknowledged() {
        acked("a", true, 1, 10);
        acked("b", true, 20, 30);
        Append cut = history.append("k1", "cut", 0, false, 21);
        cut.acked(25, 2);
        read(40, 41, 0);
        read(40, 41, 1, "a");
        read(26, 41, 0, "a", "cut");
        assertThat(check("a", "b")).isEmpty();
    }

    @Test
    void countsWhatLevelPrimaryLost() {
        history.append("k1", "gone", 0, false, 1).acked(2, 1);
        HistoryCheck check = new HistoryCheck(violations, history, Map.of(0, List.of()), list -> true);
        check.run();
        assertThat(check.lostAtPrimaryLevel()).isEqualTo(1);
        assertThat(violations.total()).isZero();
    }

    @Test
    void namesAnAcknowledgedUpdateThatIsLost() {
        acked("a", true, 1, 10);
        assertThat(check()).containsExactly("I12");
    }

    @Test
    void namesAnUpdateAppliedTwice() {
        acked("a", true, 1, 10);
        assertThat(check("a", "a")).containsExactly("I9");
    }

    @Test
    void namesAMarkerReadTwice() {
        acked("a", true, 1, 10);
        read(20, 21, 0, "a", "a");
        assertThat(check("a")).contains("I9");
    }

    @Test
    void namesAMarkerFromTheFuture() {
        read(1, 2, 0, "a");
        acked("a", true, 5, 10);
        assertThat(check("a")).containsExactly("I11");
    }

    @Test
    void namesAMarkerNobodySent() {
        assertThat(check("ghost")).containsExactly("I11");
    }

    @Test
    void namesAnAcknowledgedMarkerAtAnotherPlace() {
        acked("a", true, 1, 10);
        acked("b", true, 11, 20);
        read(30, 31, 0, "b", "a");
        assertThat(check("a", "b")).contains("I11");
    }

    @Test
    void namesAClientThatMissesItsOwnWrite() {
        acked("a", true, 1, 10).acked(10, 7);
        read(20, 21, 7);
        assertThat(check("a")).containsExactly("I4");
    }

    @Test
    void letsAnotherClientMissAWriteThatIsNotAppliedYet() {
        acked("a", true, 1, 10);
        history.read(new ClientHistory.Read("k2", 0, 20, 21, 0, true, List.of()));
        assertThat(check("a")).isEmpty();
    }

    @Test
    void namesAppendsOfTwoClientsInTheWrongOrder() {
        acked("a", true, 1, 10);
        history.append("k2", "b", 0, true, 11).acked(20, 9);
        assertThat(check("b", "a")).containsExactly("ORDER");
    }

    @Test
    void takesAppendsAtTheSameTimeInAnyOrder() {
        acked("a", true, 1, 10);
        history.append("k2", "b", 0, true, 9).acked(20, 9);
        history.append("k3", "c", 0, true, 5);
        acked("by the primary alone", false, 1, 2);
        assertThat(check("c", "b", "a", "by the primary alone")).isEmpty();
    }

    private Append acked(String marker, boolean isr, long from, long to) {
        Append append = history.append("k1", marker, 0, isr, from);
        append.acked(to, ++lastIndex);
        return append;
    }

    private void read(long from, long to, long floor, String... markers) {
        history.read(new ClientHistory.Read("k1", 0, from, to, floor, true, List.of(markers)));
    }

    private List<String> check(String... last) {
        new HistoryCheck(violations, history, Map.of(0, List.of(last)), list -> true).run();
        return violations.kept().stream().map(Violation::invariant).distinct().toList();
    }
}
