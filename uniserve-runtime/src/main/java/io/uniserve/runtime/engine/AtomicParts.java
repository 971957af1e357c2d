package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.SnapshotActor;
import io.uniserve.api.update.Prepared;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.protocol.tx.SnapshotShelf;
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
final class AtomicParts {
    private static final Logger LOG = LoggerFactory.getLogger(AtomicParts.class);
    private final OpenPort port;
    private final Actor actor;
    private final TreeMap<Long, List<Prepared>> prepared = new TreeMap<>();
    private final SnapshotShelf<Actor> shelf;

    /**
     * Keeps the present state; PORT_PROTOCOL where the actor offers none.
     *
     * @param version what is committed in it, 0 for nothing
     * @param bytesMax how much memory older states may take now
     */
    AtomicParts(OpenPort port, Actor actor, long version, LongSupplier bytesMax) {
        this.port = port;
        this.actor = actor;
        this.shelf = new SnapshotShelf<>(bytesMax, this::close);
        keep(version);
    }

    /** Prepares the batches in order; what an attempt before has prepared for the version is let go of. */
    void prepare(long version, List<Update> batches) {
        abort(version);
        List<Prepared> parts = new ArrayList<>();
        prepared.put(version, parts);
        for (Update batch : batches) {
            parts.add(port.call(
                    batch.function() + " prepare",
                    () -> RowBatch.of(port.update(batch.function()), actor, batch.rows())
                            .prepare(batch.index())));
        }
    }

    /** Lets go of what is prepared for the version, if anything is. */
    void abort(long version) {
        List<Prepared> parts = prepared.remove(version);
        if (parts != null) {
            parts.forEach(part -> port.run("abort", part::abort));
        }
    }

    /** Makes what is prepared for the version part of the actor and publishes it. */
    void commit(long version) {
        List<Prepared> parts = prepared.remove(version);
        if (parts == null) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "version " + version + " is committed but was not prepared here");
        }
        parts.forEach(part -> port.run("commit", part::commit));
        port.run("publish", actor::publish);
    }

    /** Keeps the published state as that of the version. */
    void keep(long version) {
        Actor state = port.call("snapshot", () -> {
            if (actor instanceof SnapshotActor<?> able && able.snapshot() instanceof Actor held) {
                return held;
            }
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    "port " + port.info().name() + " offers atomic updates, but its actors hold no states: a"
                            + " SnapshotActor's snapshot() must be an actor too");
        });
        long size = port.call("usage", state::usage).memoryBytes();
        shelf.add(version, state, size);
    }

    /** The state that readers of this version see, 0 for the newest; empty where it is gone. */
    Optional<SnapshotShelf.Ref<Actor>> at(long version) {
        return shelf.at(version);
    }

    /** Lets go of all states; those in use go with their readers. */
    void close() {
        shelf.close();
    }

    private void close(Actor state) {
        try {
            port.run("closing a state", state::close);
        } catch (UniserveException e) {
            LOG.warn("what a state of an actor held may stay until the server ends", e);
        }
    }
}
