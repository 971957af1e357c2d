package io.uniserve.benchmark.shardsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.model.ActorState;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Check of sums, counters of changes, and the order of parts. */
class SummedTableTest {
    private static final int ACTORS = 8;

    private static ActorState actor(int number, String... servers) {
        return actor(number, Map.of(), servers);
    }

    private static ActorState actor(int number, Map<ServerId, Double> weights, String... servers) {
        List<ServerId> ids = Stream.of(servers).map(ServerId::new).toList();
        return new ActorState(
                number, 1, ids.get(0), ids, List.of(), List.of(), ids, weights, 0, true, PreviousIsr.NONE);
    }

    @Test
    void aMissingDoubledOrOtherActorIsFound() {
        SummedTable table = new SummedTable(ACTORS, 800);
        HashedKeys keys = new HashedKeys(ACTORS, 800, 1);
        long first = sum(keys, 1);
        long second = sum(keys, 2);
        assertThat(table.difference(List.of(1, 2), first + second)).isEmpty();
        assertThat(table.difference(List.of(1, 2), first)).get().asString().contains("[1, 2]", "not");
        assertThat(table.difference(List.of(1, 2), first + 2 * second)).isPresent();
        assertThat(table.difference(List.of(1, 3), first + second)).isPresent();
        assertThat(table.difference(List.of(1, 2), 0)).isPresent();
    }

    @Test
    void aMissingRowIsFound() {
        SummedTable table = new SummedTable(ACTORS, 800);
        HashedKeys keys = new HashedKeys(ACTORS, 800, 1);
        long right = sum(keys, 5);
        assertThat(keys.of(5))
                .allMatch(key -> table.difference(List.of(5), right - SummedTable.amount(key))
                        .isPresent());
    }

    private static long sum(HashedKeys keys, int actor) {
        return keys.of(actor).stream().mapToLong(SummedTable::amount).sum();
    }

    @Test
    void neighboursAreSideBySide() {
        List<ActorState> states = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            states.add(actor(i, "s" + (2 - i % 3)));
        }
        assertThat(SummedTable.serverByServer(states)).containsExactly(2, 5, 1, 4, 0, 3);
        states.set(0, actor(0, "s0"));
        assertThatThrownBy(() -> SummedTable.serverByServer(states)).hasMessageContaining("is not even");
    }

    @Test
    void movesCopiesDropsAndSharesAreCounted() {
        PlacementChanges changes = new PlacementChanges();
        assertThat(changes.observe(List.of(actor(0, "a"), actor(1, "b")))).isFalse();
        assertThat(changes.observe(List.of(actor(0, "a"), actor(1, "b")))).isFalse();
        assertThat(changes.observe(List.of(actor(0, "b"), actor(1, "b")))).isTrue();
        assertThat(changes.observe(List.of(actor(0, "b", "c"), actor(1, "a", "b", "c"))))
                .isTrue();
        Map<ServerId, Double> weights = Map.of(new ServerId("b"), 0.7, new ServerId("c"), 0.3);
        assertThat(changes.observe(List.of(actor(0, weights, "b", "c"), actor(1, "a", "b", "c"))))
                .isTrue();
        assertThat(changes.observe(List.of(actor(0, weights, "b", "c"), actor(1, "a", "c"))))
                .isTrue();
        assertThat(changes.moves()).isEqualTo(1);
        assertThat(changes.copies()).isEqualTo(3);
        assertThat(changes.drops()).isEqualTo(1);
        assertThat(changes.shares()).isEqualTo(1);
        assertThat(changes.isSettled()).isTrue();
    }
}
