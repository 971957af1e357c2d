package io.uniserve.protocol.replica.context;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.PeerRequest;
import java.util.EnumMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Problems that prevent a replica from doing its work. They are reported to the coordinator until they end.
 *
 * <ul>
 * <li>Damaged: the data are missing or fail a check. The replica serves nothing.
 * <li>Uncovered: damaged, as no checkpoint covers the start of the log, until durable storage has one.
 * <li>Unreadable: the files cannot be read now.
 * <li>Spoiled: an old log entry fails its check. The replica continues while no other replica has the data.
 * <li>Problems with engine, log or state file, which may be temporary.
 * </ul>
 *
 * <p>The first four end when a newer epoch names the replica a learner, so that its old data do not count any more. It then restarts empty.
 * Uncovered also ends when the engine can be built, and unreadable when the files can be read.
 */
public final class ReplicaHealth {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaHealth.class);
    private static final int PATIENCE_RETRIES = 10;
    private static final int RESTORE_DOUBLINGS_MAX = 20;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final Runnable startTicks;
    private final OperationFailure log = new OperationFailure();
    private final OperationFailure files = new OperationFailure();
    private final EnumMap<State, String> defects = new EnumMap<>(State.class);
    private @Nullable String engine;
    private @Nullable String restore;
    private int damagedRestores;
    private boolean stalled;
    private boolean unsynced;
    private long syncedIndex;
    private long syncedAt;
    private long badEpoch;
    private long reportAt;

    /** State of the files, by severity. */
    private enum State {
        HEALTHY,
        SPOILED,
        UNREADABLE,
        UNCOVERED,
        DAMAGED
    }

    /** Operation that fails, perhaps only temporarily. */
    private static final class OperationFailure {
        private @Nullable UniserveException error;
        private long since;

        private void record(UniserveException now, long nanos) {
            since = error == null ? nanos : since;
            error = now;
        }

        private boolean hasLasted(long now, long patience) {
            return error != null && now - since >= patience;
        }
    }

    /** @param wake starts the replica's ticks */
    public ReplicaHealth(ReplicaContext host, ReplicaKey key, Runnable wake) {
        this.host = host;
        this.startTicks = wake;
        this.key = key;
        this.reportAt = now();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    private State state() {
        State worst = State.HEALTHY;
        for (State defect : defects.keySet()) { // by severity
            worst = defect;
        }
        return worst;
    }

    /** The data are missing or damaged, found in this epoch of the map; 0 if no map is known yet. */
    public void markDamaged(String why, long epoch) {
        found(State.DAMAGED, why, epoch);
    }

    /** No checkpoint covers the log. The state lasts until the engine can be built. */
    public void markCheckpointMissing(String why, long epoch) {
        found(State.UNCOVERED, why, epoch);
    }

    /** True if the files are in a state in which the replica serves nothing. */
    public boolean isDamaged() {
        return state().compareTo(State.UNCOVERED) >= 0;
    }

    /**
     * True while another server takes over this replica's role in the ISR and its epoch has not started. The coordinator may return to
     * these files, so nothing changes them, not even the installation of a newer epoch.
     */
    public boolean mayReturn(ActorState wanted, Files files) {
        return files.isOpen()
                && !files.isRestoring()
                && !isDamaged()
                && wanted.previousIsr().hasAllData(host.self(), files.installedEpoch());
    }

    /** True if the coordinator gave up every copy except the one in durable storage, and this server must restore it. */
    public boolean mustRestore(ActorState wanted, Files files) {
        return (files.isOpen() || isDamaged())
                && wanted.restoreEpoch() > files.installedEpoch()
                && wanted.restoreEpoch() > files.restoredEpoch()
                && !wanted.epochStarted()
                && wanted.primary().equals(host.self())
                && (!isDamaged() || wanted.restoreEpoch() > badEpoch);
    }

    /**
     * Checks whether the map counts on data that are missing here, for example after a disk was replaced. If so, the replica is marked as
     * damaged, and the result is true.
     */
    public boolean checkDataMissing(ActorState wanted, long installed) {
        boolean emptied = wanted.epochStarted()
                && wanted.isr().contains(host.self())
                && installed < Math.max(1, wanted.restoreEpoch());
        if (emptied) {
            LOG.warn("{}: in sync by the map, but its directory holds epoch {}: the data are lost", key, installed);
            markDamaged("the replica's data are gone from its directory", wanted.epoch());
        }
        return emptied;
    }

    /** The files cannot be read now. */
    public void markUnreadable(UniserveException why, long epoch) {
        files.record(why, now());
        found(State.UNREADABLE, why.reason(), epoch);
    }

    /** An entry in the middle of the log fails its check. Returns true the first time. */
    public boolean markEntryCorrupt(String why, long epoch) {
        boolean first = !defects.containsKey(State.SPOILED);
        found(State.SPOILED, why, epoch);
        return first;
    }

    private void found(State defect, String why, long epoch) {
        defects.put(defect, why);
        badEpoch = badEpoch == 0 ? epoch : badEpoch;
        startTicks.run();
    }

    /** A restoration from durable storage failed. The state lasts until {@link #clearRestoreFailed}, even if files are opened meanwhile. */
    public long restoreFailed(UniserveException error) {
        restore = "restore from durable storage failed: " + error.reason();
        startTicks.run();
        damagedRestores = error.code() == ErrorCode.CORRUPT ? damagedRestores + 1 : 0;
        long pause = Limits.RESTORE_RETRY_MS_MIN << Math.min(Math.max(0, damagedRestores - 1), RESTORE_DOUBLINGS_MAX);
        return 1_000_000 * Math.min(pause, Limits.RESTORE_RETRY_MS_MAX);
    }

    /** True if data of durable storage failed their check more than once in a row: a single failure may be a read error. */
    public boolean storedDamaged() {
        return damagedRestores > 1;
    }

    /** The replica was restored from durable files. */
    public void clearRestoreFailed() {
        restore = null;
        damagedRestores = 0;
        reset();
    }

    /** The engine failed or hangs. */
    public void engineFailed(String why) {
        engine = why;
        reportAt = now();
        startTicks.run();
    }

    /** A write of the log failed. */
    public void logFailed(UniserveException why) {
        log.record(why, now());
        startTicks.run();
    }

    /** The disk stalls in a write of the log or of an epoch, or no longer stalls. */
    public void setDiskStalled(boolean now) {
        if (now != stalled) {
            LOG.warn("{}: disk {}", key, now ? "does not answer a write" : "answers again");
        }
        stalled = now;
    }

    /** Detects a write of the log that hangs: entries wait for the disk, and none has become durable for a long time. */
    public void watchDisk(long now, ReplicaLog log) {
        boolean waits = log.lastIndex() > log.durableIndex();
        if (!waits || !unsynced || syncedIndex != log.durableIndex()) {
            unsynced = waits;
            syncedIndex = log.durableIndex();
            syncedAt = now;
        }
        setDiskStalled(waits && now - syncedAt >= 1_000_000 * Limits.DISK_STALL_MS_MAX);
    }

    public void clearLogError() {
        log.error = null;
    }

    /** Error of the last write of the log; null if it succeeded. */
    @Nullable
    public UniserveException logError() {
        return log.error;
    }

    /** The state file, or another file that the log needs first, cannot be written. */
    public void filesFailed(UniserveException why) {
        files.record(why, now());
        startTicks.run();
    }

    public void clearFilesError() {
        files.error = null;
    }

    /** All files were read, or replaced by new ones. */
    public void reset() {
        defects.clear();
        badEpoch = 0;
        engine = null;
        stalled = false;
        files.error = null;
        log.error = null;
    }

    /** Sets the epoch of earlier problems, once a map is known. */
    public void onMapEpoch(long epoch) {
        if (badEpoch == 0 && hasBadFiles()) {
            badEpoch = epoch;
        }
    }

    private boolean hasBadFiles() {
        return state() != State.HEALTHY;
    }

    /** True when the replica may discard the bad files, because no other replica or coordinator counts on them. */
    public boolean canDiscardFiles(ActorState wanted) {
        boolean lasting = isDamaged() || defects.containsKey(State.SPOILED) || files.hasLasted(now(), lastingNanos());
        return hasBadFiles()
                && lasting
                && badEpoch > 0
                && wanted.epoch() > badEpoch
                && wanted.learners().contains(host.self());
    }

    private long lastingNanos() {
        return PATIENCE_RETRIES * host.config().retryNanos();
    }

    public boolean wantsTicks() {
        return hasBadFiles()
                || engine != null
                || restore != null
                || stalled
                || log.error != null
                || files.error != null;
    }

    /**
     * Reports lasting problems to the coordinator.
     *
     * @param writes true for a role that must write the log. A primary that has started its epoch can serve reads without writing; it
     * rejects updates instead.
     */
    public void report(@Nullable ActorState wanted, boolean engineReady, boolean writes) {
        if (engineReady) {
            engine = null;
            restore = null;
        }
        boolean lost = isDamaged() || restore != null;
        long now = now();
        String reason = reason(now, writes);
        if (reason != null && wanted != null && wanted.hasReplicaOn(host.self()) && now - reportAt >= 0) {
            reportAt = now + 5 * host.config().retryNanos();
            host.reportToCoordinator(new PeerRequest.ReportUnhealthy(key, wanted.epoch(), host.self(), reason, lost));
        }
    }

    /** The engine could be built. Returns true if the replica was uncovered before. */
    public boolean clearCheckpointMissing() {
        boolean news = defects.remove(State.UNCOVERED) != null;
        badEpoch = hasBadFiles() ? badEpoch : 0;
        return news;
    }

    private @Nullable String reason(long now, boolean writes) {
        if (isDamaged()) {
            return defects.get(state());
        }
        if (restore != null || engine != null) {
            return restore != null ? restore : engine;
        }
        if (files.hasLasted(now, lastingNanos())) {
            return text("the replica's files fail: ", files);
        }
        if (stalled) {
            return "the disk does not answer a write";
        }
        if (writes && log.hasLasted(now, lastingNanos())) {
            return text("the log cannot be written: ", log);
        }
        return defects.get(State.SPOILED);
    }

    private static String text(String what, OperationFailure trouble) {
        return what + (trouble.error == null ? "" : trouble.error.getMessage());
    }

    /** The files of the replica, as far as its health depends on them. */
    public interface Files {
        boolean isOpen();

        /** True while the replica is restored from durable storage. */
        boolean isRestoring();

        /** The epoch installed in the files. */
        long installedEpoch();

        /** The epoch of the last restoration from durable storage, 0 for none. */
        long restoredEpoch();
    }
}
