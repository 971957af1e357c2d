package io.uniserve.server.read.session;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Cache of the states that this server holds for sessions, limited in number and bytes. Beyond a limit a state is dropped as {@link
 * FairEviction} chooses it, and its session gets VERSION_GONE. Sessions that read the same state of an actor share its view. The number
 * of views per actor is limited too, as each may use memory. Each held state has a version that is unique in this process, so that a
 * session never reads another state by mistake. A session belongs to a user: another user has no access to it by its number.
 * Thread-safe.
 */
public final class SessionSnapshots implements AutoCloseable {
    private final int statesMax;
    private final int viewsMax;
    private final long bytesMost;
    private final Map<Key, SessionSnapshot> states = new LinkedHashMap<>(16, 0.75f, true);
    /** Newest view of each actor; it may be closed. */
    private final Map<ReplicaKey, SharedEngineSnapshot> newest = new HashMap<>();

    private long lastVersion;
    private long bytes;
    private long tooLarge;

    /** State of an actor in a session of a user; the user is empty in mode open. */
    private record Key(String user, long high, long low, ReplicaKey actor) {
        private Key(String user, ReadRequest.SessionHold session, ReplicaKey actor) {
            this(user, session.high(), session.low(), actor);
        }
    }

    /**
     * Creates an empty cache.
     *
     * @param viewsMost largest number of views per actor
     * @param bytesMost largest size of all views in memory and on disk, enforced by {@link #enforceSizeLimit}
     * @param firstVersion first version; it must differ from those of an earlier process on this server
     */
    public SessionSnapshots(int most, int viewsMost, long bytesMost, long firstVersion) {
        this.statesMax = most;
        this.viewsMax = viewsMost;
        this.bytesMost = bytesMost;
        this.lastVersion = firstVersion;
    }

    /** Returns the state with this version, with one use more; empty if it is not held. */
    public synchronized Optional<SessionSnapshot> find(
            String user, ReadRequest.SessionHold session, ReplicaKey actor, long version, long untilNanos) {
        SessionSnapshot state = states.get(new Key(user, session, actor));
        if (state == null || state.version() != version) {
            return Optional.empty();
        }
        state.use(untilNanos);
        return Optional.of(state);
    }

    /**
     * Returns the session's state of the actor, with one use more. If it has none, takes the current state of the actor pinned here.
     */
    public SessionSnapshot hold(
            String user,
            ReadRequest.SessionHold session,
            ReplicaKey actor,
            long untilNanos,
            Supplier<PinnedActor> pin) {
        Key key = new Key(user, session, actor);
        SessionSnapshot known = acquire(key, untilNanos);
        if (known != null) {
            return known;
        }
        SessionSnapshot made = new SessionSnapshot(view(actor, pin.get()), nextVersion(), untilNanos);
        List<SessionSnapshot> dropped = put(key, made);
        dropped.forEach(SessionSnapshot::release);
        return made;
    }

    @org.jspecify.annotations.Nullable
    private synchronized SessionSnapshot acquire(Key key, long untilNanos) {
        SessionSnapshot known = states.get(key);
        if (known != null) {
            known.use(untilNanos);
        }
        return known;
    }

    /** Returns a view of the present state, with one use more; shared if that state is held already. */
    private SharedEngineSnapshot view(ReplicaKey key, PinnedActor actor) {
        SharedEngineSnapshot last;
        synchronized (this) {
            last = newest.get(key);
        }
        if (last != null && last.acquire(actor.stateNumber())) {
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
        lastVersion++;
        lastVersion += lastVersion == 0 ? 1 : 0;
        return lastVersion;
    }

    /**
     * Stores the state. A state that another request of the session stored meanwhile is dropped: a later read of it gets
     * VERSION_GONE.
     */
    private synchronized List<SessionSnapshot> put(Key key, SessionSnapshot made) {
        List<SessionSnapshot> dropped = new ArrayList<>();
        SessionSnapshot other = states.put(key, made);
        if (other != null) {
            dropped.add(other);
        }
        if (states.size() > statesMax) {
            FairEviction<Key> eviction = new FairEviction<>();
            states.keySet().forEach(held -> eviction.add(held, held.user()));
            Set<Key> chosen = new HashSet<>(eviction.choose(statesMax, held -> 1));
            states.entrySet().removeIf(held -> chosen.contains(held.getKey()) && dropped.add(held.getValue()));
        }
        dropViews(key.actor(), dropped);
        return dropped;
    }

    /** If the actor has too many views, drops some, each for all sessions that share it. */
    private void dropViews(ReplicaKey actor, List<SessionSnapshot> dropped) {
        FairEviction<SharedEngineSnapshot> eviction = new FairEviction<>();
        states.forEach((key, state) -> {
            if (key.actor().equals(actor)) {
                eviction.add(state.view(), key.user());
            }
        });
        List<SharedEngineSnapshot> chosen = eviction.choose(viewsMax, view -> 1);
        states.values().removeIf(state -> chosen.contains(state.view()) && dropped.add(state));
    }

    public void release(String user, ReadRequest.SessionHold session, ReplicaKey actor) {
        SessionSnapshot state;
        synchronized (this) {
            state = states.remove(new Key(user, session, actor));
        }
        if (state != null) {
            state.release();
            removeClosedViews();
        }
    }

    /** Drops states whose hold has expired. */
    public void expire(long now) {
        List<SessionSnapshot> ended = new ArrayList<>();
        synchronized (this) {
            states.values().removeIf(state -> state.isExpiredAt(now) && ended.add(state));
        }
        ended.forEach(SessionSnapshot::release);
        removeClosedViews();
    }

    /** Measures the size of the views. If it is above the limit, drops some. */
    public void enforceSizeLimit() {
        List<SessionSnapshot> used = new ArrayList<>();
        FairEviction<SharedEngineSnapshot> eviction = new FairEviction<>();
        synchronized (this) {
            states.forEach((key, state) -> {
                state.use(state.untilNanos());
                used.add(state);
                eviction.add(state.view(), key.user());
            });
        }
        long sum = eviction.items().stream()
                .mapToLong(SharedEngineSnapshot::measure)
                .sum();
        Set<SharedEngineSnapshot> chosen = new HashSet<>(eviction.choose(bytesMost, SharedEngineSnapshot::bytes));
        long freed = chosen.stream().mapToLong(SharedEngineSnapshot::bytes).sum();
        List<SessionSnapshot> dropped = new ArrayList<>();
        synchronized (this) {
            states.values().removeIf(state -> chosen.contains(state.view()) && dropped.add(state));
            bytes = sum - freed;
            tooLarge += chosen.size();
        }
        dropped.forEach(SessionSnapshot::release);
        used.forEach(SessionSnapshot::release);
        removeClosedViews();
    }

    /** Bytes that only the views use, as of the last measurement. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Number of views dropped because of their size. */
    public synchronized long tooLarge() {
        return tooLarge;
    }

    private synchronized void removeClosedViews() {
        newest.values().removeIf(SharedEngineSnapshot::isClosed);
    }

    public synchronized int size() {
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
