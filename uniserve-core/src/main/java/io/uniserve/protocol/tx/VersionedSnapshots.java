package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The states of one replica by version, each counted by its readers. The newest is always there; older ones go, the oldest
 * first, when there are too many bytes or too many of them, so what is kept is without gaps: the state at a version is the
 * newest kept one at or below it, and none kept means gone. Safe for use by several threads.
 *
 * @param <S> a state
 */
public final class VersionedSnapshots<S> {
    private final LongSupplier bytesMax;
    private final Consumer<S> close;
    private final TreeMap<Long, Held> held = new TreeMap<>();
    private long bytes;
    private boolean closed;

    /**
     * @param bytesMax memory budget of all states but the newest
     * @param close releases a state that nobody needs any more
     */
    public VersionedSnapshots(long bytesMax, Consumer<S> close) {
        this(() -> bytesMax, close);
    }

    /** The same with a budget that is asked for anew with each state. */
    public VersionedSnapshots(LongSupplier bytesMax, Consumer<S> close) {
        this.bytesMax = bytesMax;
        this.close = close;
    }

    /** A state in use. Each is let go of once. */
    public interface Ref<S> {
        S state();

        /** The newest version that it contains. */
        long version();

        void release();
    }

    /** The state after this version, newer than all before. */
    public synchronized void add(long version, S state, long size) {
        Held old = held.put(version, new Held(version, state, size));
        bytes += size;
        if (old != null) {
            drop(old);
        }
        long most = bytesMax.getAsLong();
        while (held.size() > 1
                && (bytes - held.lastEntry().getValue().size > most || held.size() > Limits.SNAPSHOTS_PER_ACTOR_MAX)) {
            drop(held.pollFirstEntry().getValue());
        }
    }

    /** The state that readers of this version see; 0 asks for the newest. Empty where it is gone. */
    public synchronized Optional<Ref<S>> at(long version) {
        Map.Entry<Long, Held> entry = version == 0 ? held.lastEntry() : held.floorEntry(version);
        if (entry == null || closed) {
            return Optional.empty();
        }
        entry.getValue().readers++;
        return Optional.of(entry.getValue());
    }

    /** Lets go of all; those in use go with their readers. */
    public synchronized void close() {
        closed = true;
        while (!held.isEmpty()) {
            drop(held.pollFirstEntry().getValue());
        }
    }

    private void drop(Held gone) {
        bytes -= gone.size;
        gone.dropped = true;
        gone.closeIfUnused();
    }

    private final class Held implements Ref<S> {
        private final long version;
        private final S state;
        private final long size;
        private int readers;
        private boolean dropped;

        private Held(long version, S state, long size) {
            this.version = version;
            this.state = state;
            this.size = size;
        }

        @Override
        public S state() {
            return state;
        }

        @Override
        public long version() {
            return version;
        }

        @Override
        public void release() {
            synchronized (VersionedSnapshots.this) {
                readers--;
                closeIfUnused();
            }
        }

        private void closeIfUnused() {
            if (dropped && readers == 0) {
                close.accept(state);
            }
        }
    }
}
