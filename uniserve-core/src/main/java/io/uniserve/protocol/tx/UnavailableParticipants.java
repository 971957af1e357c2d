package io.uniserve.protocol.tx;

import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.tx.Transaction.Obstacle;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Actors whose primaries did not prepare recently. Updates of such an actor wait, each time longer, and other updates pass them. A table
 * has one version in flight, and one absent actor must not block it.
 */
final class UnavailableParticipants {
    private static final int DOUBLINGS_MAX = 3;

    private final long pauseNanos;
    private final TreeMap<Integer, Absence> absent = new TreeMap<>();

    /** {@code obstacle}: the reason for which the primary rejected rows; null if it did not answer. */
    private record Absence(long until, int times, @Nullable Obstacle obstacle) {}

    UnavailableParticipants(long pauseNanos) {
        this.pauseNanos = pauseNanos;
    }

    /** Notes that these actors did not vote in time, or rejected rows. */
    void missed(Collection<Integer> actors, Map<Integer, Obstacle> obstacles, long now) {
        for (int actor : actors) {
            Obstacle obstacle = obstacles.get(actor);
            if (obstacle != null) {
                absent.put(actor, new Absence(now + pauseNanos, 0, obstacle));
                continue;
            }
            Absence before = absent.get(actor);
            int times = before == null ? 0 : Math.min(before.times() + 1, DOUBLINGS_MAX);
            absent.put(actor, new Absence(now + (pauseNanos << times), times, null));
        }
    }

    /** Notes that these actors have voted. */
    void seen(Collection<Integer> actors) {
        actors.forEach(absent::remove);
    }

    /** The obstacle that stopped one of the update's actors recently, and probably still does; null if there is none. */
    @Nullable
    Obstacle obstacle(UpdateRequest request, long now) {
        for (ActorRows rows : request.actors()) {
            Absence absence = absent.get(rows.actor());
            if (absence != null && absence.obstacle() != null && now - absence.until() < 0) {
                return absence.obstacle();
            }
        }
        return null;
    }

    /** True if the update should wait, because one of its actors was recently unavailable. */
    boolean concerns(UpdateRequest request, long now) {
        for (ActorRows rows : request.actors()) {
            Absence absence = absent.get(rows.actor());
            if (absence != null && now - absence.until() < 0) {
                return true;
            }
        }
        return false;
    }
}
