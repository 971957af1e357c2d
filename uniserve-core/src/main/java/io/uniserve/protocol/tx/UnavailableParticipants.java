package io.uniserve.protocol.tx;

import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.tx.Transaction.Obstacle;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Actors whose primaries did not prepare lately. Updates that need one of them wait a while, ever longer, and let others pass:
 * a table has one version in flight, and must not stand still for one actor that is away.
 */
final class UnavailableParticipants {
    private static final int DOUBLINGS_MAX = 3;

    private final long pauseNanos;
    private final TreeMap<Integer, Absence> absent = new TreeMap<>();

    /** {@code obstacle}: where the primary answered, and said why it takes no rows. */
    private record Absence(long until, int times, @Nullable Obstacle obstacle) {}

    UnavailableParticipants(long pauseNanos) {
        this.pauseNanos = pauseNanos;
    }

    /** They were waited for in vain. */
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

    /** They are there. */
    void seen(Collection<Integer> actors) {
        actors.forEach(absent::remove);
    }

    /** What stood in an update's way a short while ago, and would again; null where that is not known. */
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

    /** True for an update that is better not tried now. */
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
