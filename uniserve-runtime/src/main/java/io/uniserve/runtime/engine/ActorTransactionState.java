package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.api.update.Prepared;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transaction state of an actor of an atomic table: its prepared versions, and its states by version. Only the thread that changes
 * the actor prepares and decides; readers take states from any thread.
 */
final class ActorTransactionState {
    private static final Logger LOG = LoggerFactory.getLogger(ActorTransactionState.class);
    /**
     * Estimated size of a state that shares everything with the previous one. A changed byte counts {@code CHANGE_FACTOR} times, with
     * the structures around it.
     */
    private static final long STATE_BYTES = 4_096;

    private static final long CHANGE_FACTOR = 8;
    /**
     * Bytes of changes after which rows are counted again. Engines count by inspecting all their files, which may take longer than a
     * small commit. With rows of at least two bytes, the uncounted rows need no more bytes for their bits than {@code STATE_BYTES}.
     */
    private static final long RECOUNT_BYTES = 2 * Byte.SIZE * STATE_BYTES;

    private final RunningPort port;
    private final Actor actor;
    private final TreeMap<Long, PreparedVersion> prepared = new TreeMap<>();
    /**
     * Rows that were validated and will soon be prepared, decoded; the oldest first. Some are never prepared, so the size is limited
     * to one version's.
     */
    private final ArrayDeque<ValidatedRows> validatedRows = new ArrayDeque<>();

    private long validatedBytes;

    private final VersionedSnapshotCache<ActorView> snapshots;
    /** Rows as of the last count; below, the bytes changed since. */
    private long rows;

    private long uncountedBytes = RECOUNT_BYTES;

    /**
     * Decoded rows of a batch. If memory is short, they are dropped and decoded again. The bytes may be a view of those of a whole
     * version.
     */
    private record ValidatedRows(String function, int bytes, SoftReference<Decoded> decoded) {}

    private record Decoded(Bytes rows, DecodedRowBatch batch) {}

    /** Changes of a version: its parts in order, and the bytes of their rows. */
    private record PreparedVersion(List<Prepared> updates, long bytes) {}

    /**
     * Stores the present state. Fails with PORT_PROTOCOL if the actor has no snapshots.
     *
     * @param version newest version committed in it, 0 for none
     * @param bytesMax memory that older states may use now
     */
    ActorTransactionState(RunningPort port, Actor actor, long version, LongSupplier bytesMax) {
        this.port = port;
        this.actor = actor;
        this.snapshots = new VersionedSnapshotCache<>(bytesMax, this::close);
        storeSnapshot(version, 0);
    }

    /**
     * Caches the decoded rows after their validation. They will soon be prepared, as a view of the same memory, and need not be
     * decoded again.
     */
    void cacheValidated(String function, Bytes rows, DecodedRowBatch batch) {
        synchronized (validatedRows) {
            validatedRows.add(new ValidatedRows(function, rows.size(), new SoftReference<>(new Decoded(rows, batch))));
            validatedBytes += rows.size();
            while (validatedRows.size() > Limits.ATOMIC_BATCHES_PER_VERSION_MAX
                    || validatedRows.size() > 1 && validatedBytes > Limits.BATCH_BYTES_MAX) {
                validatedBytes -= validatedRows.remove().bytes();
            }
        }
    }

    /** Bytes of rows that are validated and not prepared yet. */
    long validatedBytes() {
        synchronized (validatedRows) {
            return validatedBytes;
        }
    }

    private DecodedRowBatch batch(Update update) {
        synchronized (validatedRows) {
            for (ValidatedRows known : validatedRows) {
                Decoded decoded = known.decoded().get();
                if (decoded != null
                        && decoded.rows().isSameView(update.rows())
                        && known.function().equals(update.function())) {
                    return decoded.batch();
                }
            }
        }
        return DecodedRowBatch.of(port.update(update.function()), actor, update.rows());
    }

    /** Prepares the batches in order. Aborts an earlier preparation of the same version. */
    void prepare(long version, List<Update> batches) {
        abort(version);
        List<Prepared> parts = new ArrayList<>();
        long bytes = batches.stream().mapToLong(batch -> batch.rows().size()).sum();
        prepared.put(version, new PreparedVersion(parts, bytes));
        for (Update batch : batches) {
            parts.add(
                    port.call(batch.function() + " prepare", () -> batch(batch).prepare(batch.index())));
        }
        synchronized (validatedRows) {
            validatedRows.clear();
            validatedBytes = 0;
        }
        if (actor instanceof RevocableActor<?> revocable) {
            port.run("stage", revocable::stage);
        }
    }

    /** Aborts the version, if it is prepared. */
    void abort(long version) {
        PreparedVersion parts = prepared.remove(version);
        if (parts != null) {
            parts.updates().forEach(part -> port.run("abort", part::abort));
        }
    }

    /** Commits the prepared version, publishes the actor and stores its state. */
    void commit(long version) {
        PreparedVersion parts = prepared.remove(version);
        if (parts == null) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "version " + version + " is committed, but not prepared here");
        }
        parts.updates().forEach(part -> port.run("commit", part::commit));
        port.run("publish", actor::publish);
        storeSnapshot(version, parts.bytes());
    }

    /** Stores the published state as that of the version, which has changed this many bytes of rows. */
    private void storeSnapshot(long version, long changed) {
        ActorView state = port.call("snapshot", () -> {
            if (actor instanceof SnapshotActor<?> able) {
                return able.snapshot();
            }
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    "port " + port.info().name() + " offers atomic updates, but its actors have no snapshots:"
                            + " they must implement SnapshotActor and its snapshot()");
        });
        boolean shares = port.call("snapshotsShare", () -> ((SnapshotActor<?>) actor).snapshotsShareData());
        snapshots.add(
                version,
                state,
                shares ? sharedBytes(state, changed) : usage(state).memoryBytes());
    }

    private long sharedBytes(ActorView state, long changed) {
        uncountedBytes += changed;
        if (uncountedBytes >= RECOUNT_BYTES) {
            rows = usage(state).rows();
            uncountedBytes = 0;
        }
        // Engines with one deletion bit per row copy these bits.
        return STATE_BYTES + rows / Byte.SIZE + CHANGE_FACTOR * changed;
    }

    private ActorUsage usage(ActorView state) {
        return port.call("usage", state::usage);
    }

    /** Returns the state of this version, 0 for the newest; empty if it is not stored any more. */
    Optional<VersionedSnapshotCache.Ref<ActorView>> snapshotAt(long version) {
        return snapshots.acquire(version);
    }

    /** Drops all states; those in use are closed when their readers release them. */
    void close() {
        snapshots.close();
    }

    private void close(ActorView state) {
        try {
            port.run("closing a state", state::close);
        } catch (UniserveException e) {
            LOG.warn("closing a state failed; its resources may stay until the server ends", e);
        }
    }
}
