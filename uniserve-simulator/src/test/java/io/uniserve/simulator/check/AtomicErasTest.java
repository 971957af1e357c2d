package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.check.AtomicHistory.Read;
import io.uniserve.simulator.check.AtomicHistory.Restored;
import io.uniserve.simulator.check.TableTimelines.TableTimeline;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Histories of a table that went back to version 1 and continues with version 4: versions 2 and 3 of number 7 are lost. Lists 0 and 4 are
 * on two actors.
 */
final class AtomicErasTest {
    private static final TableTimelines ERAS =
            new TableTimelines(List.of(new TableTimeline(7, 0, 0), new TableTimeline(9, 1, 4)));

    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final AtomicHistory history = new AtomicHistory();

    /** Marker a is kept, b and c are lost, d comes after the restoration. */
    @BeforeEach
    void writes() {
        write("a", 1, 0, 4).committed(10, 1);
        write("b", 11, 0, 4).committed(20, 2);
        write("c", 21, 4).committed(30, 3);
        write("d", 100, 0, 4).committed(110, 4);
    }

    private AtomicHistory.Write write(String marker, long nanos, Integer... lists) {
        return history.write("k1", marker, new TreeSet<>(List.of(lists)), nanos);
    }

    private void read(
            String client, long from, long to, long number, long version, List<String> first, List<String> second) {
        history.read(new Read(client, from, to, number, version, true, new TreeMap<>(Map.of(0, first, 4, second))));
    }

    private List<String> check(List<String> first, List<String> second) {
        new AtomicCheck(violations, history, ERAS, Map.of(0, first, 4, second)).run();
        return violations.kept().stream().map(Violation::invariant).distinct().toList();
    }

    private List<String> check() {
        return check(List.of("a", "d"), List.of("a", "d"));
    }

    @Test
    void aGoodHistoryPasses() {
        read("k2", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        history.addRestored(new Restored("k2", 60, 9));
        read("k2", 61, 70, 9, 1, List.of("a"), List.of("a"));
        read("k3", 111, 120, 9, 4, List.of("a", "d"), List.of("a", "d"));
        assertThat(check()).isEmpty();
    }

    @Test
    void whatWasLostOnceIsNotAskedOfLaterNumbers() {
        read("k2", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        write("e", 200, 0, 4).committed(210, 6);
        TableTimelines three = new TableTimelines(
                List.of(new TableTimeline(7, 0, 0), new TableTimeline(9, 1, 4), new TableTimeline(11, 4, 6)));
        List<String> end = List.of("a", "d", "e");
        new AtomicCheck(violations, history, three, Map.of(0, end, 4, end)).run();
        assertThat(violations.kept()).isEmpty();
    }

    @Test
    void aKeptVersionThatIsGoneIsFound() {
        assertThat(check(List.of("d"), List.of("d"))).containsExactly("I12");
    }

    @Test
    void aKeptVersionThatIsTornIsFound() {
        assertThat(check(List.of("d"), List.of("a", "d"))).contains("I12");
    }

    @Test
    void aLostVersionOfWhichAPartIsBackIsFound() {
        assertThat(check(List.of("a", "b", "d"), List.of("a", "d"))).containsExactly("I3");
    }

    @Test
    void aLostVersionThatIsBackAsAWholeIsFound() {
        assertThat(check(List.of("a", "b", "d"), List.of("a", "b", "d"))).containsExactly("ERA");
    }

    @Test
    void whatNobodyWasToldOfMayBeGoneOrBackAsAWhole() {
        write("e", 12, 0, 4);
        assertThat(check(List.of("a", "e", "d"), List.of("a", "e", "d"))).isEmpty();
        assertThat(check(List.of("a", "d"), List.of("a", "e", "d"))).containsExactly("I3");
    }

    @Test
    void aVersionOfTheNewNumberThatIsLostIsFound() {
        assertThat(check(List.of("a"), List.of("a"))).containsExactly("I12");
    }

    @Test
    void theOldNumberAfterTheNewOneIsFound() {
        read("k2", 50, 60, 9, 1, List.of("a"), List.of("a"));
        read("k3", 61, 70, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        assertThat(check()).containsExactly("ERA");
    }

    @Test
    void theOldNumberAfterAnUpdateOfTheNewOneIsFound() {
        read("k3", 111, 120, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        assertThat(check()).containsExactly("ERA");
    }

    @Test
    void aClientThatIsNotToldIsFound() {
        read("k2", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        read("k2", 61, 70, 9, 1, List.of("a"), List.of("a"));
        assertThat(check()).containsExactly("ERA");
    }

    @Test
    void aClientThatHearsWhileItsReadIsUnderWayIsTold() {
        read("k2", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        read("k2", 41, 70, 9, 1, List.of("a"), List.of("a"));
        history.addRestored(new Restored("k2", 60, 9));
        assertThat(check()).isEmpty();
    }

    @Test
    void aClientThatGoesBackIsFound() {
        read("k2", 50, 60, 9, 1, List.of("a"), List.of("a"));
        read("k2", 61, 70, 7, 3, List.of("a", "b"), List.of("a", "b", "c"));
        assertThat(check()).containsExactly("ERA", "I5");
    }

    @Test
    void aReadOfTheOldNumberThatMissesWhatWasCommittedThereIsFound() {
        read("k2", 31, 40, 7, 2, List.of("a", "b"), List.of("a", "b"));
        assertThat(check()).as("version 3 was committed before it").containsExactly("I4");
    }

    @Test
    void aReadOfTheNewNumberThatMissesWhatItTookOverIsFound() {
        read("k2", 50, 60, 9, 1, List.of(), List.of());
        assertThat(check()).containsExactly("I4");
    }

    @Test
    void versionsOfTheOtherNumberAreFound() {
        read("k2", 111, 120, 9, 3, List.of("a", "d"), List.of("a", "d"));
        assertThat(check()).containsExactly("ERA");
    }

    @Test
    void whatWasReadAtAKeptVersionAndIsSomethingElseNowIsFound() {
        write("e", 5, 0, 4);
        read("k2", 8, 9, 7, 1, List.of("e", "a"), List.of("e", "a"));
        assertThat(check()).contains("ERA");
    }

    @Test
    void twoReadsOfTheOldNumberThatDoNotGoTogetherAreFound() {
        write("e", 22, 4);
        read("k2", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "c", "e"));
        read("k3", 31, 40, 7, 3, List.of("a", "b"), List.of("a", "b", "e"));
        assertThat(check()).contains("I11");
    }

    @Test
    void aStaleReadMayShowWhatIsLostButNothingElse() {
        history.stale(new AtomicHistory.Stale("k2", 90, new TreeMap<>(Map.of(4, List.of("a", "b", "c")))));
        assertThat(check()).isEmpty();
        history.stale(new AtomicHistory.Stale("k2", 90, new TreeMap<>(Map.of(4, List.of("b")))));
        assertThat(check()).containsExactly("I11");
    }
}
