package io.uniserve.protocol.coordinator.rebalance;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.coordinator.TestingServer;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random failures of servers and coordinators. Every step of every map keeps the rules, and at the end the cluster is healthy. */
class CoordinatorChaosTest {
    private static final int SERVERS = 5;
    private static final int COORDINATORS = 2;

    private final TestingCluster cluster = new TestingCluster();
    private final List<Node> nodes = new ArrayList<>();
    private final TreeMap<Integer, String> states = new TreeMap<>();
    private TableMap last = new TableMap(new io.uniserve.model.TableName("t"), 0, List.of());
    private int changes;

    static List<Integer> seeds() {
        List<Integer> seeds = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            seeds.add(i);
        }
        return seeds;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyStepKeepsTheRulesAndAllIsWellInTheEnd(int seed) {
        Random random = new Random(seed);
        Node first = cluster.leading(SERVERS);
        nodes.add(first);
        nodes.add(cluster.coordinator("c2"));
        cluster.create(first, TestingCluster.table("t", 6, 1 + random.nextInt(3)));
        last = cluster.map("t");
        cluster.store.listen(this::checkStep);
        for (int i = 1; i <= SERVERS; i++) {
            states.put(i, "up");
        }
        for (int step = 0; step < 150; step++) {
            fault(random);
            cluster.loop.run(random.nextInt(1500) * MILLI);
            act(random, true);
            move(random);
        }
        heal();
        assertThat(changes).isPositive();
    }

    private void fault(Random random) {
        int number = 1 + random.nextInt(SERVERS);
        TestingServer server = cluster.server("s" + number);
        String state = Objects.requireNonNull(states.get(number));
        int dice = random.nextInt(12);
        if (state.equals("down") && dice < 8) {
            server.start();
            states.put(number, "up");
        } else if (state.equals("hung") && dice < 6) {
            server.answer();
            states.put(number, "up");
        } else if (dice < 2) {
            server.kill();
            states.put(number, "down");
        } else if (dice == 2 && state.equals("up")) {
            server.hang();
            states.put(number, "hung");
        } else if (dice == 3) {
            tell(new PeerRequest.Draining(server.id, server.incarnation()));
        } else if (dice == 4) {
            nodes.get(random.nextInt(COORDINATORS)).registry().expire();
        } else if (dice == 5) {
            nodes.get(random.nextInt(COORDINATORS)).registry().expireUnnoticed();
        } else if (dice == 6) {
            nodes.get(random.nextInt(COORDINATORS)).registry().loseNextAnswer();
        } else if (dice == 7) {
            nodes.get(random.nextInt(COORDINATORS)).registry().loseNextWrite();
        }
    }

    /** Messages of servers: primaries certify learners and report fenced replicas; some messages are late or duplicated. */
    private void act(Random random, boolean unfit) {
        TableMap known = random.nextInt(4) == 0 ? last : cluster.map("t");
        for (ActorState actor : known.actors()) {
            ReplicaKey key = new ReplicaKey(known.tableId(), actor.actor());
            if (!up(actor.primary())) {
                continue;
            }
            for (ServerId learner : actor.learners()) {
                if (up(learner) && random.nextInt(3) > 0) {
                    tell(new PeerRequest.LearnerCaughtUp(
                            key,
                            actor.epoch(),
                            actor.primary(),
                            learner,
                            cluster.server(learner.value()).incarnation()));
                }
            }
            if (!actor.epochStarted() && random.nextInt(3) > 0) {
                tell(new PeerRequest.EpochStarted(key, actor.epoch(), actor.primary()));
            }
            List<ServerId> fenced =
                    actor.fencing().stream().map(Fencing::server).toList();
            if (!fenced.isEmpty() && random.nextInt(3) == 0) {
                tell(new PeerRequest.ReplicasFenced(key, actor.epoch(), fenced));
            }
            if (!actor.desiredServers().contains(actor.primary()) && random.nextInt(3) > 0) {
                tell(new PeerRequest.PrimaryTransferReady(key, actor.epoch(), actor.primary(), followers(actor)));
            }
            if (unfit && random.nextInt(40) == 0) {
                tell(new PeerRequest.ReportUnhealthy(
                        key, actor.epoch(), actor.isr().get(0), "bad luck", true));
            }
        }
    }

    /** Operator with random requests, sensible or not. */
    private void move(Random random) {
        if (random.nextInt(6) == 0) {
            ServerId from = TestingCluster.id("s" + (1 + random.nextInt(SERVERS)));
            ServerId to = TestingCluster.id("s" + (1 + random.nextInt(SERVERS)));
            int actor = random.nextInt(6);
            nodes.forEach(node ->
                    node.machine().onAdmin(new AdminRequest.MoveReplica(last.name(), actor, from, to), outcome -> {}));
        }
        if (random.nextInt(30) == 0) {
            drain(TestingCluster.id("s" + (1 + random.nextInt(SERVERS))), random.nextBoolean());
        }
    }

    private void drain(ServerId server, boolean wanted) {
        nodes.forEach(node -> node.machine().onAdmin(new AdminRequest.DrainServer(server, wanted), outcome -> {}));
    }

    private static List<ServerId> followers(ActorState actor) {
        return actor.isr().stream().filter(id -> !id.equals(actor.primary())).toList();
    }

    private boolean up(ServerId id) {
        return "up".equals(states.get(Integer.parseInt(id.value().substring(1))));
    }

    private void tell(PeerRequest request) {
        nodes.forEach(node -> node.machine().onPeer(request, outcome -> {}));
    }

    private void heal() {
        for (Node node : nodes) {
            node.registry().expire();
        }
        for (int i = 1; i <= SERVERS; i++) {
            cluster.server("s" + i).kill();
            cluster.server("s" + i).start();
            states.put(i, "up");
        }
        Random calm = new Random(1);
        for (int i = 0; i < 400; i++) {
            cluster.loop.run(SECOND / 4);
            if (i % 100 == 50) { // each server at least once while a coordinator leads
                for (int server = 1; server <= SERVERS; server++) {
                    drain(TestingCluster.id("s" + server), false);
                }
            }
            act(calm, false);
        }
        int rf = 0;
        for (ActorState actor : cluster.map("t").actors()) {
            rf = Math.max(rf, actor.isr().size());
        }
        for (ActorState actor : cluster.map("t").actors()) {
            assertThat(actor.isr()).as("%s", actor).hasSize(rf).containsAll(actor.desiredServers());
        }
        assertThat(nodes.stream().filter(n -> n.machine().isLeader())).hasSize(1);
    }

    private void checkStep(String path) {
        if (!path.equals("/tables/t/map")) {
            return;
        }
        TableMap now = cluster.map("t");
        for (int i = 0; i < now.actors().size(); i++) {
            checkActor(last.actors().get(i), now.actors().get(i));
        }
        last = now;
        changes++;
    }

    private static void checkActor(ActorState was, ActorState is) {
        assertThat(is.isr()).isNotEmpty().contains(is.primary()).doesNotHaveDuplicates();
        assertThat(is.learners()).doesNotHaveDuplicates().doesNotContainAnyElementsOf(is.isr());
        boolean sameMembers = new TreeSet<>(was.isr()).equals(new TreeSet<>(is.isr()));
        boolean lostLearner = was.learners().stream().anyMatch(l -> !is.hasReplicaOn(l));
        boolean newEpoch = !sameMembers || lostLearner || !was.primary().equals(is.primary());
        assertThat(is.epoch()).as("%s -> %s", was, is).isEqualTo(was.epoch() + (newEpoch ? 1 : 0));
        assertThat(was.isr()).as("a new primary was in sync").contains(is.primary());
        for (ServerId member : is.isr()) {
            assertThat(was.hasReplicaOn(member))
                    .as("a new member was a learner")
                    .isTrue();
        }
        for (ServerId removed : was.isr()) {
            if (!is.isr().contains(removed)) {
                assertThat(is.fencing()).contains(new Fencing(removed, is.epoch()));
            }
        }
        assertThat(is.fencing().stream().map(Fencing::server).toList())
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(is.isr());
    }
}
