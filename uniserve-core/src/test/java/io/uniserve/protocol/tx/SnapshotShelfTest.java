package io.uniserve.protocol.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SnapshotShelfTest {
    private final List<String> closed = new ArrayList<>();
    private long now = Long.MAX_VALUE - 100;
    private final SnapshotShelf<String> shelf = new SnapshotShelf<>(() -> 10, () -> now, closed::add);

    private String at(long version) {
        return shelf.at(version)
                .map(ref -> {
                    ref.release();
                    return ref.state();
                })
                .orElse("gone");
    }

    @Test
    void aVersionIsReadFromTheNewestStateAtOrBelowIt() {
        shelf.add(0, "empty", 1);
        shelf.add(3, "three", 1);
        shelf.add(5, "five", 1);
        assertThat(at(2)).isEqualTo("empty");
        assertThat(at(4)).isEqualTo("three");
        assertThat(at(9)).isEqualTo("five");
        assertThat(at(0)).as("the newest").isEqualTo("five");
    }

    @Test
    void whatDoesNotFitTheBudgetIsGoneOldestFirstAndNeverAnotherState() {
        shelf.add(1, "one", 6);
        shelf.add(2, "two", 6);
        shelf.add(3, "three", 6);
        assertThat(closed).containsExactly("one");
        assertThat(at(1)).isEqualTo("gone");
        assertThat(at(2)).isEqualTo("two");
        shelf.add(4, "four", 100);
        assertThat(at(3)).isEqualTo("three");
        shelf.add(5, "five", 1);
        assertThat(at(4)).as("too large to keep, and so all before it").isEqualTo("gone");
        assertThat(at(5)).isEqualTo("five");
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void whatNobodyHasReadForLongStaysInASmallPartOfTheBudget() {
        shelf.add(1, "one", 1);
        shelf.add(2, "two", 1);
        pass(Limits.SNAPSHOT_REPLACED_MS);
        shelf.add(3, "three", 1);
        assertThat(closed)
                .as("was the newest longer ago, and two are more than an eighth of the budget")
                .containsExactly("one");
        assertThat(at(2)).as("was the newest until now").isEqualTo("two");
        pass(Limits.SNAPSHOT_REPLACED_MS);
        shelf.add(4, "four", 1);
        assertThat(at(2)).as("read a moment ago").isEqualTo("two");
        pass(Limits.SNAPSHOT_READ_MS);
        shelf.add(5, "five", 0);
        assertThat(at(2)).isEqualTo("gone");
        assertThat(at(3)).isEqualTo("gone");
        assertThat(at(4)).isEqualTo("four");
    }

    @Test
    void aStateInUseStaysInTheWholeBudget() {
        shelf.add(1, "one", 2);
        SnapshotShelf.Ref<String> reader = shelf.at(1).orElseThrow();
        for (int version = 2; version <= 5; version++) {
            pass(Limits.SNAPSHOT_READ_MS);
            shelf.add(version, "other", 2);
        }
        assertThat(at(1)).isEqualTo("one");
        reader.release();
        pass(Limits.SNAPSHOT_READ_MS);
        shelf.add(6, "six", 2);
        assertThat(closed).first().isEqualTo("one");
        assertThat(at(1)).isEqualTo("gone");
    }

    @Test
    void aStateInUseIsClosedByItsLastReader() {
        shelf.add(1, "one", 11);
        SnapshotShelf.Ref<String> first = shelf.at(1).orElseThrow();
        SnapshotShelf.Ref<String> second = shelf.at(1).orElseThrow();
        shelf.add(2, "two", 1);
        assertThat(closed).isEmpty();
        first.release();
        assertThat(closed).isEmpty();
        second.release();
        assertThat(closed).containsExactly("one");
    }

    @Test
    void aClosedShelfHasNothing() {
        shelf.add(1, "one", 1);
        shelf.close();
        assertThat(at(1)).isEqualTo("gone");
        assertThat(closed).containsExactly("one");
    }
}
