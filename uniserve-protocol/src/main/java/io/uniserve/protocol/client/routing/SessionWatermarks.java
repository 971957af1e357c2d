package io.uniserve.protocol.client.routing;

import io.uniserve.model.ActorState;
import io.uniserve.protocol.message.client.QueryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Log index per actor that a replica must have applied before it answers this client (read your writes). Only acknowledgements of level ISR
 * raise it, because entries that only the primary has acknowledged may be truncated. A takeover from durable storage may have lost rows, so
 * it ends the watermarks of older epochs. Thread-safe.
 */
public final class SessionWatermarks {
    private final CopyOnWriteMap<Long, TableWatermarks> byTable = new CopyOnWriteMap<>();

    /** Notes that rows of this client are at this index of the actor's log. */
    public void raise(long tableId, int actors, int actor, long epoch, long index) {
        byTable.get(tableId, () -> new TableWatermarks(actors)).raise(actor, new Watermark(epoch, index));
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
        int actors = request.floors().stream()
                        .mapToInt(QueryRequest.Floor::actor)
                        .max()
                        .orElse(-1)
                + 1;
        for (QueryRequest.Floor floor : request.floors()) {
            floors.raise(request.tableId(), actors, floor.actor(), floor.epoch(), floor.index());
        }
        return floors;
    }

    /** Drops the watermarks of tables that no longer exist. */
    public void retainTables(RouteIndex index) {
        Set<Long> known = new TreeSet<>();
        index.routing().tables().forEach(table -> known.add(table.meta().tableId()));
        byTable.retain(known::contains);
    }

    /** Later epochs continue the log of earlier ones, so the acknowledgement with the later epoch has the higher position. */
    private record Watermark(long epoch, long index) {
        boolean isAbove(Watermark other) {
            return epoch != other.epoch ? epoch > other.epoch : index > other.index;
        }
    }

    /**
     * Watermarks of one table, written under a lock and read without one. A read after an acknowledgement sees its watermark or a higher
     * one.
     */
    private static final class TableWatermarks {
        private final @Nullable Watermark[] floors;

        TableWatermarks(int actors) {
            this.floors = new @Nullable Watermark[actors];
        }

        synchronized void raise(int actor, Watermark raised) {
            Watermark old = floors[actor];
            if (old == null || raised.isAbove(old)) {
                floors[actor] = raised;
            }
        }

        List<QueryRequest.Floor> all() {
            List<QueryRequest.Floor> all = new ArrayList<>();
            for (int actor = 0; actor < floors.length; actor++) {
                Watermark floor = floors[actor];
                if (floor != null) {
                    all.add(new QueryRequest.Floor(actor, floor.epoch, floor.index));
                }
            }
            return all;
        }

        long get(ActorState actor) {
            Watermark floor = actor.actor() < floors.length ? floors[actor.actor()] : null;
            return floor == null || floor.epoch < actor.restoreEpoch() ? 0 : floor.index;
        }
    }
}
