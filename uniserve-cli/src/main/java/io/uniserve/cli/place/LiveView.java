package io.uniserve.cli.place;

import io.uniserve.cli.ServerNames;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.live.LiveNames;
import io.uniserve.protocol.coordinator.rebalance.StatusInputBuilder;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.util.Map;
import java.util.TreeMap;

/**
 * Running cluster at one moment, as input of a policy.
 *
 * @param tables names of tables by id
 */
record LiveView(ClusterStatus status, LiveCluster cluster, Map<Long, TableName> tables) {
    LiveView {
        tables = Map.copyOf(tables);
    }

    /** Converts a status. Fails with UNAVAILABLE unless every live server has reported its load. */
    static LiveView of(ClusterStatus status) {
        int live = status.routing().servers().size();
        long silent = status.routing().servers().stream()
                .filter(server ->
                        status.loads().stream().noneMatch(load -> load.server().equals(server.id())))
                .count();
        if (silent > 0) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    silent + " of " + live
                            + " servers have not reported their load: see 'uniserve status', then retry");
        }
        Map<Long, TableName> tables = new TreeMap<>();
        for (TableRoute table : status.routing().tables()) {
            tables.put(table.meta().tableId(), table.meta().name());
        }
        return new LiveView(status, StatusInputBuilder.of(status), tables);
    }

    /** Fails with INVALID_ARGUMENT if nothing can move: fewer than two servers, or no tables. */
    void requireChoice() {
        if (cluster.servers().size() < 2) {
            throw UniserveException.invalid(
                    "the cluster has " + cluster.servers().size()
                            + " servers that may have replicas: a plan needs two, so start one or end a drain");
        }
        if (cluster.actors().isEmpty()) {
            throw UniserveException.invalid("the cluster has no tables: a plan needs one");
        }
    }

    /** Name of the table of an actor. */
    TableName table(ReplicaKey key) {
        TableName name = tables.get(key.tableId());
        if (name == null) {
            throw new IllegalStateException("the status has no table " + key.tableId());
        }
        return name;
    }

    /** Name of an actor, such as words/3. */
    String actor(ReplicaKey key) {
        return table(key) + "/" + key.actor();
    }

    /** Names for texts. */
    LiveNames names() {
        return new LiveNames(this::actor, ServerNames::shortName);
    }

    /** Bytes of one replica, 0 if unknown. */
    long bytes(ReplicaKey key) {
        return cluster.actors().stream()
                .filter(actor -> actor.key().equals(key))
                .mapToLong(actor -> actor.copies().bytes())
                .findFirst()
                .orElse(0);
    }
}
