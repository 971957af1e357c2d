package io.uniserve.protocol.reader;

import io.uniserve.model.ActorState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The log index each actor must have applied before it answers this client: read your writes. Only acknowledgements at
 * level ISR raise it, as what the primary alone has acknowledged may be cut; a takeover from durable storage, which may
 * have lost rows, ends the floors of older epochs. Safe for use by several threads.
 */
public final class SessionFloors {
    private final Map<Long, AtomicReferenceArray<@Nullable Floor>> byTable = new ConcurrentHashMap<>();

    /** Rows of this client are at this place of the actor's log. */
    public void raise(long tableId, int actors, int actor, long epoch, long index) {
        byTable.computeIfAbsent(tableId, id -> new AtomicReferenceArray<>(actors))
                .accumulateAndGet(actor, new Floor(epoch, index), (old, raised) -> {
                    if (old == null || raised == null) {
                        return raised;
                    }
                    return raised.above(old) ? raised : old;
                });
    }

    /** The actor's floor, 0 for none. */
    public long floor(long tableId, ActorState actor) {
        AtomicReferenceArray<@Nullable Floor> floors = byTable.get(tableId);
        if (floors == null || actor.actor() >= floors.length()) {
            return 0;
        }
        Floor floor = floors.get(actor.actor());
        return floor == null || floor.epoch < actor.restoreEpoch() ? 0 : floor.index;
    }

    /** Forgets tables that are gone. */
    public void keepOnly(RouteIndex index) {
        byTable.keySet()
                .retainAll(index.routing().tables().stream()
                        .map(table -> table.meta().tableId())
                        .toList());
    }

    /** Later epochs continue the log of earlier ones, so the later of two acknowledgements is the higher place. */
    private record Floor(long epoch, long index) {
        boolean above(Floor other) {
            return epoch != other.epoch ? epoch > other.epoch : index > other.index;
        }
    }
}
