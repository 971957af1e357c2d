package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica's files and the engine over them, and the steps that put others in their place: opened, restored from durable
 * storage, begun anew. One step at a time; after one that failed the next waits.
 */
final class ReplicaStorage {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaStorage.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final ReplicaHealth replicaHealth;
    private final Owner owner;
    private final LogListener logEvents;
    private @Nullable OpenReplica openReplica;
    private @Nullable EngineApplier engineApplier;
    private @Nullable ReplicaRestore replicaRestore;
    private boolean opening;
    private boolean changing;
    private boolean installing;
    private long installingSince;
    private long retryAt;
    private long restoredEpoch;
    private long openedEpoch;

    /** The replica whose files these are. */
    interface Owner {
        boolean isClosed();

        /** Epoch of the newest map, 0 where none was read. */
        long epochWanted();

        /** The replica plays no part until it is told again. */
        void endPart(String why);

        /** A step has ended: the next one may follow. */
        void changed();

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
    OpenReplica opened() {
        return openReplica;
    }

    @Nullable
    EngineApplier engine() {
        return engineApplier;
    }

    /** True while a call into the engine takes so long that nobody should wait for it. */
    boolean engineHangs() {
        return engineApplier != null && engineApplier.hangs();
    }

    /** When the engine's actor was built, 0 for none. */
    long built() {
        return engineApplier == null ? 0 : engineApplier.built();
    }

    /** The installed epoch, 0 for none. */
    long installed() {
        return openReplica == null ? 0 : openReplica.file().get().installed();
    }

    /** True while a step is under way. */
    boolean changing() {
        return changing;
    }

    /** True when a step may begin. */
    boolean mayTry() {
        return !changing && !opening && now() - retryAt >= 0;
    }

    boolean restoring() {
        return replicaRestore != null;
    }

    boolean whole() {
        return openReplica != null && replicaRestore == null;
    }

    /** Epoch of the takeover after which they were restored, 0 for never. */
    long restoredEpoch() {
        return restoredEpoch;
    }

    /** True for files of before a takeover that the map tells of, which made them worthless. */
    boolean beforeTakeover(ActorState wanted) {
        return wanted.restoreEpoch() > openedEpoch && openedEpoch > 0;
    }

    /** Reads them. The completion runs whether they are whole or damaged; other errors are tried again first. */
    void open(Runnable then) {
        if (owner.isClosed() || opening || openReplica != null) {
            return;
        }
        opening = true;
        OpenReplica.open(host.env().disk(), key, table, host.config().log(), logEvents, outcome -> {
            opening = false;
            if (owner.isClosed()) {
                return;
            }
            if (outcome instanceof Outcome.Ok<OpenReplica> ok) {
                replicaHealth.fresh();
                openReplica = ok.value();
                openedEpoch = installed();
                then.run();
            } else {
                notOpened(outcome.error(), then);
            }
            owner.changed();
        });
    }

    private void notOpened(UniserveException error, Runnable then) {
        LOG.warn("{}: cannot be opened: {}", key, error.getMessage());
        if (error.code() == ErrorCode.CORRUPT) {
            replicaHealth.damaged(error.reason(), owner.epochWanted());
            then.run();
        } else {
            replicaHealth.unreadable(error, owner.epochWanted());
            openLater(then);
        }
    }

    private void openLater(Runnable then) {
        host.env().timers().after(host.config().retryNanos() * 10, () -> {
            if (!changing && !replicaHealth.isDamaged()) {
                open(then);
            }
        });
    }

    /** Takes the actor over from durable storage. */
    void restore(ActorState wanted) {
        LOG.info("{}: restores from durable storage for epoch {}", key, wanted.epoch());
        boolean keep = replicaHealth.isDamaged() || installed() > 0;
        makeFromStorage(takeover(wanted.restoreEpoch()), keep);
    }

    /** A learner from whose log the primary cannot go on begins anew, where the primary's log begins. */
    void startOver(long primaryBase) {
        LOG.info("{}: begins anew, the primary's log begins after {}", key, primaryBase);
        ReplicaRestore next = takeover(restoredEpoch);
        next.learn(primaryBase, installed());
        owner.endPart("starts anew here");
        makeFromStorage(next, openReplica != null && openReplica.log().lastIndex() > 0);
    }

    /** True where the checkpoint in durable storage was tried and is damaged. */
    boolean storedDamaged() {
        return replicaHealth.storedDamaged();
    }

    private ReplicaRestore takeover(long restoreEpoch) {
        return new ReplicaRestore(
                host, key, table, logEvents, parts -> openReplica = parts, outcome -> restored(restoreEpoch, outcome));
    }

    private void makeFromStorage(ReplicaRestore next, boolean keepOldFiles) {
        changing = true;
        replicaRestore = next;
        close(() -> {
            openReplica = null;
            engineApplier = null;
            replicaHealth.fresh();
            next.run(keepOldFiles);
        });
    }

    private void restored(long restoreEpoch, Outcome<Done> outcome) {
        replicaRestore = null;
        changing = false;
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
            replicaHealth.restored();
            restoredEpoch = restoreEpoch;
        }
        owner.changed();
    }

    /** Writes down that the replica acts in this epoch from now on. */
    void install(OpenReplica parts, long epoch) {
        changing = true;
        installing = true;
        installingSince = now();
        host.env().timers().after(1_000_000 * Limits.DISK_STALL_MS_MAX, owner::wantTicks); // see tick
        parts.file().change(state -> state.install(epoch), done -> {
            changing = false;
            installing = false;
            if (done instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "{}: epoch {} cannot be installed: {}",
                        key,
                        epoch,
                        err.error().getMessage());
                retryAt = now() + 5 * host.config().retryNanos();
                replicaHealth.filesFailed(err.error());
            } else {
                replicaHealth.filesWork();
            }
            owner.changed();
        });
    }

    /** Time passes: notices a disk that does not answer. Where it did not before another step began, that is as it was. */
    void tick(long now) {
        OpenReplica parts = openReplica;
        if (installing && now - installingSince >= 1_000_000 * Limits.DISK_STALL_MS_MAX) {
            replicaHealth.diskStalls(true);
        } else if (parts != null && !changing) {
            replicaHealth.watchDisk(now, parts.log());
        }
    }

    /** Starts the engine where it has not been; true when it did. */
    boolean startEngine(OpenReplica parts, TableMeta meta, EngineListener events) {
        if (engineApplier != null) {
            return false;
        }
        engineApplier = parts.applier(host, key, meta, events);
        engineApplier.start();
        return true;
    }

    /** A newer epoch names this server a learner: nobody counts on what it had, which is kept aside for a look. */
    void startAnew() {
        changing = true;
        owner.endPart("starts anew here");
        close(() -> {
            openReplica = null;
            engineApplier = null;
            ReplicaRestore.moveAside(host, key, moved -> {
                changing = false;
                if (moved instanceof Outcome.Err<Done> err) {
                    LOG.warn(
                            "{}: bad files cannot be moved aside: {}",
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

    /** More of the log is on disk. */
    void durable() {
        if (replicaRestore != null) {
            replicaRestore.durable();
        }
        if (engineApplier != null) {
            engineApplier.pump();
        }
    }

    void appendFailed(long from, UniserveException error) {
        if (replicaRestore != null) {
            replicaRestore.appendFailed(error);
        }
        if (engineApplier != null && engineApplier.appendFailed(from)) {
            owner.changed();
        }
    }

    /** Ends log and engine, and runs the task when nothing of theirs is under way any more. */
    void close(Runnable then) {
        OpenReplica.close(openReplica, engineApplier, then);
    }
}
