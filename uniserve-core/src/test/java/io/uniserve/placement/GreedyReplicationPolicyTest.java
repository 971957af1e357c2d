package io.uniserve.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.Plan;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Copies of hot actors: when they come, where, how queries are divided, and when they go. */
class GreedyReplicationPolicyTest {
    private static final double IDLE = 1;
    private static final CopyTraffic FREE = new CopyTraffic(1e9, 0);
    private static final ReplicationLimits LIMITS = new ReplicationLimits(4, 1.0, 0.5, 100, 1L << 40, 600);

    private final List<Server> servers = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private GreedyReplicationPolicy policy = new GreedyReplicationPolicy(LIMITS, 0.2);
    private CopyTraffic costs = FREE;

    /** Mutable state of an actor between rounds. */
    private static final class Row {
        final List<ServerId> hosts = new ArrayList<>();
        Map<ServerId, Double> weights = Map.of();
        double load;
        double newest = -1;
        int least = 1;
        int automatic;
        long bytes;
        double updates;
        boolean permitted = true;
        boolean growable = true;
        boolean shrinkable = true;
    }

    private static ServerId id(int number) {
        return new ServerId("s" + number);
    }

    private void servers(double... weights) {
        for (double weight : weights) {
            servers.add(new Server(id(servers.size()), "z" + servers.size(), weight, Set.of("kv")));
        }
    }

    private Row actor(double load, int... hosts) {
        Row row = new Row();
        row.load = load;
        for (int host : hosts) {
            row.hosts.add(id(host));
        }
        row.least = hosts.length;
        rows.add(row);
        return row;
    }

    private LiveCluster cluster() {
        List<Actor> actors = new ArrayList<>();
        for (Row row : rows) {
            actors.add(new Actor(
                    new ReplicaKey(1, actors.size()),
                    "kv",
                    row.hosts,
                    row.hosts.get(0),
                    row.load / row.hosts.size() + IDLE,
                    0.5,
                    0,
                    true,
                    new CopyState(
                            row.load,
                            row.newest < 0 ? row.load : row.newest,
                            row.weights,
                            row.least,
                            row.automatic,
                            row.bytes,
                            row.updates,
                            row.permitted,
                            row.growable,
                            row.shrinkable)));
        }
        return new LiveCluster(servers, actors, List.of());
    }

    private Plan plan() {
        return policy.plan(cluster(), costs);
    }

    private Change change() {
        return plan().change().orElseThrow();
    }

    private void make(Change change) {
        Row row = rows.get(change.key().actor());
        if (change instanceof AddCopies add) {
            assertThat(row.hosts).doesNotContainAnyElementsOf(add.targets());
            row.hosts.addAll(add.targets());
            row.automatic = add.copies();
            assertThat(add.copies()).isEqualTo(row.hosts.size()).isLessThanOrEqualTo(4);
            row.weights = Map.of();
        } else if (change instanceof DropCopy drop) {
            assertThat(row.hosts.get(0)).as("the primary stays").isNotEqualTo(drop.source());
            assertThat(row.hosts.remove(drop.source())).isTrue();
            assertThat(row.hosts).hasSizeGreaterThanOrEqualTo(row.least);
            row.automatic = drop.copies();
            row.weights = Map.of();
        } else {
            row.weights = ((SetWeights) change).weights();
            if (!row.weights.isEmpty()) {
                assertThat(row.weights.keySet()).isEqualTo(Set.copyOf(row.hosts));
                assertThat(row.weights.values().stream().mapToDouble(d -> d).sum())
                        .isCloseTo(1, within(1e-9));
            }
        }
    }

    @Test
    void replicasStayInTwoZonesWhenACopyGoes() {
        servers.add(new Server(id(0), "a", 1, Set.of("kv")));
        servers.add(new Server(id(1), "b", 1, Set.of("kv")));
        servers.add(new Server(id(2), "a", 1, Set.of("kv")));
        Row row = actor(1, 0, 1, 2);
        row.least = 2;
        row.automatic = 3;
        actor(500, 1); // the only replica in zone b is on the busiest server
        assertThat(plan().findings()).isNotEmpty();
        assertThat(settle())
                .anySatisfy(change -> assertThat(change)
                        .isInstanceOfSatisfying(
                                DropCopy.class,
                                drop -> assertThat(drop.source()).isEqualTo(id(2))));
        assertThat(row.hosts).contains(id(0), id(1));
    }

    /** Makes changes until there are none; fails after 30. */
    private List<Change> settle() {
        List<Change> made = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            var next = plan().change();
            if (next.isEmpty()) {
                return made;
            }
            make(next.get());
            made.add(next.get());
        }
        throw new AssertionError("no end: " + made);
    }

    private TreeMap<ServerId, Double> relativeLoads() {
        TreeMap<ServerId, Double> loads = new TreeMap<>();
        for (Server server : servers) {
            double load = cluster().actors().stream()
                    .filter(actor -> actor.hosts().contains(server.id()))
                    .mapToDouble(actor -> actor.loadOn(server.id()))
                    .sum();
            loads.put(server.id(), load / server.weight());
        }
        return loads;
    }

    @Test
    void anActorOfNearlyAllQueriesGetsACopyOnEachServer() {
        servers(1, 1, 1, 1);
        Row hot = actor(700, 0);
        actor(50, 1);
        actor(25, 2);
        actor(25, 3);
        assertThat(change()).isInstanceOfSatisfying(AddCopies.class, add -> {
            assertThat(add.key().actor()).isZero();
            assertThat(add.targets()).containsExactlyInAnyOrder(id(1), id(2), id(3));
            assertThat(add.copies()).isEqualTo(4);
            assertThat(add.reason()).contains("700.0 ms/s").contains("a copy saves");
        });
        settle();
        assertThat(hot.hosts).hasSize(4);
        assertThat(relativeLoads().values()).allSatisfy(load -> assertThat(load).isBetween(160.0, 245.0));
    }

    @Test
    void anActorGetsAsManyCopiesAsItsLoadNeedsAndTheBoundsPermit() {
        servers(1, 1, 1, 1);
        Row hot = actor(350, 0);
        actor(150, 1);
        actor(150, 2);
        actor(150, 3);
        assertThat(copies()).as("350 of 800 is the due of two servers").isEqualTo(2);
        hot.load = 3_500;
        assertThat(copies()).isEqualTo(4);
        hot.newest = 500;
        assertThat(copies())
                .as("the newest load, 500, is below the due of one server")
                .isZero();
        hot.newest = 1_200;
        assertThat(copies()).as("the newest load needs two servers").isEqualTo(2);
        hot.newest = -1;
        hot.bytes = 400;
        policy = new GreedyReplicationPolicy(new ReplicationLimits(4, 1, 0.5, 100, 1_000, 600), 0.2);
        assertThat(copies()).as("two copies of 400 bytes fit in 1,000").isEqualTo(3);
        hot.bytes = Long.MAX_VALUE;
        assertThat(copies()).isZero();
        hot.bytes = 0;
        policy = new GreedyReplicationPolicy(new ReplicationLimits(3, 1, 0.5, 100, 1_000, 600), 0.2);
        assertThat(copies()).as("copies-max").isEqualTo(3);
    }

    /** Replicas after the next plan; 0 if it makes no copy. */
    private int copies() {
        return plan().change()
                .filter(AddCopies.class::isInstance)
                .map(change -> ((AddCopies) change).copies())
                .orElse(0);
    }

    @Test
    void balancedServersNeedNoCopy() {
        servers(1, 1, 1);
        actor(300, 0);
        actor(300, 1);
        actor(300, 2);
        assertThat(plan().change()).isEmpty();
    }

    @Test
    void aColdActorLosesItsCopiesAndKeepsRf() {
        for (int rf = 1; rf <= 3; rf++) {
            servers.clear();
            rows.clear();
            servers(1, 1, 1, 1);
            Row hot = rf == 1 ? actor(900, 0) : rf == 2 ? actor(900, 0, 1) : actor(900, 0, 1, 2);
            settle();
            assertThat(hot.hosts).as("rf " + rf).hasSize(4);
            hot.load = 3;
            settle();
            assertThat(hot.hosts).as("rf " + rf).hasSize(rf);
            assertThat(hot.automatic).isZero();
            assertThat(plan().findings()).isEmpty();
        }
    }

    @Test
    void anOperatorsNumberIsALowerBound() {
        servers(1, 1, 1, 1);
        Row hot = actor(900, 0);
        settle();
        hot.least = 3;
        hot.load = 0;
        settle();
        assertThat(hot.hosts).hasSize(3);
    }

    @Test
    void zeroLoadAndOneServerAndNoServerChangeNothing() {
        assertThat(plan().change()).isEmpty();
        servers(1);
        actor(0, 0);
        actor(5_000, 0);
        assertThat(plan().change()).isEmpty();
        servers(1);
        rows.forEach(row -> row.load = 0);
        assertThat(plan()).isEqualTo(Plan.NOTHING);
    }

    @Test
    void unequalServersGetUnequalShares() {
        servers(4, 1, 1);
        Row hot = actor(600, 1);
        settle();
        assertThat(hot.hosts).contains(id(0));
        TreeMap<ServerId, Double> loads = relativeLoads();
        assertThat(hot.hosts).allSatisfy(host -> assertThat(loads.get(host)).isLessThan(1.25 * 100));
        assertThat(hot.weights.get(id(0))).isGreaterThan(0.5);
    }

    @Test
    void queriesGoToTheServerWithRoom() {
        servers(1, 1);
        Row shared = actor(400, 0, 1);
        actor(300, 0);
        assertThat(change()).isInstanceOfSatisfying(SetWeights.class, set -> {
            assertThat(set.weights().get(id(1))).isCloseTo(0.875, within(0.02));
            assertThat(set.reason()).contains("of their due");
        });
        settle();
        assertThat(relativeLoads().get(id(0))).isCloseTo(relativeLoads().get(id(1)), within(20.0));
        assertThat(shared.automatic).isZero();
    }

    @Test
    void aCopyThatCostsMoreThanItSavesIsNotMade() {
        servers(1, 1, 1, 1);
        Row hot = actor(500, 0);
        hot.bytes = 10_000_000_000L;
        costs = new CopyTraffic(1e6, 0);
        assertThat(plan().change()).isEmpty();
        assertThat(plan().findings())
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.reason()).contains("gets no copy").contains("10000.0 MB in 10000.0 s"));
        costs = new CopyTraffic(1e9, 0);
        assertThat(change()).isInstanceOf(AddCopies.class);
        hot.updates = 5_000;
        assertThat(plan().change()).as("each update waits for one more").isEmpty();
        hot.updates = 1;
        assertThat(change()).isInstanceOf(AddCopies.class);
    }

    @Test
    void aBurstThatIsOverMakesNoCopy() {
        servers(1, 1);
        Row hot = actor(500, 0);
        hot.newest = 20;
        assertThat(plan().change()).isEmpty();
        hot.newest = 500;
        assertThat(change()).isInstanceOf(AddCopies.class);
    }

    @Test
    void bytesOnTheMoveAreBounded() {
        servers(1, 1);
        Row hot = actor(500, 0);
        hot.bytes = 600;
        policy = new GreedyReplicationPolicy(new ReplicationLimits(4, 1, 0.5, 100, 1_000, 600), 0.2);
        costs = new CopyTraffic(1e9, 500);
        assertThat(plan().change()).isEmpty();
        assertThat(plan().findings().get(0).reason()).contains("bytes-max");
        costs = new CopyTraffic(1e9, 400);
        assertThat(change()).isInstanceOf(AddCopies.class);
    }

    @Test
    void tablesWithoutAutomaticCopiesGetNoneAndLoseThem() {
        servers(1, 1, 1, 1);
        Row hot = actor(900, 0);
        hot.permitted = false;
        assertThat(plan().change()).isEmpty();
        hot.permitted = true;
        settle();
        hot.permitted = false;
        assertThat(change()).isInstanceOf(DropCopy.class);
        settle();
        assertThat(hot.hosts).containsExactly(id(0));
    }

    @Test
    void restingActorsStayAndSayWhy() {
        servers(1, 1, 1, 1);
        Row hot = actor(900, 0);
        hot.growable = false;
        assertThat(plan().change()).isEmpty();
        assertThat(plan().findings().get(0).reason()).contains("waits");
        hot.growable = true;
        settle();
        hot.load = 0;
        hot.shrinkable = false;
        assertThat(plan().change()).isEmpty();
        assertThat(plan().findings().get(0).reason()).contains("kept for now");
    }

    @Test
    void copiesMaxIsABoundAndALowerOneTakesCopiesAway() {
        servers(1, 1, 1, 1, 1, 1);
        Row hot = actor(900, 0);
        settle();
        assertThat(hot.hosts).hasSize(4);
        policy = new GreedyReplicationPolicy(new ReplicationLimits(2, 1, 0.5, 100, 1L << 40, 600), 0.2);
        settle();
        assertThat(hot.hosts).hasSize(2);
    }

    @Test
    void theSameClusterGivesTheSamePlan() {
        servers(1, 2, 1, 3);
        for (int i = 0; i < 20; i++) {
            actor(i == 7 ? 2_000 : 10 * i, i % 4);
        }
        assertThat(plan()).isEqualTo(plan());
    }

    /** Loads differ from round to round by up to 30 %. In 50 rounds no actor gets and loses a copy in turn. */
    @Test
    void noisyLoadsDoNotOscillate() {
        int grown = 0;
        for (int seed = 1; seed <= 20; seed++) {
            servers.clear();
            rows.clear();
            servers(seed % 3 == 0 ? new double[] {1, 2, 1, 2, 1} : new double[] {1, 1, 1, 1, 1});
            Random random = new Random(seed);
            int rf = 1 + seed % 3;
            double[] means = new double[12];
            for (int i = 0; i < means.length; i++) {
                means[i] = i < 2 ? 100 + random.nextInt(900) : random.nextInt(60);
                int[] hosts = new int[rf];
                for (int k = 0; k < rf; k++) {
                    hosts[k] = (i + k) % 5;
                }
                actor(means[i], hosts);
            }
            Map<Integer, List<String>> kinds = new HashMap<>();
            for (int round = 0; round < 50; round++) {
                for (int i = 0; i < means.length; i++) {
                    rows.get(i).load = means[i] * (0.7 + 0.6 * random.nextDouble());
                }
                plan().change().ifPresent(change -> {
                    make(change);
                    if (!(change instanceof SetWeights)) {
                        kinds.computeIfAbsent(change.key().actor(), any -> new ArrayList<>())
                                .add(change.getClass().getSimpleName());
                    }
                });
            }
            assertThat(kinds.values())
                    .as("seed " + seed)
                    .allSatisfy(kind -> assertThat(kind).doesNotContain("DropCopy"));
            assertThat(rows).allSatisfy(row -> assertThat(row.hosts).hasSizeLessThanOrEqualTo(4));
            grown += kinds.size();
        }
        assertThat(grown).as("actors with copies").isGreaterThan(10);
    }

    @Test
    void boundsAreChecked() {
        for (double[] wrong :
                new double[][] {{-1, 1, 0.5, 1}, {17, 1, 0.5, 1}, {4, 0.5, 0.5, 1}, {4, 1, 0, 1}, {4, 1, 0.5, 0}}) {
            assertThatThrownBy(() -> new ReplicationLimits((int) wrong[0], wrong[1], wrong[2], wrong[3], 1, 1))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("copies-max");
        }
    }
}
