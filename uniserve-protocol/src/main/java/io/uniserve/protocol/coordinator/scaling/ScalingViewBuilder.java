package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.placement.ScalingView;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Conversion of the cluster's state to the input of a scaling policy. */
final class ScalingViewBuilder {
    private static final double MILLIS = 1_000;

    private ScalingViewBuilder() {}

    static ScalingView of(LeaderContext leader, LoadWindow window, ScalingBlockers blockers) {
        List<ScalingView.Server> servers = new ArrayList<>();
        for (ServerRecord record : leader.usableServers()) {
            Optional<Load> load = window.newest(record.id());
            List<ReplicaLoad> replicas = load.map(Load::replicas).orElse(List.of());
            servers.add(new ScalingView.Server(
                    record.id(),
                    window.cores(record.id()),
                    Math.max(1, record.capacity().cpuMillis()) / MILLIS,
                    replicas.stream()
                            .mapToLong(one -> Math.max(0, one.memoryBytes()))
                            .sum(),
                    record.capacity().memoryBytes(),
                    replicas.stream()
                            .mapToLong(one -> Math.max(0, one.diskBytes()))
                            .sum(),
                    record.capacity().diskBytes(),
                    replicas.stream().mapToDouble(ReplicaLoad::queriesPerSecond).sum(),
                    primaries(leader, record.id()),
                    replicas(leader, record.id()),
                    blockers.ofServer(record.id()).orElse("")));
        }
        servers.sort(Comparator.comparing(ScalingView.Server::id));
        return new ScalingView(servers);
    }

    private static int primaries(LeaderContext leader, ServerId id) {
        int count = 0;
        for (Table table : leader.catalog().tables()) {
            for (ActorState actor : table.map().actors()) {
                count += actor.primary().equals(id) ? 1 : 0;
            }
        }
        return count;
    }

    private static int replicas(LeaderContext leader, ServerId id) {
        int count = 0;
        for (Table table : leader.catalog().tables()) {
            for (ActorState actor : table.map().actors()) {
                count += actor.hasReplicaOn(id) ? 1 : 0;
            }
        }
        return count;
    }
}
