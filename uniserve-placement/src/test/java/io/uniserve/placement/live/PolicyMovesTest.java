package io.uniserve.placement.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.policy.basic.GreedyPolicy;
import io.uniserve.placement.policy.basic.ParallelismPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PolicyMovesTest {
    private final List<Server> servers = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final List<CoAccessedActors> together = new ArrayList<>();

    private void servers(int count, int zones) {
        for (int i = 0; i < count; i++) {
            servers.add(new Server(new ServerId("s" + i), "z" + i % zones, 1, Set.of("kv")));
        }
    }

    private void actor(double load, String... hosts) {
        List<ServerId> ids = List.of(hosts).stream().map(ServerId::new).toList();
        actors.add(new Actor(new ReplicaKey(1, actors.size()), "kv", ids, ids.get(0), load, 0, 0, true));
    }

    private List<ReplicaMove> moves(BalancePolicy policy) {
        return new PolicyMoves(policy, 0.2, 1_000, 0, () -> SearchBudget.unlimited(1))
                .moves(new LiveCluster(servers, actors, together));
    }

    private void make(List<ReplicaMove> moves) {
        Set<ReplicaKey> moved = new TreeSet<>();
        for (ReplicaMove move : moves) {
            assertThat(moved.add(move.key()))
                    .as("one move of an actor: %s", move)
                    .isTrue();
            Actor actor = actors.get(move.key().actor());
            assertThat(actor.hosts()).contains(move.from()).doesNotContain(move.to());
            List<ServerId> hosts = new ArrayList<>(actor.hosts());
            hosts.set(hosts.indexOf(move.from()), move.to());
            assertThat(zones(hosts)).isGreaterThanOrEqualTo(zones(actor.hosts()));
            actors.set(
                    move.key().actor(),
                    new Actor(actor.key(), "kv", hosts, hosts.get(0), actor.load(), 0, 0, actor.movable()));
        }
    }

    private long zones(List<ServerId> hosts) {
        return servers.stream()
                .filter(server -> hosts.contains(server.id()))
                .map(Server::zone)
                .distinct()
                .count();
    }

    private TreeMap<String, Double> loads() {
        TreeMap<String, Double> loads = new TreeMap<>();
        servers.forEach(server -> loads.put(server.id().value(), 0.0));
        for (Actor actor : actors) {
            actor.hosts().forEach(host -> loads.merge(host.value(), actor.load(), Double::sum));
        }
        return loads;
    }

    @Test
    void aNewServerIsFilledAndThenNothingMoves() {
        servers(4, 4);
        for (int i = 0; i < 48; i++) {
            actor(1, "s" + i % 3, "s" + (i + 1) % 3);
        }
        List<ReplicaMove> moves = moves(new GreedyPolicy());
        assertThat(moves).isNotEmpty().allMatch(move -> move.to().value().equals("s3"));
        assertThat(moves.get(0).reason()).contains("now 0% to 133%");
        for (List<ReplicaMove> next = moves; !next.isEmpty(); next = moves(new GreedyPolicy())) {
            make(next);
        }
        assertThat(loads().values()).allMatch(load -> load >= 0.75 * 24 && load <= 1.25 * 24);
    }

    @Test
    void actorsAskedTogetherPart() {
        servers(2, 2);
        for (int i = 0; i < 8; i++) {
            actor(1, i < 4 ? "s0" : "s1");
        }
        for (int i = 0; i < 8; i += 4) {
            for (int j = 0; j < 4; j += 2) {
                together.add(new CoAccessedActors(
                        List.of(actors.get(i + j).key(), actors.get(i + j + 1).key()), 10));
            }
        }
        assertThat(moves(new GreedyPolicy())).as("balanced").isEmpty();
        make(moves(new ParallelismPolicy(null)));
        for (CoAccessedActors set : together) {
            assertThat(set.actors().stream().flatMap(key -> actors.get(key.actor()).hosts().stream()))
                    .doesNotHaveDuplicates();
        }
        assertThat(moves(new ParallelismPolicy(null))).isEmpty();
    }

    @Test
    void whatIsProposedIsTakenOnlyWhereItMayBe() {
        servers(3, 1);
        actor(9, "s0", "s1");
        actor(1, "s0", "s1");
        actors.set(
                1, new Actor(actors.get(1).key(), "other", actors.get(1).hosts(), new ServerId("s0"), 1, 0, 0, true));
        BalancePolicy allToTwo = (in, searchBudget) -> {
            int[] server = new int[in.actors()];
            java.util.Arrays.fill(server, 2);
            return PlacementProposal.of(Assignment.single(server));
        };
        assertThat(moves(allToTwo)).singleElement().satisfies(move -> {
            assertThat(move.key().actor()).isZero();
            assertThat(move.to().value()).isEqualTo("s2");
        });
        BalancePolicy swap = (in, searchBudget) -> PlacementProposal.of(Assignment.single(new int[] {1, 0, 1, 0}));
        assertThat(moves(swap)).as("both are there already").isEmpty();
    }

    @Test
    void aPolicyThatFailsTellsWhy() {
        servers(2, 2);
        actor(1, "s0");
        assertThatThrownBy(() -> moves((in, searchBudget) -> {
                    throw new IllegalStateException("broken");
                }))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("broken");
        actors.clear();
        assertThat(moves(new GreedyPolicy())).isEmpty();
    }

    @Test
    void anythingComesToRest() {
        for (int seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            servers.clear();
            actors.clear();
            int count = 2 + random.nextInt(6);
            servers(count, 1 + random.nextInt(3));
            int rf = 1 + random.nextInt(2);
            for (int i = 0; i < 40; i++) {
                actor(
                        random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1,
                        random.ints(0, Math.max(rf, count / 2))
                                .distinct()
                                .limit(rf)
                                .mapToObj(host -> "s" + host)
                                .toArray(String[]::new));
            }
            int rounds = 0;
            for (List<ReplicaMove> next = moves(new GreedyPolicy());
                    !next.isEmpty();
                    next = moves(new GreedyPolicy())) {
                make(next);
                assertThat(++rounds).as("seed " + seed).isLessThan(10);
            }
        }
    }
}
