package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.ReadRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The states that this server holds for sessions, so many at most: beyond that the one that was not read for the longest time
 * is let go of, and its session finds it gone. Each has a version of its own, never used again while this process lives, so
 * that a session never takes another state for its own. Safe for use by several threads.
 */
final class HeldStates implements AutoCloseable {
    private final int most;
    private final Map<Key, HeldState> states = new LinkedHashMap<>(16, 0.75f, true);
    private long versions;

    private record Key(long high, long low, ReplicaKey actor) {}

    /** {@code firstVersion} differs from that of an earlier process on this server. */
    HeldStates(int most, long firstVersion) {
        this.most = most;
        this.versions = firstVersion;
    }

    /** The state with this version, for one use; empty where it is not held. */
    synchronized Optional<HeldState> find(ReadRequest.Hold session, ReplicaKey actor, long version, long untilNanos) {
        HeldState state = states.get(new Key(session.high(), session.low(), actor));
        if (state == null || state.version() != version) {
            return Optional.empty();
        }
        state.use(untilNanos);
        return Optional.of(state);
    }

    /** The state that the session has of the actor, for one use; {@code take} makes it, given a version, where it has none. */
    HeldState hold(ReadRequest.Hold session, ReplicaKey actor, long untilNanos, LongFunction<HeldState> take) {
        Key key = new Key(session.high(), session.low(), actor);
        HeldState known = used(key, untilNanos);
        if (known != null) {
            return known;
        }
        HeldState made = take.apply(nextVersion());
        List<HeldState> dropped = put(key, made);
        dropped.forEach(HeldState::release);
        return made;
    }

    @org.jspecify.annotations.Nullable
    private synchronized HeldState used(Key key, long untilNanos) {
        HeldState known = states.get(key);
        if (known != null) {
            known.use(untilNanos);
        }
        return known;
    }

    private synchronized long nextVersion() {
        versions++;
        versions += versions == 0 ? 1 : 0;
        return versions;
    }

    /** What another request of the session has put there meanwhile goes: its reply tells a version that is gone. */
    private synchronized List<HeldState> put(Key key, HeldState made) {
        List<HeldState> dropped = new ArrayList<>();
        Iterator<HeldState> eldest = states.values().iterator();
        while (states.size() >= most && eldest.hasNext()) {
            dropped.add(eldest.next());
            eldest.remove();
        }
        HeldState other = states.put(key, made);
        if (other != null) {
            dropped.add(other);
        }
        return dropped;
    }

    void release(ReadRequest.Hold session, ReplicaKey actor) {
        HeldState state;
        synchronized (this) {
            state = states.remove(new Key(session.high(), session.low(), actor));
        }
        if (state != null) {
            state.release();
        }
    }

    /** Lets go of what nobody asked to hold any longer. */
    void expire(long now) {
        List<HeldState> ended = new ArrayList<>();
        synchronized (this) {
            states.values().removeIf(state -> state.endedAt(now) && ended.add(state));
        }
        ended.forEach(HeldState::release);
    }

    synchronized int size() {
        return states.size();
    }

    @Override
    public void close() {
        List<HeldState> all;
        synchronized (this) {
            all = List.copyOf(states.values());
            states.clear();
        }
        all.forEach(HeldState::release);
    }
}
