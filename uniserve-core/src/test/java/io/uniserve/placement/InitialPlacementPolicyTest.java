package io.uniserve.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class InitialPlacementPolicyTest {
    private final InitialPlacementPolicy placement = new InitialPlacementPolicy();

    private static List<ServerView> servers(String... zones) {
        List<ServerView> servers = new ArrayList<>();
        for (String zone : zones) {
            servers.add(new ServerView(new ServerId("s" + servers.size()), zone, 0, 0));
        }
        return servers;
    }

    private static Map<ServerId, Integer> count(List<ServerId> ids) {
        Map<ServerId, Integer> counts = new TreeMap<>();
        ids.forEach(id -> counts.merge(id, 1, Integer::sum));
        return counts;
    }

    @Test
    void primariesAndReplicasAreEven() {
        for (int rf = 1; rf <= 4; rf++) {
            List<List<ServerId>> placed = placement.place(64, rf, servers("a", "b", "c", "d"));
            assertThat(count(placed.stream().map(r -> r.get(0)).toList()).values())
                    .containsOnly(16);
            assertThat(count(placed.stream().flatMap(List::stream).toList()).values())
                    .containsOnly(16 * rf);
            assertThat(placed).allSatisfy(r -> assertThat(r).doesNotHaveDuplicates());
        }
    }

    @Test
    void replicasOfAnActorLieInDifferentZones() {
        List<ServerView> servers = servers("a", "a", "a", "b");
        for (List<ServerId> replicas : placement.place(30, 2, servers)) {
            assertThat(replicas).contains(new ServerId("s3"));
        }
        for (List<ServerId> replicas : placement.place(30, 3, servers)) {
            assertThat(replicas).contains(new ServerId("s3")).hasSize(3);
        }
    }

    @Test
    void theFollowersOfOneServerAreSpread() {
        List<List<ServerId>> placed = placement.place(60, 2, servers("a", "b", "c", "d"));
        ServerId failed = new ServerId("s0");
        List<ServerId> takeOvers = placed.stream()
                .filter(r -> r.get(0).equals(failed))
                .map(r -> r.get(1))
                .toList();
        assertThat(count(takeOvers).values()).allSatisfy(n -> assertThat(n).isBetween(3, 7));
    }

    @Test
    void loadedServersGetLess() {
        List<ServerView> servers = List.of(
                new ServerView(new ServerId("full"), "a", 10, 10), new ServerView(new ServerId("empty"), "b", 0, 0));
        assertThat(placement.place(10, 1, servers)).containsOnly(List.of(new ServerId("empty")));
    }

    @Test
    void aReplacementPrefersAnotherZoneThenTheEmptierServer() {
        ServerView holder = new ServerView(new ServerId("h"), "a", 1, 1);
        ServerView near = new ServerView(new ServerId("near"), "a", 0, 0);
        ServerView far = new ServerView(new ServerId("far"), "b", 9, 9);
        ServerView empty = new ServerView(new ServerId("empty"), "c", 0, 1);
        assertThat(placement.replacement(List.of(near, far), List.of(holder))).hasValue(far.id());
        assertThat(placement.replacement(List.of(near, far, empty), List.of(holder)))
                .hasValue(empty.id());
        assertThat(placement.replacement(List.of(), List.of(holder))).isEmpty();
    }

    @Test
    void anRfAboveTheServersIsRefused() {
        assertThatThrownBy(() -> placement.place(1, 3, servers("a", "b")))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("rf is 3");
    }
}
