package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.message.PeerRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps a replica from doing its part, told to the coordinator until it is over.
 *
 * <p>Damaged: its data are gone or do not check; it serves nothing. Uncovered: the same, for want of a checkpoint, until durable
 * storage has one. Unreadable: its files cannot be read now. Spoiled: an
 * old entry of its log does not check; it goes on while nobody else has the data. All but that end only when a newer epoch
 * names it a learner, so that nobody counts on what it had: then it starts anew (an unreadable one also when it can be
 * read). Troubles with the engine, the log or the state file may pass by themselves.
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

    /** Something that fails, perhaps for a moment only. */
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

    /** @param wake has the replica's ticks begin */
    ReplicaHealth(ReplicaContext host, ReplicaKey key, Runnable wake) {
        this.host = host;
        this.wake = wake;
        this.key = key;
        this.reportAt = now();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** The data are gone or damaged, seen in this epoch of the map, 0 where none is known yet. */
    void damaged(String why, long epoch) {
        damage = why;
        begin(epoch);
    }

    /** No checkpoint covers the log: until the engine can be built after all. */
    void uncovered(String why, long epoch) {
        uncovered = why;
        begin(epoch);
    }

    boolean isDamaged() {
        return damage != null || uncovered != null;
    }

    /** True, and damage, where the map counts on data that are not here: whatever took them, this replica is not in sync. */
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

    /** An entry in the middle of the log does not check; true the first time. */
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

    /** Nothing can be restored from durable storage: true until {@link #restored}, whatever is opened meanwhile. */
    void restoreFailed(String why) {
        restore = why;
        wake.run();
    }

    /** The replica was made from durable storage. */
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

    /** The log cannot be written. */
    void logFailed(UniserveException why) {
        log.note(why, now());
        wake.run();
    }

    /** The disk has not answered a write of the log, or of an epoch, for long, or has by now. */
    void diskStalls(boolean now) {
        if (now != stalled) {
            LOG.warn("{}: the disk {}", key, now ? "does not answer a write" : "answers again");
        }
        stalled = now;
    }

    void logWorks() {
        log.error = null;
    }

    /** Why the log could not be written the last time; null when it could. */
    @Nullable
    UniserveException logError() {
        return log.error;
    }

    /** The state file, or what must be done before the log can go on, cannot be written. */
    void filesFailed(UniserveException why) {
        files.note(why, now());
        wake.run();
    }

    void filesWork() {
        files.error = null;
    }

    /** All files were read, or there are new ones. */
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

    /** A map is known: what is bad was bad in its epoch at the latest. */
    void seen(long epoch) {
        if (badEpoch == 0 && bad()) {
            badEpoch = epoch;
        }
    }

    /** Epoch in which the files were found bad, 0 for none. */
    long badEpoch() {
        return badEpoch;
    }

    private boolean bad() {
        return isDamaged() || spoiled != null || unreadable;
    }

    /** True when nobody counts any more on the bad files. */
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
     * Tells the coordinator what lasts.
     *
     * @param writes true for a part that is nothing without writing the log: a primary that has started its epoch refuses
     *     updates instead and lets readers read
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

    /** The engine could be built; true where that could not be hoped for any more. */
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
