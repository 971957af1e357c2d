package io.uniserve.simulator.plant.chunk;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.RoutingView;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.simulator.plant.Plant;
import java.util.List;
import java.util.Optional;

/** {@link Plant#SNAPSHOT_BY_PLACE}: snapshots give epochs to the actors of the client's own map, by place. */
public final class SnapshotByPlaceBug implements ConsistentSnapshotClient {
    private final ConsistentSnapshotClient network;
    private final RoutingView routing;

    public SnapshotByPlaceBug(ConsistentSnapshotClient network, RoutingView routing) {
        this.network = network;
        this.routing = routing;
    }

    @Override
    public void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        network.requestConsistentCut(
                to,
                tables,
                timeoutNanos,
                outcome -> completion.done(outcome.map(snapshot -> new ConsistentSnapshot(
                        snapshot.tables().stream().map(this::byPlace).toList()))));
    }

    private ConsistentSnapshot.Table byPlace(ConsistentSnapshot.Table table) {
        Optional<TableRoute> route = routing.current().table(table.name());
        if (route.isEmpty() || route.get().meta().tableId() != table.tableId()) {
            return table;
        }
        List<Integer> numbers = route.get().map().numbers();
        int count = Math.min(numbers.size(), table.epochs().size());
        return new ConsistentSnapshot.Table(
                table.name(),
                table.tableId(),
                table.version(),
                numbers.subList(0, count),
                table.epochs().subList(0, count),
                route.get().map().generation());
    }
}
