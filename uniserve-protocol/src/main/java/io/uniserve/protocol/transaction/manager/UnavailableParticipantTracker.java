package io.uniserve.protocol.transaction.manager;

import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.transaction.manager.Transaction.ParticipantError;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Actors whose primaries did not prepare recently. Updates of such an actor wait, each time longer, and other updates pass them. A table
 * has one version in flight, so an absent actor must not block the other updates.
 */
final class UnavailableParticipantTracker {
    private static final int DOUBLINGS_MAX = 3;

    private final ChunkAvailability chunks;
    private final long pauseNanos;
    private final TreeMap<Integer, Unavailability> absent = new TreeMap<>();

    /** Failure of a participant. {@code error} is the reason why the primary rejected rows; null if it did not answer. */
    private record Unavailability(
            long until, int times, @Nullable ParticipantError error) {}

    UnavailableParticipantTracker(ChunkAvailability chunks, long pauseNanos) {
        this.chunks = chunks;
        this.pauseNanos = pauseNanos;
    }

    /** Notes that these actors did not vote in time, or rejected rows. */
    void markUnavailable(Collection<Integer> actors, Map<Integer, ParticipantError> obstacles, long now) {
        for (int actor : actors) {
            ParticipantError obstacle = obstacles.get(actor);
            if (obstacle != null) {
                absent.put(actor, new Unavailability(now + pauseNanos, 0, obstacle));
                continue;
            }
            Unavailability before = absent.get(actor);
            int times = before == null ? 0 : Math.min(before.times() + 1, DOUBLINGS_MAX);
            absent.put(actor, new Unavailability(now + (pauseNanos << times), times, null));
        }
    }

    /** Notes that these actors have voted. */
    void markAvailable(Collection<Integer> actors) {
        actors.forEach(absent::remove);
    }

    /**
     * The obstacle that stopped one of the update's actors recently, and probably still does, or an expired chunk; null if there is none.
     */
    @Nullable
    ParticipantError errorFor(UpdateRequest request, long now) {
        ParticipantError expired = chunks.errorFor(request);
        if (expired != null) {
            return expired;
        }
        for (ActorRows rows : request.actors()) {
            Unavailability absence = absent.get(rows.actor());
            if (absence != null && absence.error() != null && now - absence.until() < 0) {
                return absence.error();
            }
        }
        return null;
    }

    /** True if the update should wait, because one of its actors was recently unavailable or is not in the map. */
    boolean mustWait(UpdateRequest request, long now) {
        if (chunks.lacksActor(request)) {
            return true;
        }
        for (ActorRows rows : request.actors()) {
            Unavailability absence = absent.get(rows.actor());
            if (absence != null && now - absence.until() < 0) {
                return true;
            }
        }
        return false;
    }
}
