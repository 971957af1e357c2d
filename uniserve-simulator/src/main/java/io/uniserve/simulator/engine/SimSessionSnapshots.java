package io.uniserve.simulator.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** States that one start of a server keeps for sessions. The limit is low, so that sessions sometimes lose states to others. */
final class SimSessionSnapshots {
    private static final int STATES_MAX = 64;

    private final LongSupplier numbers;
    private final Map<Key, Held> states = new LinkedHashMap<>();

    private record Key(long high, long low, ReplicaKey actor) {}

    /** A kept state and its number. */
    record Held(ActorView view, long version, long untilNanos) {}

    SimSessionSnapshots(LongSupplier numbers) {
        this.numbers = numbers;
    }

    /** The session's state of the actor; it is taken now if there is none. */
    Held hold(ReadRequest.SessionHold session, ReplicaKey key, ActorView actor, long now) {
        states.values().removeIf(held -> now - held.untilNanos >= 0);
        Key place = new Key(session.high(), session.low(), key);
        Held known = states.get(place);
        if (known != null) {
            return known;
        }
        Iterator<Held> eldest = states.values().iterator();
        if (states.size() >= STATES_MAX && eldest.hasNext()) {
            eldest.next();
            eldest.remove();
        }
        ActorView view = ((SnapshotActor<?>) actor).snapshot();
        Held made = new Held(view, numbers.getAsLong(), now + session.remainingNanos());
        states.put(place, made);
        return made;
    }

    /** The state with this number; null if it is not kept. */
    @Nullable
    ActorView find(ReadRequest.SessionHold session, ReplicaKey key, long version, long now) {
        Held held = states.get(new Key(session.high(), session.low(), key));
        return held == null || held.version != version || now - held.untilNanos >= 0 ? null : held.view;
    }

    void release(ReadRequest.SessionHold session, ReplicaKey key) {
        states.remove(new Key(session.high(), session.low(), key));
    }
}
