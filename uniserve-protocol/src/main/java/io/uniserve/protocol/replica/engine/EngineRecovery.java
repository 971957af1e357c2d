package io.uniserve.protocol.replica.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import io.uniserve.protocol.replica.storage.CheckpointSource;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Build of a replica's engine. It uses the newest checkpoint that belongs to the log, or an older one if that fails repeatedly. Without a
 * checkpoint it replays a log that starts at index 1. Otherwise it fetches a checkpoint from durable storage.
 */
final class EngineRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRecovery.class);
    /** Failed attempts with a checkpoint after which an older one is used. */
    private static final int FAILURES_MAX = 3;

    private final Environment env;
    private final ReplicaKey key;
    private final TableMeta meta;
    private final ReplicaLog log;
    private final CheckpointStore checkpoints;
    private final CheckpointSource storage;
    private final EngineListener listener;
    private final Owner owner;
    private final Map<CheckpointStore.Name, Integer> failures = new LinkedHashMap<>();
    private boolean fetching;

    /** Owner of the engine. It is notified of each call of engine or disk. */
    interface Owner {
        /** A call starts. */
        void onCallStarted();

        /** The call has ended. */
        void onCallEnded();

        /** True when the call's result is obsolete. */
        boolean isObsolete();

        /** The engine is built, and has applied the log up to this index. */
        void onBuilt(long index, RequestOutcomeTable saved);

        /** The build failed, and is retried later. */
        void onBuildFailed(UniserveException error);
    }

    EngineRecovery(
            Environment env,
            ReplicaKey key,
            TableMeta meta,
            ReplicaLog log,
            CheckpointStore checkpoints,
            CheckpointSource storage,
            EngineListener listener,
            Owner owner) {
        this.env = env;
        this.key = key;
        this.meta = meta;
        this.log = log;
        this.checkpoints = checkpoints;
        this.storage = storage;
        this.listener = listener;
        this.owner = owner;
    }

    /** True while a checkpoint is fetched from durable storage, which may take long. */
    boolean isFetching() {
        return fetching;
    }

    void run() {
        owner.onCallStarted();
        checkpoints.list(listed -> {
            owner.onCallEnded();
            if (listed instanceof Outcome.Ok<List<CheckpointStore.Name>> ok) {
                tryCheckpoint(ok.value(), 0);
            } else {
                owner.onBuildFailed(listed.error());
            }
        });
    }

    private void tryCheckpoint(List<CheckpointStore.Name> names, int at) {
        if (owner.isObsolete()) {
            return;
        }
        if (at == names.size()) {
            create();
            return;
        }
        CheckpointStore.Name name = names.get(at);
        if (log.epochAt(name.index()) != name.epoch() || name.index() > log.durableIndex()) {
            checkpoints.delete(name);
            tryCheckpoint(names, at + 1);
            return;
        }
        if (failures.getOrDefault(name, 0) >= FAILURES_MAX) {
            LOG.warn("{}: checkpoint {} failed repeatedly, using an older one or the log", key, name);
            tryCheckpoint(names, at + 1);
            return;
        }
        owner.onCallStarted();
        checkpoints.manifest(name, read -> {
            if (!(read instanceof Outcome.Ok<Optional<RequestOutcomeTable>> ok)) {
                owner.onCallEnded();
                onCheckpointFailed(name, read.error(), names, at);
            } else if (ok.value().isEmpty()) {
                owner.onCallEnded();
                checkpoints.delete(name); // incomplete
                tryCheckpoint(names, at + 1);
            } else {
                RequestOutcomeTable saved = ok.value().get();
                env.engine()
                        .restore(
                                key,
                                meta,
                                checkpoints.dataPath(name),
                                saved.versions().committed(),
                                restored -> onRestored(restored, name, saved, names, at));
            }
        });
    }

    /**
     * Handles a checkpoint that could not be restored. If it is proven to be damaged, it moves to quarantine. After any other error it is
     * tried again later. After repeated errors it is skipped until the next start.
     */
    private void onCheckpointFailed(
            CheckpointStore.Name name, UniserveException error, List<CheckpointStore.Name> names, int at) {
        LOG.warn("{}: checkpoint {} cannot be restored: {}", key, name, error.getMessage());
        if (owner.isObsolete()) {
            return;
        }
        if (error.code() == ErrorCode.CORRUPT) {
            String place = "quarantine/" + key + "-checkpoint-"
                    + Long.toHexString(env.ids().next());
            owner.onCallStarted();
            checkpoints.quarantine(name, place, moved -> {
                owner.onCallEnded();
                if (moved instanceof Outcome.Err<Done>) {
                    failures.put(name, FAILURES_MAX);
                }
                tryCheckpoint(names, at + 1);
            });
            return;
        }
        if (error.code() != ErrorCode.DISK_FULL && error.code() != ErrorCode.UNAVAILABLE) {
            failures.merge(name, 1, Integer::sum);
        }
        owner.onBuildFailed(error);
    }

    private void onRestored(
            Outcome<Done> restored,
            CheckpointStore.Name name,
            RequestOutcomeTable saved,
            List<CheckpointStore.Name> names,
            int at) {
        owner.onCallEnded();
        if (restored instanceof Outcome.Err<Done> err) {
            onCheckpointFailed(name, err.error(), names, at);
        } else {
            owner.onBuilt(name.index(), saved);
        }
    }

    private void create() {
        if (log.baseIndex() > 0) {
            fetchRemoteCheckpoint();
            return;
        }
        owner.onCallStarted();
        env.engine().create(key, meta, created -> {
            owner.onCallEnded();
            if (created instanceof Outcome.Err<Done> err) {
                owner.onBuildFailed(err.error());
            } else {
                owner.onBuilt(0, new RequestOutcomeTable());
            }
        });
    }

    /** Handles a log that starts after index 1 without a usable checkpoint. Checkpoints that were only skipped are tried again first. */
    private void fetchRemoteCheckpoint() {
        if (!failures.isEmpty()) {
            failures.clear();
            owner.onBuildFailed(new UniserveException(
                    ErrorCode.IO, "no checkpoint for log start " + log.baseIndex() + " can be restored"));
            return;
        }
        listener.onUnhealthy("its checkpoint is damaged, and a copy is fetched from durable storage");
        owner.onCallStarted();
        fetching = true;
        storage.fetch(fetched -> {
            owner.onCallEnded();
            fetching = false;
            if (owner.isObsolete()) {
                return;
            }
            if (fetched instanceof Outcome.Ok<CheckpointStore.Name> ok) {
                tryCheckpoint(List.of(ok.value()), 0);
                return;
            }
            UniserveException error = fetched.error();
            owner.onBuildFailed(error);
            if (error.code() == ErrorCode.CORRUPT) {
                listener.onDataLost(error.reason());
            }
        });
    }
}
