package io.uniserve.cli.status;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerReply.Serving;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Status of two servers with a table {@code words} of two actors, rf 2; all is healthy until a test changes it. */
final class ScriptedStatus {
    static final ServerId ONE = new ServerId("server-1");
    static final ServerId TWO = new ServerId("server-2");
    private static final long EPOCH = 4;
    private static final long ROWS = 30;

    final TreeSet<ServerId> live = new TreeSet<>(List.of(ONE, TWO));
    final TreeSet<ServerId> silent = new TreeSet<>();
    private final Map<ServerId, List<ReplicaLoad>> replicas = new TreeMap<>();
    private final Map<ServerId, List<HealthProblem>> problems = new TreeMap<>();
    final List<HealthProblem> coordinator = new ArrayList<>();
    boolean tables = true;

    ScriptedStatus() {
        for (ServerId server : List.of(ONE, TWO)) {
            for (int actor = 0; actor < 2; actor++) {
                replicas(server).add(replica(actor, EPOCH, role(server), ROWS, Serving.YES, 0));
            }
        }
    }

    /** Reported replicas of the server, by actor, for the test to change. */
    List<ReplicaLoad> replicas(ServerId server) {
        return replicas.computeIfAbsent(server, id -> new ArrayList<>());
    }

    /** Reported problems of the server, for the test to change. */
    List<HealthProblem> problems(ServerId server) {
        return problems.computeIfAbsent(server, id -> new ArrayList<>());
    }

    static String role(ServerId server) {
        return server.equals(ONE) ? ReplicaLoad.PRIMARY : "follower";
    }

    static ReplicaLoad replica(int actor, long epoch, String role, long rows, Serving serving, long backupFailing) {
        ReplicaKey key = new ReplicaKey(1, actor);
        return new ReplicaLoad(key, epoch, role, 9, 9, 9, rows, 0, 0, 0, 0, 9, 0, 1, serving, backupFailing);
    }

    /** Sets the server's report of actor 1. */
    void report(ServerId server, long epoch, String role, long rows, Serving serving, long backupFailing) {
        replicas(server).set(1, replica(1, epoch, role, rows, serving, backupFailing));
    }

    /** Makes the server report that the actor serves according to the map. */
    void report(ServerId server, Serving serving) {
        report(server, EPOCH, role(server), ROWS, serving, 0);
    }

    ClusterStatus status() {
        List<ServerRecord> servers = live.stream()
                .map(id -> new ServerRecord(
                        id, 1, new Address(id.value(), 7071), "", new Capacity(1_000, 1, 1), List.of()))
                .toList();
        TableMeta meta = new TableMeta(
                new TableName("words"),
                1,
                new Partitioner.Hash(2),
                "id",
                ConsistencyLevel.EVENTUAL,
                2,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        List<ActorState> actors = List.of(actor(0), actor(1));
        Routing routing = new Routing(
                "c0ffee",
                tables ? List.of(new TableRoute(meta, new TableMap(meta.name(), 1, actors), 1)) : List.of(),
                servers,
                new Address("c", 7070));
        List<Load> loads = live.stream()
                .filter(id -> !silent.contains(id))
                .map(id -> new Load(id, replicas(id), 1, 0, List.of(), 100, problems(id)))
                .toList();
        return new ClusterStatus(routing, 1, loads, List.of(), Rebalance.NONE, coordinator);
    }

    private static ActorState actor(int number) {
        List<ServerId> both = List.of(ONE, TWO);
        return new ActorState(number, EPOCH, ONE, both, List.of(), List.of(), both, Map.of(), 0);
    }
}
