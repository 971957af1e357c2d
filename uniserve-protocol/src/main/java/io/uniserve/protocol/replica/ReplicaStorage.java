package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.restore.RemoteCheckpointSource;
import io.uniserve.protocol.backup.restore.ReplicaRestorer;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.context.ReplicaHealth;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.engine.EngineListener;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of a replica and the engine over them, with the steps that replace them: open, restore from durable storage, restart empty. One
 * step runs at a time; after a failure the next one is delayed.
 *
 * <p>Life cycle of the steps, see {@link Step}:
 *
 * <ul>
 * <li>IDLE → OPENING → IDLE: the files are read. After an error other than damage, the read is retried later.
 * <li>IDLE → RESTORING → IDLE: the files are replaced by those in durable storage.
 * <li>IDLE → INSTALLING → IDLE: an epoch is stored in the open files.
 * <li>IDLE → QUARANTINING → IDLE: the files move to quarantine. OPENING of new files follows at once.
 * </ul>
 */
final class ReplicaStorage implements ReplicaHealth.Files {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaStorage.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final ReplicaHealth replicaHealth;
    private final Owner owner;
    private final LogListener logEvents;
    private @Nullable OpenReplicaFiles openReplica;
    private @Nullable EngineApplier engineApplier;
    private @Nullable ReplicaRestorer replicaRestore;
    private Step step = Step.IDLE;
    private long installingSince;
    private long retryAt;
    private long restoredEpoch;
    private long openedEpoch;

    /** The step that is running. */
    private enum Step {
        IDLE,
        OPENING,
        RESTORING,
        INSTALLING,
        QUARANTINING
    }

    /** The replica that owns the files. */
    interface Owner {
        boolean isClosed();

        /** Epoch of the newest map, 0 if none was read. */
        long mapEpoch();

        /** Ends the replica's role until the next row of the map is adopted. */
        void endRole(String why);

        /** A step has ended, and the next one may follow. */
        void onStepDone();

        void wantTicks();
    }

    ReplicaStorage(
            ReplicaContext host,
            ReplicaKey key,
            TableName table,
            ReplicaHealth replicaHealth,
            Owner owner,
            LogListener logEvents) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.replicaHealth = replicaHealth;
        this.owner = owner;
        this.logEvents = logEvents;
        this.retryAt = now();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    @Nullable
    OpenReplicaFiles openFiles() {
        return openReplica;
    }

    @Nullable
    EngineApplier engine() {
        return engineApplier;
    }

    /** True while an engine call takes so long that callers should not wait for it. */
    boolean isEngineCallSlow() {
        return engineApplier != null && engineApplier.isCallSlow();
    }

    /** Time at which the engine's actor was built, 0 for none. */
    long engineBuiltNanos() {
        return engineApplier == null ? 0 : engineApplier.builtNanos();
    }

    /** The installed epoch, 0 for none. */
    @Override
    public long installedEpoch() {
        return openReplica == null ? 0 : openReplica.file().get().installedEpoch();
    }

    /** True while a step other than the opening is running: the replica must not act on its files. */
    boolean isStepRunning() {
        return step != Step.IDLE && step != Step.OPENING;
    }

    /** True when a step may start. */
    boolean canStartStep() {
        return step == Step.IDLE && now() - retryAt >= 0;
    }

    @Override
    public boolean isOpen() {
        return openReplica != null;
    }

    @Override
    public boolean isRestoring() {
        return replicaRestore != null;
    }

    boolean isIntact() {
        return openReplica != null && replicaRestore == null;
    }

    /** Epoch of the takeover after which the files were restored, 0 for never. */
    @Override
    public long restoredEpoch() {
        return restoredEpoch;
    }

    /** True for files from before a takeover in the map, which made them obsolete. */
    boolean isSuperseded(ActorState wanted) {
        return wanted.restoreEpoch() > openedEpoch && openedEpoch > 0;
    }

    /** Reads the files. The completion runs once they are read, intact or damaged; after other errors the read is retried. */
    void open(Runnable then) {
        if (owner.isClosed() || step != Step.IDLE || openReplica != null) {
            return;
        }
        step = Step.OPENING;
        OpenReplicaFiles.open(host.env().disk(), key, table, host.config().log(), logEvents, outcome -> {
            step = Step.IDLE;
            if (owner.isClosed()) {
                return;
            }
            if (outcome instanceof Outcome.Ok<OpenReplicaFiles> ok) {
                replicaHealth.reset();
                openReplica = ok.value();
                openedEpoch = installedEpoch();
                then.run();
            } else {
                onOpenFailed(outcome.error(), then);
            }
            owner.onStepDone();
        });
    }

    private void onOpenFailed(UniserveException error, Runnable then) {
        LOG.warn("{}: cannot be opened: {}", key, error.getMessage());
        if (error.code() == ErrorCode.CORRUPT) {
            replicaHealth.markDamaged(error.reason(), owner.mapEpoch());
            then.run();
        } else {
            replicaHealth.markUnreadable(error, owner.mapEpoch());
            openLater(then);
        }
    }

    private void openLater(Runnable then) {
        host.env().timers().after(host.config().retryNanos() * 10, () -> {
            if (!replicaHealth.isDamaged()) {
                open(then);
            }
        });
    }

    /** Takes the actor over from durable storage. */
    void restore(ActorState wanted) {
        LOG.info("{}: restoring from durable storage for epoch {}", key, wanted.epoch());
        boolean keep = replicaHealth.isDamaged() || installedEpoch() > 0;
        runRestore(newRestore(wanted.restoreEpoch()), keep);
    }

    /** Restarts a learner whose log the primary's log does not continue, from a checkpoint at or after the start of the primary's log. */
    void restartFromCheckpoint(long primaryBase) {
        LOG.info("{}: starting anew, as the primary's log starts after index {}", key, primaryBase);
        ReplicaRestorer next = newRestore(restoredEpoch);
        next.configureLearner(primaryBase, installedEpoch());
        owner.endRole("starts anew on this server");
        runRestore(next, openReplica != null && openReplica.log().lastIndex() > 0);
    }

    /** True if the checkpoint in durable storage was tried and is damaged. */
    boolean isStoredCheckpointDamaged() {
        return replicaHealth.storedDamaged();
    }

    private ReplicaRestorer newRestore(long restoreEpoch) {
        return new ReplicaRestorer(
                host,
                key,
                table,
                logEvents,
                parts -> openReplica = parts,
                outcome -> onRestored(restoreEpoch, outcome));
    }

    private void runRestore(ReplicaRestorer next, boolean keepOldFiles) {
        step = Step.RESTORING;
        replicaRestore = next;
        close(() -> {
            openReplica = null;
            engineApplier = null;
            replicaHealth.reset();
            next.run(keepOldFiles);
        });
    }

    private void onRestored(long restoreEpoch, Outcome<Done> outcome) {
        replicaRestore = null;
        step = Step.IDLE;
        if (owner.isClosed()) {
            return;
        }
        if (outcome instanceof Outcome.Err<Done> err) {
            LOG.warn("{}: cannot be restored: {}", key, err.error().getMessage());
            retryAt = now() + replicaHealth.restoreFailed(err.error());
            owner.wantTicks();
            if (openReplica == null) {
                openLater(() -> {});
                return;
            }
        } else {
            replicaHealth.clearRestoreFailed();
            restoredEpoch = restoreEpoch;
        }
        owner.onStepDone();
    }

    /** Stores the epoch durably; the replica acts in it afterwards. */
    void installEpoch(OpenReplicaFiles parts, long epoch) {
        step = Step.INSTALLING;
        installingSince = now();
        host.env().timers().after(1_000_000 * Limits.DISK_STALL_MS_MAX, owner::wantTicks); // for the check in tick
        parts.file().change(state -> state.withInstalledEpoch(epoch), done -> {
            step = Step.IDLE;
            if (done instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "{}: installation of epoch {} failed: {}",
                        key,
                        epoch,
                        err.error().getMessage());
                retryAt = now() + 5 * host.config().retryNanos();
                replicaHealth.filesFailed(err.error());
            } else {
                replicaHealth.clearFilesError();
            }
            owner.onStepDone();
        });
    }

    /** Detects a stalled disk. While another step runs, the result does not change. */
    void tick(long now) {
        OpenReplicaFiles parts = openReplica;
        if (step == Step.INSTALLING && now - installingSince >= 1_000_000 * Limits.DISK_STALL_MS_MAX) {
            replicaHealth.setDiskStalled(true);
        } else if (parts != null && !isStepRunning()) {
            replicaHealth.watchDisk(now, parts.log());
        }
    }

    /** Starts the engine if there is none yet; returns true if it did. */
    boolean startEngine(OpenReplicaFiles parts, TableMeta meta, EngineListener events) {
        if (engineApplier != null) {
            return false;
        }
        engineApplier = newApplier(parts, meta, events);
        engineApplier.start();
        return true;
    }

    /**
     * Starts anew, because a newer epoch names this replica a learner and no process counts on its old data. The old files move to
     * quarantine.
     */
    void quarantineAndReset() {
        step = Step.QUARANTINING;
        owner.endRole("starts anew on this server");
        close(() -> {
            openReplica = null;
            engineApplier = null;
            ReplicaRestorer.quarantine(host, key, moved -> {
                step = Step.IDLE;
                if (moved instanceof Outcome.Err<Done> err) {
                    LOG.warn(
                            "{}: bad files could not be moved to quarantine: {}",
                            key,
                            err.error().getMessage());
                    retryAt = now() + 10 * host.config().retryNanos();
                    replicaHealth.filesFailed(err.error());
                } else if (!owner.isClosed()) {
                    open(() -> {});
                }
                owner.wantTicks();
            });
        });
    }

    /** Handles a completed write of the log. */
    void onDurable() {
        if (replicaRestore != null) {
            replicaRestore.onDurable();
        }
        if (engineApplier != null) {
            engineApplier.applyNext();
        }
    }

    void onAppendFailed(long from, UniserveException error) {
        if (replicaRestore != null) {
            replicaRestore.onAppendFailed(error);
        }
        if (engineApplier != null && engineApplier.onAppendFailed(from)) {
            owner.onStepDone();
        }
    }

    /** Closes log and engine, and runs the task when no call of theirs is running. */
    void close(Runnable then) {
        closeAll(openReplica, engineApplier, then);
    }

    /** The replica's engine over these files, not started. */
    private EngineApplier newApplier(OpenReplicaFiles files, TableMeta meta, EngineListener listener) {
        RemoteCheckpointSource remote = new RemoteCheckpointSource(
                host.env(), host.config().clusterId(), key, meta.name(), files.log(), files.checkpoints());
        return new EngineApplier(
                host.env(), host.config(), key, meta, files.log(), files.checkpoints(), remote, listener);
    }

    /** Closes log and engine if they exist, and runs the task when no call of theirs is running. */
    private static void closeAll(
            @Nullable OpenReplicaFiles parts, @Nullable EngineApplier engineApplier, Runnable then) {
        Runnable closeEngine = () -> {
            if (engineApplier == null) {
                then.run();
            } else {
                engineApplier.close(done -> then.run());
            }
        };
        if (parts == null) {
            closeEngine.run();
        } else {
            parts.log().close(() -> parts.file().close(closeEngine));
        }
    }
}
