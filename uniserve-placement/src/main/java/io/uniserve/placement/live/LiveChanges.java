package io.uniserve.placement.live;

import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Effect of changes on the description of a running cluster. */
final class LiveChanges {
    private LiveChanges() {}

    /** The cluster after a move. Shares are equal again. */
    static LiveCluster apply(LiveCluster cluster, ReplicaMove move) {
        return map(cluster, actor -> {
            if (!actor.key().equals(move.key())) {
                return actor;
            }
            List<ServerId> hosts = new ArrayList<>(actor.hosts());
            hosts.replaceAll(host -> host.equals(move.from()) ? move.to() : host);
            ServerId primary = actor.primary().equals(move.from()) ? move.to() : actor.primary();
            return with(actor, hosts, primary, Map.of(), actor.copies().automatic());
        });
    }

    /** The cluster after a change of copies or shares. */
    static LiveCluster apply(LiveCluster cluster, Change change) {
        return map(cluster, actor -> actor.key().equals(change.key()) ? apply(actor, change) : actor);
    }

    private static Actor apply(Actor actor, Change change) {
        List<ServerId> hosts = new ArrayList<>(actor.hosts());
        if (change instanceof AddCopies add) {
            hosts.addAll(add.targets());
            return with(actor, hosts, actor.primary(), Map.of(), add.copies());
        }
        if (change instanceof DropCopy drop) {
            hosts.remove(drop.source());
            return with(actor, hosts, actor.primary(), Map.of(), drop.copies());
        }
        Map<ServerId, Double> weights = ((SetWeights) change).weights();
        return with(actor, hosts, actor.primary(), weights, actor.copies().automatic());
    }

    private static Actor with(
            Actor actor, List<ServerId> hosts, ServerId primary, Map<ServerId, Double> weights, int automatic) {
        CopyState old = actor.copies();
        double idle = actor.load() - old.queryLoad() / Math.max(1, actor.hosts().size());
        CopyState copies = new CopyState(
                old.queryLoad(),
                old.newestLoad(),
                weights,
                old.least(),
                automatic,
                old.bytes(),
                old.updatesPerSecond(),
                old.permitted(),
                old.growable(),
                old.shrinkable());
        return new Actor(
                actor.key(),
                actor.port(),
                hosts,
                primary,
                idle + old.queryLoad() / Math.max(1, hosts.size()),
                actor.primaryLoad(),
                actor.memory(),
                actor.movable(),
                copies);
    }

    private static LiveCluster map(LiveCluster cluster, UnaryOperator<Actor> change) {
        return new LiveCluster(
                cluster.servers(), cluster.actors().stream().map(change).toList(), cluster.coAccessedActors());
    }
}
