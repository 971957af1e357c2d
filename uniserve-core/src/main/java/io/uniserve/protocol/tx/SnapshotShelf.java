package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The states of one replica by version, each counted by its readers. The newest is always there; older ones go, the oldest
 * first, so what is kept is without gaps: the state at a version is the newest kept one at or below it, and none kept means
 * gone. One that a reader has used lately, or that was the newest a moment ago, as readers who have heard of it elsewhere may
 * still come, stays as long as the whole budget allows. The others stay only in a small part of it: the more is kept
 * alive, the more a collector has to copy. Safe for use by several threads.
 *
 * @param <S> a state
 */
public final class SnapshotShelf<S> {
    private static final long REPLACED_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.SNAPSHOT_REPLACED_MS);
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.SNAPSHOT_READ_MS);

    private final LongSupplier bytesMax;
    private final Clock clock;
    private final Consumer<S> close;
    private final TreeMap<Long, Held> held = new TreeMap<>();
    private long bytes;
    private boolean closed;

    /**
     * @param bytesMax memory budget of all states but the newest, asked for anew with each state
     * @param close releases a state that nobody needs any more
     */
    public SnapshotShelf(LongSupplier bytesMax, Clock clock, Consumer<S> close) {
        this.bytesMax = bytesMax;
        this.clock = clock;
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
        long now = clock.nanos();
        if (!held.isEmpty()) {
            held.lastEntry().getValue().wanted(now + REPLACED_NANOS);
        }
        Held old = held.put(version, new Held(version, state, size, now));
        bytes += size;
        if (old != null) {
            drop(old);
        }
        long most = bytesMax.getAsLong();
        while (held.size() > 1 && exceeds(most, now)) {
            drop(held.pollFirstEntry().getValue());
        }
    }

    /** True where the oldest state is to go. */
    private boolean exceeds(long most, long now) {
        long older = bytes - held.lastEntry().getValue().size;
        return held.size() > Limits.SNAPSHOTS_PER_ACTOR_MAX
                || older > most
                || older > most / Limits.SNAPSHOT_UNREAD_PART
                        && !held.firstEntry().getValue().isWanted(now);
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
        private long wantedUntilNanos;

        private Held(long version, S state, long size, long now) {
            this.version = version;
            this.state = state;
            this.size = size;
            this.wantedUntilNanos = now;
        }

        private void wanted(long untilNanos) {
            if (untilNanos - wantedUntilNanos > 0) {
                wantedUntilNanos = untilNanos;
            }
        }

        private boolean isWanted(long now) {
            return readers > 0 || wantedUntilNanos - now > 0;
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
            synchronized (SnapshotShelf.this) {
                readers--;
                wanted(clock.nanos() + READ_NANOS);
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
