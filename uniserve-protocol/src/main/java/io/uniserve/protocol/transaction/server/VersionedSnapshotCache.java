package io.uniserve.protocol.transaction.server;

import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The states of one replica by version, with reference counts. The newest state always stays. Beyond the limits of bytes and number, the
 * oldest states are dropped first, so the kept ones have no gaps. The state at a version is the newest kept one at or below it; if there is
 * none, the state is gone. Thread-safe.
 *
 * @param <S> type of a state
 */
public final class VersionedSnapshotCache<S> {
    private final LongSupplier bytesMax;
    private final Consumer<S> close;
    private final TreeMap<Long, HeldSnapshot> snapshots = new TreeMap<>();
    private long bytes;
    private boolean closed;

    /**
     * @param bytesMax memory budget in bytes of all states but the newest
     * @param close releases a state without readers
     */
    public VersionedSnapshotCache(long bytesMax, Consumer<S> close) {
        this(() -> bytesMax, close);
    }

    /** The same with a budget that is read again with each new state. */
    public VersionedSnapshotCache(LongSupplier bytesMax, Consumer<S> close) {
        this.bytesMax = bytesMax;
        this.close = close;
    }

    /** A state in use. Release it exactly once. */
    public interface Ref<S> {
        S state();

        /** The newest version that it contains. */
        long version();

        void release();
    }

    /** Adds the state after this version, which is newer than all before. */
    public synchronized void add(long version, S state, long size) {
        HeldSnapshot old = snapshots.put(version, new HeldSnapshot(version, state, size));
        bytes += size;
        if (old != null) {
            drop(old);
        }
        long most = bytesMax.getAsLong();
        while (snapshots.size() > 1
                && (bytes - snapshots.lastEntry().getValue().size > most
                        || snapshots.size() > Limits.SNAPSHOTS_PER_ACTOR_MAX)) {
            drop(snapshots.pollFirstEntry().getValue());
        }
    }

    /** The state that readers of this version see; 0 for the newest. Empty if it is no longer kept. */
    public synchronized Optional<Ref<S>> acquire(long version) {
        Map.Entry<Long, HeldSnapshot> entry = version == 0 ? snapshots.lastEntry() : snapshots.floorEntry(version);
        if (entry == null || closed) {
            return Optional.empty();
        }
        entry.getValue().readers++;
        return Optional.of(entry.getValue());
    }

    /** Drops all states; those in use are closed after their last reader. */
    public synchronized void close() {
        closed = true;
        while (!snapshots.isEmpty()) {
            drop(snapshots.pollFirstEntry().getValue());
        }
    }

    private void drop(HeldSnapshot gone) {
        bytes -= gone.size;
        gone.dropped = true;
        gone.closeIfUnused();
    }

    private final class HeldSnapshot implements Ref<S> {
        private final long version;
        private final S state;
        private final long size;
        private int readers;
        private boolean dropped;

        private HeldSnapshot(long version, S state, long size) {
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
            synchronized (VersionedSnapshotCache.this) {
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
