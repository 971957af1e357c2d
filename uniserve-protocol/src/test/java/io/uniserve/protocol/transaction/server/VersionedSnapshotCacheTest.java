package io.uniserve.protocol.transaction.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VersionedSnapshotCacheTest {
    private final List<String> closed = new ArrayList<>();
    private final VersionedSnapshotCache<String> shelf = new VersionedSnapshotCache<>(10, closed::add);

    private String at(long version) {
        return shelf.acquire(version).map(VersionedSnapshotCache.Ref::state).orElse("gone");
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

    @Test
    void aStateInUseIsClosedByItsLastReader() {
        shelf.add(1, "one", 11);
        VersionedSnapshotCache.Ref<String> first = shelf.acquire(1).orElseThrow();
        VersionedSnapshotCache.Ref<String> second = shelf.acquire(1).orElseThrow();
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
