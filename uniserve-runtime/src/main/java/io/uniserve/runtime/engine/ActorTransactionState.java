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
import io.uniserve.protocol.tx.VersionedSnapshots;
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
 * What an actor of a table with atomic updates has prepared, and its states by version. Preparing and deciding are for the
 * thread that changes the actor; readers take states from any thread.
 */
final class ActorTransactionState {
    private static final Logger LOG = LoggerFactory.getLogger(ActorTransactionState.class);
    /** What a state that shares all else takes, and what changed bytes take with the structure around them. */
    private static final long STATE_BYTES = 4_096;

    private static final long CHANGE_FACTOR = 8;
    /**
     * After changes of so many bytes rows are counted anew. Engines measure by looking at all their files, which may take longer than
     * a small commit; of rows of two bytes and more these have no more bits than a state has bytes anyway.
     */
    private static final long RECOUNT_BYTES = 2 * Byte.SIZE * STATE_BYTES;

    private final OpenPort port;
    private final Actor actor;
    private final TreeMap<Long, Parts> prepared = new TreeMap<>();
    /** Rows that were checked and are about to be prepared, decoded; the oldest first. Some never are: no more are kept than one version has. */
    private final ArrayDeque<Checked> checked = new ArrayDeque<>();

    private long checkedBytes;

    private final VersionedSnapshots<ActorView> shelf;
    /** As counted last, and the bytes of what was changed since. */
    private long rows;

    private long uncounted = RECOUNT_BYTES;

    /** Where memory is short, the rows are decoded once more. Bytes of rows may hold those of a whole version. */
    private record Checked(String function, int bytes, SoftReference<Decoded> decoded) {}

    private record Decoded(Bytes rows, RowBatch batch) {}

    /** What a version changes: its parts in order, and the bytes of their rows. */
    private record Parts(List<Prepared> list, long bytes) {}

    /**
     * Keeps the present state; PORT_PROTOCOL where the actor offers none.
     *
     * @param version what is committed in it, 0 for nothing
     * @param bytesMax how much memory older states may take now
     */
    ActorTransactionState(OpenPort port, Actor actor, long version, LongSupplier bytesMax) {
        this.port = port;
        this.actor = actor;
        this.shelf = new VersionedSnapshots<>(bytesMax, this::close);
        keep(version, 0);
    }

    /** These rows were checked; they will be prepared soon, as a view of the same memory, and need not be decoded again. */
    void checked(String function, Bytes rows, RowBatch batch) {
        synchronized (checked) {
            checked.add(new Checked(function, rows.size(), new SoftReference<>(new Decoded(rows, batch))));
            checkedBytes += rows.size();
            while (checked.size() > Limits.ATOMIC_BATCHES_PER_VERSION_MAX
                    || checked.size() > 1 && checkedBytes > Limits.BATCH_BYTES_MAX) {
                checkedBytes -= checked.remove().bytes();
            }
        }
    }

    /** Of rows that were checked and not prepared so far, as they are kept. */
    long checkedBytes() {
        synchronized (checked) {
            return checkedBytes;
        }
    }

    private RowBatch batch(Update update) {
        synchronized (checked) {
            for (Checked known : checked) {
                Decoded decoded = known.decoded().get();
                if (decoded != null
                        && decoded.rows().isSameView(update.rows())
                        && known.function().equals(update.function())) {
                    return decoded.batch();
                }
            }
        }
        return RowBatch.of(port.update(update.function()), actor, update.rows());
    }

    /** Prepares the batches in order; what an attempt before has prepared for the version is let go of. */
    void prepare(long version, List<Update> batches) {
        abort(version);
        List<Prepared> parts = new ArrayList<>();
        long bytes = batches.stream().mapToLong(batch -> batch.rows().size()).sum();
        prepared.put(version, new Parts(parts, bytes));
        for (Update batch : batches) {
            parts.add(
                    port.call(batch.function() + " prepare", () -> batch(batch).prepare(batch.index())));
        }
        synchronized (checked) {
            checked.clear();
            checkedBytes = 0;
        }
        if (actor instanceof RevocableActor<?> revocable) {
            port.run("stage", revocable::stage);
        }
    }

    /** Lets go of what is prepared for the version, if anything is. */
    void abort(long version) {
        Parts parts = prepared.remove(version);
        if (parts != null) {
            parts.list().forEach(part -> port.run("abort", part::abort));
        }
    }

    /** Makes what is prepared for the version part of the actor, publishes it and keeps the state. */
    void commit(long version) {
        Parts parts = prepared.remove(version);
        if (parts == null) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "version " + version + " is committed but was not prepared here");
        }
        parts.list().forEach(part -> port.run("commit", part::commit));
        port.run("publish", actor::publish);
        keep(version, parts.bytes());
    }

    /** Keeps the published state as that of the version, which has changed rows of so many bytes. */
    private void keep(long version, long changed) {
        ActorView state = port.call("snapshot", () -> {
            if (actor instanceof SnapshotActor<?> able) {
                return able.snapshot();
            }
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    "port " + port.info().name() + " offers atomic updates, but its actors hold no states:"
                            + " they must be SnapshotActors, whose snapshot() gives one");
        });
        boolean shares = port.call("snapshotsShare", () -> ((SnapshotActor<?>) actor).snapshotsShare());
        shelf.add(
                version,
                state,
                shares ? sharedBytes(state, changed) : usage(state).memoryBytes());
    }

    private long sharedBytes(ActorView state, long changed) {
        uncounted += changed;
        if (uncounted >= RECOUNT_BYTES) {
            rows = usage(state).rows();
            uncounted = 0;
        }
        // Engines that mark deleted rows by a bit each copy the bits.
        return STATE_BYTES + rows / Byte.SIZE + CHANGE_FACTOR * changed;
    }

    private ActorUsage usage(ActorView state) {
        return port.call("usage", state::usage);
    }

    /** The state that readers of this version see, 0 for the newest; empty where it is gone. */
    Optional<VersionedSnapshots.Ref<ActorView>> at(long version) {
        return shelf.at(version);
    }

    /** Lets go of all states; those in use go with their readers. */
    void close() {
        shelf.close();
    }

    private void close(ActorView state) {
        try {
            port.run("closing a state", state::close);
        } catch (UniserveException e) {
            LOG.warn("what a state of an actor held may stay until the server ends", e);
        }
    }
}
