package io.uniserve.runtime.transport.client;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Merge of a new routing map with the last one. A source that lags must not replace the map of a table by an older one, by the
 * version of its znode. The sets of tables and servers are those of the new map.
 */
final class RoutingMerge {
    private RoutingMerge() {}

    static Routing merge(Routing last, Routing next) {
        Map<TableName, TableRoute> known = new HashMap<>();
        last.tables().forEach(table -> known.put(table.meta().name(), table));
        List<TableRoute> tables = new ArrayList<>(next.tables().size());
        for (TableRoute table : next.tables()) {
            TableRoute old = known.get(table.meta().name());
            tables.add(old != null && isNewer(old, table) ? old : table);
        }
        return new Routing(next.clusterId(), tables, next.servers(), next.coordinator());
    }

    private static boolean isNewer(TableRoute old, TableRoute next) {
        long oldId = old.meta().tableId();
        long nextId = next.meta().tableId();
        return oldId != nextId ? oldId > nextId : old.mapVersion() > next.mapVersion();
    }
}
