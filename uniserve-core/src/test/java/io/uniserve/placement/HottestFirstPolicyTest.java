package io.uniserve.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HottestFirstPolicyTest {
    private final List<Server> servers = new ArrayList<>();
    private final List<Actor> actors = new ArrayList<>();
    private final HottestFirstPolicy policy = new HottestFirstPolicy(0.2, 1_000);

    private HottestFirstPolicyTest server(String name, String zone, double weight, String... ports) {
        servers.add(new Server(new ServerId(name), zone, weight, Set.of(ports)));
        return this;
    }

    private void servers(int count) {
        for (int i = 0; i < count; i++) {
            server("s" + i, "z" + i, 1, "kv");
        }
    }

    private void actor(double load, String... hosts) {
        List<ServerId> ids = List.of(hosts).stream().map(ServerId::new).toList();
        actors.add(new Actor(new ReplicaKey(1, actors.size()), "kv", ids, ids.get(0), load, 0, 0, true));
    }

    private List<ReplicaMove> moves() {
        return policy.moves(new LiveCluster(servers, actors, List.of()));
    }

    /** Makes the moves and checks the rules of each. */
    private void make(List<ReplicaMove> moves) {
        Set<ReplicaKey> moved = new TreeSet<>();
        for (ReplicaMove move : moves) {
            assertThat(moved.add(move.key()))
                    .as("one move of an actor: %s", move)
                    .isTrue();
            Actor actor = actors.get(move.key().actor());
            assertThat(actor.movable()).isTrue();
            assertThat(actor.hosts()).contains(move.from()).doesNotContain(move.to());
            List<ServerId> hosts = new ArrayList<>(actor.hosts());
            hosts.set(hosts.indexOf(move.from()), move.to());
            ServerId primary = move.from().equals(actor.primary()) ? move.to() : actor.primary();
            assertThat(zones(hosts)).isGreaterThanOrEqualTo(zones(actor.hosts()));
            actors.set(
                    move.key().actor(),
                    new Actor(
                            actor.key(),
                            actor.port(),
                            hosts,
                            primary,
                            actor.load(),
                            actor.primaryLoad(),
                            actor.memory(),
                            true));
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
            actor.hosts().forEach(host -> loads.merge(host.value(), actor.loadOn(host), Double::sum));
        }
        return loads;
    }

    @Test
    void aNewServerGetsItsPartFromAll() {
        servers(4);
        for (int i = 0; i < 48; i++) {
            actor(1, "s" + i % 3);
        }
        List<ReplicaMove> moves = moves();
        assertThat(moves).hasSize(12).allMatch(move -> move.to().value().equals("s3"));
        assertThat(moves.get(0).reason()).isEqualTo("source at 133% of its due, target at 0%");
        make(moves);
        assertThat(loads().values()).containsOnly(12.0);
        assertThat(moves()).isEmpty();
    }

    @Test
    void theHottestThatFitsComesFirst() {
        servers(2);
        actor(3, "s0");
        actor(9, "s0");
        actor(5, "s0");
        actor(1, "s0");
        List<ReplicaMove> moves = moves();
        assertThat(moves.get(0).key().actor()).isEqualTo(1);
        make(moves);
        assertThat(loads()).containsEntry("s0", 9.0).containsEntry("s1", 9.0);
    }

    @Test
    void whatCannotBeMoreEvenStays() {
        servers(3);
        for (int i = 0; i < 5; i++) {
            actor(1, "s" + i % 3);
        }
        assertThat(moves()).isEmpty();
        actors.clear();
        actor(100, "s0");
        actor(1, "s1");
        actor(1, "s2");
        assertThat(moves()).isEmpty();
    }

    @Test
    void withinTheToleranceNothingMoves() {
        servers(2);
        for (int i = 0; i < 20; i++) {
            actor(1, i < 12 ? "s0" : "s1");
        }
        assertThat(moves()).isEmpty();
        actor(1, "s0");
        assertThat(moves()).as("13 to 8").isNotEmpty();
    }

    @Test
    void strongerServersBearMore() {
        server("s0", "a", 1, "kv").server("s1", "b", 3, "kv");
        for (int i = 0; i < 40; i++) {
            actor(1, "s0");
        }
        make(moves());
        assertThat(loads()).containsEntry("s0", 10.0).containsEntry("s1", 30.0);
    }

    @Test
    void neitherPortsNorZonesNorOtherReplicasAreInTheWay() {
        server("s0", "a", 1, "kv")
                .server("s1", "b", 1, "kv")
                .server("s2", "b", 1, "kv")
                .server("s3", "c", 1, "solr");
        for (int i = 0; i < 12; i++) {
            actor(1, "s0", "s1");
        }
        List<ReplicaMove> moves = moves();
        make(moves);
        assertThat(moves).isNotEmpty().allMatch(move -> move.to().value().equals("s2"));
        assertThat(moves)
                .as("from zone a, both would be in b")
                .allMatch(move -> move.from().value().equals("s1"));
    }

    @Test
    void whatMustStayStays() {
        servers(2);
        for (int i = 0; i < 10; i++) {
            actor(1, "s0");
        }
        actors.replaceAll(actor -> new Actor(
                actor.key(),
                "kv",
                actor.hosts(),
                actor.primary(),
                1,
                0,
                0,
                actor.key().actor() == 7));
        assertThat(moves())
                .singleElement()
                .satisfies(move -> assertThat(move.key().actor()).isEqualTo(7));
    }

    @Test
    void nothingToMoveIsNoError() {
        assertThat(moves()).isEmpty();
        servers(3);
        assertThat(moves()).isEmpty();
        actor(0, "s0");
        actor(1, "elsewhere");
        assertThat(moves()).isEmpty();
        assertThatThrownBy(() -> new HottestFirstPolicy(0, 1)).hasMessageContaining("tolerance");
        assertThatThrownBy(() -> new HottestFirstPolicy(Double.NaN, 1)).hasMessageContaining("tolerance");
    }

    @Test
    void whateverTheLoadsItEndsEvenerAndStays() {
        for (int seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            servers.clear();
            actors.clear();
            int count = 2 + random.nextInt(10);
            for (int i = 0; i < count; i++) {
                server("s" + i, "z" + random.nextInt(3), 1 + random.nextInt(3), "kv");
            }
            int rf = 1 + random.nextInt(Math.min(3, count));
            int total = random.nextInt(60);
            for (int i = 0; i < total; i++) {
                String[] hosts = random.ints(0, Math.max(rf, count / 2))
                        .distinct()
                        .limit(rf)
                        .mapToObj(host -> "s" + host)
                        .toArray(String[]::new);
                actor(random.nextInt(4) == 0 ? random.nextInt(50) : 1, hosts);
            }
            double before = worst();
            List<ReplicaMove> first = moves();
            assertThat(moves()).isEqualTo(first);
            make(first);
            assertThat(worst()).as("seed " + seed).isLessThanOrEqualTo(before + 1e-9);
            int rounds = 0;
            for (List<ReplicaMove> next = moves(); !next.isEmpty(); next = moves()) {
                make(next);
                assertThat(++rounds).as("seed " + seed + " comes to rest").isLessThan(20);
            }
        }
    }

    private double worst() {
        TreeMap<String, Double> loads = loads();
        return servers.stream()
                .mapToDouble(server -> loads.getOrDefault(server.id().value(), 0.0) / server.weight())
                .max()
                .orElse(0);
    }
}
