package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.ReadRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The states that this server holds for sessions, so many and so many bytes at most: beyond that the one that was not read for
 * the longest time is let go of, and its session finds it gone. Sessions that read one state of an actor share its view, and an actor has so
 * many views at most, as each may take memory. Each held state has a version of its own, never used again while this process
 * lives, so that a session never takes another state for its own. Safe for use by several threads.
 */
final class SessionSnapshots implements AutoCloseable {
    private final int most;
    private final int viewsMost;
    private final long bytesMost;
    private final Map<Key, SessionSnapshot> states = new LinkedHashMap<>(16, 0.75f, true);
    /** The view that was taken last of each actor; it may be closed. */
    private final Map<ReplicaKey, SharedEngineSnapshot> newest = new HashMap<>();

    private long versions;
    private long bytes;
    private long tooLarge;

    private record Key(long high, long low, ReplicaKey actor) {}

    /**
     * Holds nothing yet.
     *
     * @param viewsMost of one actor
     * @param bytesMost of memory and disk that views take together, as {@link #bound} finds
     * @param firstVersion differs from that of an earlier process on this server
     */
    SessionSnapshots(int most, int viewsMost, long bytesMost, long firstVersion) {
        this.most = most;
        this.viewsMost = viewsMost;
        this.bytesMost = bytesMost;
        this.versions = firstVersion;
    }

    /** The state with this version, for one use; empty where it is not held. */
    synchronized Optional<SessionSnapshot> find(
            ReadRequest.Hold session, ReplicaKey actor, long version, long untilNanos) {
        SessionSnapshot state = states.get(new Key(session.high(), session.low(), actor));
        if (state == null || state.version() != version) {
            return Optional.empty();
        }
        state.use(untilNanos);
        return Optional.of(state);
    }

    /** The state that the session has of the actor, for one use; where it has none, that of now of the actor pinned here. */
    SessionSnapshot hold(ReadRequest.Hold session, ReplicaKey actor, long untilNanos, Supplier<PinnedActor> pin) {
        Key key = new Key(session.high(), session.low(), actor);
        SessionSnapshot known = used(key, untilNanos);
        if (known != null) {
            return known;
        }
        SessionSnapshot made = new SessionSnapshot(view(actor, pin.get()), nextVersion(), untilNanos);
        List<SessionSnapshot> dropped = put(key, made);
        dropped.forEach(SessionSnapshot::release);
        return made;
    }

    @org.jspecify.annotations.Nullable
    private synchronized SessionSnapshot used(Key key, long untilNanos) {
        SessionSnapshot known = states.get(key);
        if (known != null) {
            known.use(untilNanos);
        }
        return known;
    }

    /** A view of the present state for one use, shared where that state is held already. */
    private SharedEngineSnapshot view(ReplicaKey key, PinnedActor actor) {
        SharedEngineSnapshot last;
        synchronized (this) {
            last = newest.get(key);
        }
        if (last != null && last.join(actor.state())) {
            actor.close();
            return last;
        }
        SharedEngineSnapshot made = SharedEngineSnapshot.take(actor);
        synchronized (this) {
            newest.put(key, made);
        }
        return made;
    }

    private synchronized long nextVersion() {
        versions++;
        versions += versions == 0 ? 1 : 0;
        return versions;
    }

    /** What another request of the session has put there meanwhile goes: its reply tells a version that is gone. */
    private synchronized List<SessionSnapshot> put(Key key, SessionSnapshot made) {
        List<SessionSnapshot> dropped = new ArrayList<>();
        Iterator<SessionSnapshot> eldest = states.values().iterator();
        while (states.size() >= most && eldest.hasNext()) {
            dropped.add(eldest.next());
            eldest.remove();
        }
        SessionSnapshot other = states.put(key, made);
        if (other != null) {
            dropped.add(other);
        }
        dropViews(key.actor(), dropped);
        return dropped;
    }

    /** Makes room where the actor has too many views: the one that was not read for the longest time goes, with all who share it. */
    private void dropViews(ReplicaKey actor, List<SessionSnapshot> dropped) {
        Set<SharedEngineSnapshot> views = new LinkedHashSet<>();
        states.forEach((key, state) -> {
            if (key.actor().equals(actor)) {
                views.remove(state.view());
                views.add(state.view());
            }
        });
        if (views.size() > viewsMost) {
            SharedEngineSnapshot eldest = views.iterator().next();
            states.values().removeIf(state -> state.view() == eldest && dropped.add(state));
        }
    }

    void release(ReadRequest.Hold session, ReplicaKey actor) {
        SessionSnapshot state;
        synchronized (this) {
            state = states.remove(new Key(session.high(), session.low(), actor));
        }
        if (state != null) {
            state.release();
            forget();
        }
    }

    /** Lets go of what nobody asked to hold any longer. */
    void expire(long now) {
        List<SessionSnapshot> ended = new ArrayList<>();
        synchronized (this) {
            states.values().removeIf(state -> state.endedAt(now) && ended.add(state));
        }
        ended.forEach(SessionSnapshot::release);
        forget();
    }

    /** Measures what the views take, and where that is too much lets go of those not read for the longest time. */
    void bound() {
        List<SessionSnapshot> used = new ArrayList<>();
        synchronized (this) {
            for (SessionSnapshot state : states.values()) {
                state.use(state.untilNanos());
                used.add(state);
            }
        }
        Set<SharedEngineSnapshot> views = new LinkedHashSet<>();
        for (SessionSnapshot state : used) { // unread for longest first
            views.remove(state.view());
            views.add(state.view());
        }
        long sum = views.stream().mapToLong(SharedEngineSnapshot::measure).sum();
        Set<SharedEngineSnapshot> eldest = new HashSet<>();
        for (SharedEngineSnapshot view : views) {
            if (sum > bytesMost && view.bytes() > 0) {
                eldest.add(view);
                sum -= view.bytes();
            }
        }
        List<SessionSnapshot> dropped = new ArrayList<>();
        synchronized (this) {
            states.values().removeIf(state -> eldest.contains(state.view()) && dropped.add(state));
            bytes = sum;
            tooLarge += eldest.size();
        }
        dropped.forEach(SessionSnapshot::release);
        used.forEach(SessionSnapshot::release);
        forget();
    }

    /** What the views take by themselves, as measured last. */
    synchronized long bytes() {
        return bytes;
    }

    /** Views let go of for their size so far. */
    synchronized long tooLarge() {
        return tooLarge;
    }

    private synchronized void forget() {
        newest.values().removeIf(SharedEngineSnapshot::closed);
    }

    synchronized int size() {
        return states.size();
    }

    @Override
    public void close() {
        List<SessionSnapshot> all;
        synchronized (this) {
            all = List.copyOf(states.values());
            states.clear();
        }
        all.forEach(SessionSnapshot::release);
    }
}
