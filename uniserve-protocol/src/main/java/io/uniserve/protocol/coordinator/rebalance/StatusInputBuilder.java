package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * Conversion of a coordinator's status to the input of a rebalancing policy, for tools outside the coordinator. Loads are those of the
 * newest reports, in milliseconds of CPU per second. Unlike the coordinator's input it has no rates of updates, and no actor rests after
 * an earlier change. Servers that did not report count as idle, so a caller must refuse such a status.
 */
public final class StatusInputBuilder {
    private StatusInputBuilder() {}

    /** Returns the cluster with the servers that are live and not drained. */
    public static LiveCluster of(ClusterStatus status) {
        LoadAverages averages = new LoadAverages();
        averages.update(status.loads(), key -> false);
        List<ServerRecord> usable = status.routing().servers().stream()
                .filter(server -> !status.drained().contains(server.id()))
                .toList();
        List<Actor> actors = new ArrayList<>();
        for (TableRoute table : status.routing().tables()) {
            for (ActorState actor : table.map().actors()) {
                boolean settled = isSettled(table.meta(), actor);
                actors.add(RebalanceInputBuilder.actor(
                        table.meta(), actor, averages, settled, copies(table.meta(), actor, averages, settled)));
            }
        }
        return new LiveCluster(
                RebalanceInputBuilder.servers(usable), actors, RebalanceInputBuilder.together(status.loads()));
    }

    /** True if a request to move a replica of the actor would be accepted. */
    private static boolean isSettled(TableMeta table, ActorState actor) {
        return actor.isOnDesiredServers()
                && actor.epochStarted()
                && actor.fencing().isEmpty()
                && actor.isr().size() >= table.rf();
    }

    private static CopyState copies(TableMeta table, ActorState actor, LoadAverages averages, boolean settled) {
        ReplicaKey key = new ReplicaKey(table.tableId(), actor.actor());
        return new CopyState(
                averages.cost(key),
                averages.newest(key),
                ReplicationController.normalized(actor),
                ReplicationController.least(table, actor),
                actor.automaticCopies(),
                averages.bytes(key),
                0,
                ReservedTableOptions.hasAutomaticCopies(table),
                settled,
                settled);
    }
}
