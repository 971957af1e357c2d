package io.uniserve.protocol.coordinator.scaling;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;

/** What the servers of table t do for a coordinator: they start epochs, certify learners, report fenced replicas and hand over. */
final class ServerActions {
    private static final TableName T = new TableName("t");

    private final TestingCluster cluster;

    /** True while the servers do nothing, so that moves do not end. */
    boolean frozen;

    ServerActions(TestingCluster cluster) {
        this.cluster = cluster;
    }

    /** Number of registered servers. */
    int live() {
        return (int) cluster.servers.values().stream()
                .filter(server -> cluster.store.value(RegistryPaths.server(server.id)) != null)
                .count();
    }

    /** Runs for this time, with the actions of servers twice per second. */
    void run(Node node, long nanos) {
        long end = cluster.loop.nanos() + nanos;
        while (cluster.loop.nanos() - end < 0) {
            cluster.loop.run(500 * MILLI);
            if (!frozen && node.machine().isLeader() && table()) {
                cluster.map("t").actors().forEach(actor -> act(node, actor));
            }
        }
    }

    private boolean table() {
        return cluster.store.value(RegistryPaths.map(T)) instanceof TableMap;
    }

    private void act(Node node, ActorState actor) {
        int number = actor.actor();
        if (!actor.epochStarted()) {
            send(node, new PeerRequest.EpochStarted(cluster.key("t", number), actor.epoch(), actor.primary()));
        } else if (!actor.learners().isEmpty()) {
            send(node, cluster.certified("t", number, actor.learners().get(0)));
        } else if (!actor.desiredServers().contains(actor.primary())
                && actor.isr().containsAll(actor.desiredServers())) {
            send(
                    node,
                    new PeerRequest.PrimaryTransferReady(
                            cluster.key("t", number), actor.epoch(), actor.primary(), actor.desiredServers()));
        } else if (!actor.fencing().isEmpty()) {
            List<ServerId> fenced =
                    actor.fencing().stream().map(Fencing::server).toList();
            send(node, new PeerRequest.ReplicasFenced(cluster.key("t", number), actor.epoch(), fenced));
        }
    }

    private void send(Node node, PeerRequest request) {
        node.machine().onPeer(request, outcome -> {});
    }

    /** Moves one replica of each actor to the server. */
    void moveReplicasTo(Node node, ServerId server) {
        for (ActorState actor : cluster.map("t").actors()) {
            if (!actor.hasReplicaOn(server)) {
                cluster.admin(
                        node,
                        new AdminRequest.MoveReplica(
                                T, actor.actor(), actor.isr().get(0), server));
            }
        }
        run(node, 30 * SECOND);
    }
}
