package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerRequest;
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
 * <p>The first four end when a newer epoch names the replica a learner, so that its old data do not count any more. It then starts anew.
 * Uncovered also ends when the engine can be built, and unreadable when the files can be read.
 */
final class ReplicaHealth {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaHealth.class);
    private static final int PATIENCE_RETRIES = 10;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final Runnable wake;
    private final Trouble log = new Trouble();
    private final Trouble files = new Trouble();
    private @Nullable String damage;
    private @Nullable String uncovered;
    private @Nullable String spoiled;
    private @Nullable String engine;
    private @Nullable String restore;
    private boolean stalled;
    private boolean unreadable;
    private long badEpoch;
    private long reportAt;

    /** A failing operation; the failure may be temporary. */
    private static final class Trouble {
        private @Nullable UniserveException error;
        private long since;

        private void note(UniserveException now, long nanos) {
            since = error == null ? nanos : since;
            error = now;
        }

        private boolean lasts(long now, long patience) {
            return error != null && now - since >= patience;
        }
    }

    /** @param wake starts the replica's ticks */
    ReplicaHealth(ReplicaContext host, ReplicaKey key, Runnable wake) {
        this.host = host;
        this.wake = wake;
        this.key = key;
        this.reportAt = now();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** The data are missing or damaged, found in this epoch of the map; 0 if no map is known yet. */
    void damaged(String why, long epoch) {
        damage = why;
        begin(epoch);
    }

    /** No checkpoint covers the log. The state lasts until the engine can be built. */
    void uncovered(String why, long epoch) {
        uncovered = why;
        begin(epoch);
    }

    boolean isDamaged() {
        return damage != null || uncovered != null;
    }

    /**
     * Checks whether the map counts on data that are missing here, for example after a disk was replaced. If so, the replica is marked as
     * damaged, and the result is true.
     */
    boolean emptied(ActorState wanted, long installed) {
        boolean emptied =
                wanted.begun() && wanted.isr().contains(host.self()) && installed < Math.max(1, wanted.restoreEpoch());
        if (emptied) {
            LOG.warn("{}: in sync by the map, but its directory holds epoch {}: the data are lost", key, installed);
            damaged("the replica's data are gone from its directory", wanted.epoch());
        }
        return emptied;
    }

    /** The files cannot be read now. */
    void unreadable(UniserveException why, long epoch) {
        unreadable = true;
        files.note(why, now());
        begin(epoch);
    }

    /** An entry in the middle of the log fails its check. Returns true the first time. */
    boolean spoiled(String why, long epoch) {
        boolean first = spoiled == null;
        spoiled = why;
        begin(epoch);
        return first;
    }

    private void begin(long epoch) {
        badEpoch = badEpoch == 0 ? epoch : badEpoch;
        wake.run();
    }

    /** A restoration from durable storage failed. The state lasts until {@link #restored}, even if files are opened meanwhile. */
    void restoreFailed(String why) {
        restore = why;
        wake.run();
    }

    /** The replica was restored from durable storage. */
    void restored() {
        restore = null;
        fresh();
    }

    /** The engine failed or hangs. */
    void engineFailed(String why) {
        engine = why;
        reportAt = now();
        wake.run();
    }

    /** A write of the log failed. */
    void logFailed(UniserveException why) {
        log.note(why, now());
        wake.run();
    }

    /** The disk stalls in a write of the log or of an epoch, or has stopped to stall. */
    void diskStalls(boolean now) {
        if (now != stalled) {
            LOG.warn("{}: disk {}", key, now ? "does not answer a write" : "answers again");
        }
        stalled = now;
    }

    void logWorks() {
        log.error = null;
    }

    /** Error of the last write of the log; null if it succeeded. */
    @Nullable
    UniserveException logError() {
        return log.error;
    }

    /** The state file, or another file that the log needs first, cannot be written. */
    void filesFailed(UniserveException why) {
        files.note(why, now());
        wake.run();
    }

    void filesWork() {
        files.error = null;
    }

    /** All files were read, or replaced by new ones. */
    void fresh() {
        damage = null;
        uncovered = null;
        spoiled = null;
        unreadable = false;
        badEpoch = 0;
        engine = null;
        stalled = false;
        files.error = null;
        log.error = null;
    }

    /** Sets the epoch of earlier problems, once a map is known. */
    void seen(long epoch) {
        if (badEpoch == 0 && bad()) {
            badEpoch = epoch;
        }
    }

    /** Epoch in which the files were found to be bad, 0 for none. */
    long badEpoch() {
        return badEpoch;
    }

    private boolean bad() {
        return isDamaged() || spoiled != null || unreadable;
    }

    /** True when the replica may discard the bad files, because no other replica or coordinator counts on them. */
    boolean mayStartAnew(ActorState wanted) {
        boolean lasting = isDamaged() || spoiled != null || files.lasts(now(), patience());
        return bad()
                && lasting
                && badEpoch > 0
                && wanted.epoch() > badEpoch
                && wanted.learners().contains(host.self());
    }

    private long patience() {
        return PATIENCE_RETRIES * host.config().retryNanos();
    }

    boolean wantsTicks() {
        return bad() || engine != null || restore != null || stalled || log.error != null || files.error != null;
    }

    /**
     * Reports lasting problems to the coordinator.
     *
     * @param writes true for a role that must write the log. A primary that has started its epoch can serve reads without writing; it
     * rejects updates instead.
     */
    void report(@Nullable ActorState wanted, boolean engineReady, boolean writes) {
        if (engineReady) {
            engine = null;
            restore = null;
        }
        boolean lost = isDamaged() || restore != null;
        long now = now();
        String reason = reason(now, writes);
        if (reason != null && wanted != null && wanted.hosts(host.self()) && now - reportAt >= 0) {
            reportAt = now + 5 * host.config().retryNanos();
            host.tellCoordinator(new PeerRequest.Unfit(key, wanted.epoch(), host.self(), reason, lost));
        }
    }

    /** The engine could be built. Returns true if the replica was uncovered before. */
    boolean covered() {
        boolean news = uncovered != null;
        uncovered = null;
        badEpoch = bad() ? badEpoch : 0;
        return news;
    }

    private @Nullable String reason(long now, boolean writes) {
        if (isDamaged()) {
            return damage != null ? damage : uncovered;
        }
        if (restore != null || engine != null) {
            return restore != null ? restore : engine;
        }
        if (files.lasts(now, patience())) {
            return text("the replica's files fail: ", files);
        }
        if (stalled) {
            return "the disk does not answer a write";
        }
        if (writes && log.lasts(now, patience())) {
            return text("the log cannot be written: ", log);
        }
        return spoiled;
    }

    private static String text(String what, Trouble trouble) {
        return what + (trouble.error == null ? "" : trouble.error.getMessage());
    }
}
