package io.uniserve.protocol.reader;

import io.uniserve.model.ActorState;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The log index each actor must have applied before it answers this client: read your writes. Only acknowledgements at
 * level ISR raise it, as what the primary alone has acknowledged may be cut; a takeover from durable storage, which may
 * have lost rows, ends the floors of older epochs. Safe for use by several threads.
 */
public final class SessionFloors {
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

        long get(ActorState actor) {
            Floor floor = actor.actor() < floors.length ? floors[actor.actor()] : null;
            return floor == null || floor.epoch < actor.restoreEpoch() ? 0 : floor.index;
        }
    }
}
