package io.uniserve.protocol.reader;

import io.uniserve.model.ActorState;
import io.uniserve.protocol.message.QueryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The log index each actor must have applied before it answers this client: read your writes. Only acknowledgements at
 * level ISR raise it, as what the primary alone has acknowledged may be cut; a takeover from durable storage, which may
 * have lost rows, ends the floors of older epochs. Safe for use by several threads.
 */
public final class SessionWatermarks {
    private final CopyOnWriteIndex<Long, TableFloors> byTable = new CopyOnWriteIndex<>();

    /** Rows of this client are at this place of the actor's log. */
    public void raise(long tableId, int actors, int actor, long epoch, long index) {
        byTable.get(tableId, () -> new TableFloors(actors)).raise(actor, new Floor(epoch, index));
    }

    /** The actor's floor, 0 for none. */
    public long floor(long tableId, ActorState actor) {
        TableFloors floors = byTable.get(tableId);
        return floors == null ? 0 : floors.get(actor);
    }

    /** What a server that plans a query for this client must know. */
    List<QueryRequest.Floor> told(long tableId) {
        TableFloors floors = byTable.get(tableId);
        return floors == null ? List.of() : floors.all();
    }

    /** The floors that a query's client told. */
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

    /** Forgets tables that are gone. */
    public void keepOnly(RouteIndex index) {
        Set<Long> known = new TreeSet<>();
        index.routing().tables().forEach(table -> known.add(table.meta().tableId()));
        byTable.retain(known::contains);
    }

    /** Later epochs continue the log of earlier ones, so the later of two acknowledgements is the higher place. */
    private record Floor(long epoch, long index) {
        boolean above(Floor other) {
            return epoch != other.epoch ? epoch > other.epoch : index > other.index;
        }
    }

    /**
     * Raised under a lock, read without: a floor is immutable, and who reads after an acknowledgement it was told of sees the
     * floor of that acknowledgement or a higher one.
     */
    private static final class TableFloors {
        private final @Nullable Floor[] floors;

        TableFloors(int actors) {
            this.floors = new @Nullable Floor[actors];
        }

        synchronized void raise(int actor, Floor raised) {
            Floor old = floors[actor];
            if (old == null || raised.above(old)) {
                floors[actor] = raised;
            }
        }

        List<QueryRequest.Floor> all() {
            List<QueryRequest.Floor> all = new ArrayList<>();
            for (int actor = 0; actor < floors.length; actor++) {
                Floor floor = floors[actor];
                if (floor != null) {
                    all.add(new QueryRequest.Floor(actor, floor.epoch, floor.index));
                }
            }
            return all;
        }

        long get(ActorState actor) {
            Floor floor = actor.actor() < floors.length ? floors[actor.actor()] : null;
            return floor == null || floor.epoch < actor.restoreEpoch() ? 0 : floor.index;
        }
    }
}
