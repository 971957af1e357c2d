package io.uniserve.simulator.cluster;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Probe of versions in doubt in a cluster: versions in flight in the registry, and versions in doubt at the gates of in-sync replicas. Any
 * server with a replica of the table can resolve a version in flight. A version in doubt at a replica ends with an entry of its primary.
 */
final class InDoubtProbe {
    private final SimulationContext world;
    private final Function<ServerId, ServerNode> servers;

    InDoubtProbe(SimulationContext world, Function<ServerId, ServerNode> servers) {
        this.world = world;
        this.servers = servers;
    }

    /** Descriptions of the versions in doubt; true if nothing prevents the resolution. */
    Map<String, Boolean> versionsInDoubt(List<TableRoute> tables) {
        Map<String, Boolean> doubts = new TreeMap<>();
        for (TableRoute route : tables) {
            if (TransactionService.isAtomic(route.meta().level())) {
                flight(route, doubts);
                route.map().actors().forEach(actor -> replicas(route.meta().tableId(), actor, doubts));
            }
        }
        return doubts;
    }

    private void flight(TableRoute route, Map<String, Boolean> doubts) {
        long tableId = route.meta().tableId();
        Object value = world.ensemble
                .read(RegistryPaths.log(route.meta().name(), tableId), world.ensemble.zxid())
                .value();
        if (value instanceof TransactionLogState log && log.inFlight() != null) {
            TreeSet<ServerId> members = new TreeSet<>();
            route.map().actors().forEach(actor -> members.addAll(actor.isr()));
            boolean free = world.ensemble.up()
                    && members.stream().anyMatch(member -> servers.apply(member).reachesRegistry());
            doubts.put("version " + log.inFlight().version() + " of table " + tableId + " is in flight", free);
        }
    }

    private void replicas(long tableId, ActorState actor, Map<String, Boolean> doubts) {
        ReplicaKey key = new ReplicaKey(tableId, actor.actor());
        ServerNode primary = servers.apply(actor.primary());
        for (ServerId member : actor.isr()) {
            ServerNode server = servers.apply(member);
            ReadGate gate = server.gate(key);
            if (gate != null && gate.inDoubtVersion() != 0 && gate.serving() && gate.epoch() == actor.epoch()) {
                boolean free = world.ensemble.up()
                        && server.isSettled(key)
                        && primary.isSettled(key)
                        && world.network.isOpen(primary.process(), server.process());
                doubts.put(
                        key + " on " + member + " in epoch " + actor.epoch() + " is in doubt about version "
                                + gate.inDoubtVersion(),
                        free);
            }
        }
    }
}
