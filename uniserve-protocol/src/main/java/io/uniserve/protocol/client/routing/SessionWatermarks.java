package io.uniserve.protocol.client.routing;

import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.message.client.QueryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Log index per actor that a replica must have applied before it answers this client (read your writes). Only acknowledgements of level ISR
 * raise it, because entries that only the primary has acknowledged may be truncated. A takeover from durable storage may have lost rows, so
 * it ends the watermarks of older epochs. Thread-safe.
 */
public final class SessionWatermarks {
    private final CopyOnWriteMap<Long, TableWatermarks> byTable = new CopyOnWriteMap<>();

    /** Notes that rows of this client are at this index of the actor's log. */
    public void raise(long tableId, int actor, long epoch, long index) {
        byTable.get(tableId, TableWatermarks::new).raise(actor, new Watermark(epoch, index));
    }

    /** The actor's watermark; 0 for none. */
    public long watermark(long tableId, ActorState actor) {
        TableWatermarks floors = byTable.get(tableId);
        return floors == null ? 0 : floors.get(actor);
    }

    /** The table's watermarks, for a server that plans a query for this client. */
    public List<QueryRequest.Floor> toRequest(long tableId) {
        TableWatermarks floors = byTable.get(tableId);
        return floors == null ? List.of() : floors.all();
    }

    /** The watermarks of the client that sent a query. */
    public static SessionWatermarks of(QueryRequest request) {
        SessionWatermarks floors = new SessionWatermarks();
        for (QueryRequest.Floor floor : request.floors()) {
            floors.raise(request.tableId(), floor.actor(), floor.epoch(), floor.index());
        }
        return floors;
    }

    /** Drops the watermarks of tables and chunks that no longer exist. */
    public void retainTables(RouteIndex index) {
        Set<Long> known = new TreeSet<>();
        index.routing().tables().forEach(table -> known.add(table.meta().tableId()));
        byTable.retain(known::contains);
        for (TableRoute table : index.routing().tables()) {
            TableWatermarks floors = byTable.get(table.meta().tableId());
            if (floors != null && table.meta().partitioner() instanceof Partitioner.Time) {
                floors.retain(table.map());
            }
        }
    }

    /** Later epochs continue the log of earlier ones, so the acknowledgement with the later epoch has the higher position. */
    private record Watermark(long epoch, long index) {
        boolean isAbove(Watermark other) {
            return epoch != other.epoch ? epoch > other.epoch : index > other.index;
        }
    }

    /** Watermarks of one table. A read after an acknowledgement sees its watermark or a higher one. Thread-safe by its lock. */
    private static final class TableWatermarks {
        private final TreeMap<Integer, Watermark> floors = new TreeMap<>();

        synchronized void raise(int actor, Watermark raised) {
            floors.merge(actor, raised, (old, next) -> next.isAbove(old) ? next : old);
        }

        /** Drops the watermarks of expired chunks. A chunk that this map does not have yet is newer than the map, and stays. */
        synchronized void retain(TableMap map) {
            int last = map.actors().isEmpty()
                    ? -1
                    : map.actors().get(map.actors().size() - 1).actor();
            floors.headMap(last + 1).keySet().removeIf(actor -> !map.has(actor));
        }

        synchronized List<QueryRequest.Floor> all() {
            List<QueryRequest.Floor> all = new ArrayList<>();
            floors.forEach((actor, floor) -> all.add(new QueryRequest.Floor(actor, floor.epoch, floor.index)));
            return all;
        }

        synchronized long get(ActorState actor) {
            Watermark floor = floors.get(actor.actor());
            return floor == null || floor.epoch < actor.restoreEpoch() ? 0 : floor.index;
        }
    }
}
