package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Soft state of the replicas: reports of servers, and times since when replicas are missing. A report is valid only for the epoch that it
 * names. Servers repeat their reports, so a new leader starts without any.
 */
public final class ReplicaMonitor {
    /** Validity of a report. Servers repeat it every half second. */
    private static final long UNHEALTHY_NANOS = 3_000_000_000L;

    /** Validity of a report. The primary on a draining server repeats it, and accepts no updates meanwhile. */
    private static final long HAND_OVER_NANOS = 1_000_000_000L;

    private static final long BACKOFF_NANOS = 2_000_000_000L;
    private static final int BACKOFF_DOUBLINGS_MAX = 3;

    /** After so many failures of a replica on a server, another server is preferred. */
    private static final int FAILURES_BORNE = 3;

    private final TreeMap<ReplicaKey, Reports> reports = new TreeMap<>();

    private Reports reportsOf(ReplicaKey key) {
        return reports.computeIfAbsent(key, unused -> new Reports());
    }

    public void onLearnerCaughtUp(PeerRequest.LearnerCaughtUp report) {
        Certificate next = new Certificate(report.epoch(), report.primary(), report.incarnation());
        reportsOf(report.key())
                .certified
                .merge(report.learner(), next, (known, late) -> late.epoch < known.epoch ? known : late);
    }

    public void onEpochStarted(PeerRequest.EpochStarted report) {
        Reports known = reportsOf(report.key());
        known.startedEpoch = Math.max(known.startedEpoch, report.epoch());
        // a primary that has started its epoch is healthy again
        known.unhealthy.computeIfPresent(
                report.primary(), (id, told) -> told.epoch == report.epoch() ? told.expired() : told);
    }

    public void onPrimaryTransferReady(PeerRequest.PrimaryTransferReady report, long now) {
        reportsOf(report.key()).handOver = new HandOver(report.epoch(), report.primary(), report.successors(), now);
    }

    public void onRequestNewEpoch(PeerRequest.RequestNewEpoch report) {
        Reports known = reportsOf(report.key());
        known.spentEpoch = Math.max(known.spentEpoch, report.epoch());
    }

    /** True when the primary of this epoch has reported that it logs nothing more in it. */
    public boolean needsNewEpoch(ReplicaKey key, ActorState actor) {
        Reports known = reports.get(key);
        return known != null && known.spentEpoch == actor.epoch();
    }

    public void onReplicasFenced(PeerRequest.ReplicasFenced report) {
        Reports known = reportsOf(report.key());
        if (report.epoch() > known.fencedEpoch) {
            known.fenced.clear();
            known.fencedEpoch = report.epoch();
        }
        if (report.epoch() == known.fencedEpoch) {
            known.fenced.addAll(report.servers());
        }
    }

    public void onUnhealthy(PeerRequest.ReportUnhealthy report, long now) {
        Reports known = reportsOf(report.key());
        UnhealthyReport before = known.unhealthy.get(report.server());
        if (before == null || before.epoch < report.epoch()) {
            int count = before == null ? 1 : before.count + 1;
            long pause = BACKOFF_NANOS << Math.min(count - 1, BACKOFF_DOUBLINGS_MAX);
            known.unhealthy.put(
                    report.server(), new UnhealthyReport(report.epoch(), count, now + pause, now, report.dataLost()));
        } else if (before.epoch == report.epoch()) {
            known.unhealthy.put(
                    report.server(),
                    new UnhealthyReport(before.epoch, before.count, before.pauseUntil, now, report.dataLost()));
        }
    }

    /** True when the primary of this epoch has certified the learner, in this incarnation of the learner's server. */
    public boolean isCertified(ReplicaKey key, ActorState actor, ServerId learner, long incarnation) {
        Reports known = reports.get(key);
        Certificate certificate = known == null ? null : known.certified.get(learner);
        return certificate != null
                && certificate.epoch == actor.epoch()
                && certificate.primary.equals(actor.primary())
                && certificate.incarnation == incarnation;
    }

    /** True when the primary of this epoch has reported that every in-sync replica has the epoch's first entry on disk. */
    public boolean isEpochStarted(ReplicaKey key, ActorState actor) {
        Reports known = reports.get(key);
        return known != null && known.startedEpoch == actor.epoch();
    }

    /** Members to which the primary of this epoch can hand over now without loss. */
    public List<ServerId> successors(ReplicaKey key, ActorState actor, long now) {
        Reports known = reports.get(key);
        HandOver told = known == null ? null : known.handOver;
        if (told == null
                || told.epoch != actor.epoch()
                || !told.primary.equals(actor.primary())
                || now - told.reportedNanos >= HAND_OVER_NANOS) {
            return List.of();
        }
        return told.successors;
    }

    /** True when the primary of this epoch has reported the removed replica as fenced. */
    public boolean isFenced(ReplicaKey key, ActorState actor, Fencing entry) {
        Reports known = reports.get(key);
        return known != null
                && known.fencedEpoch == actor.epoch()
                && entry.epoch() <= known.fencedEpoch
                && known.fenced.contains(entry.server());
    }

    /** True while the server reports the replica as unhealthy in this epoch. A replica that recovers stops these reports. */
    public boolean isUnhealthy(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        UnhealthyReport unfit = known == null ? null : known.unhealthy.get(server);
        return unfit != null && unfit.epoch == actor.epoch() && now - unfit.reportedNanos < UNHEALTHY_NANOS;
    }

    /** True while the server reports in this epoch that the replica's data are lost for good. */
    public boolean isLost(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        UnhealthyReport unfit = known == null ? null : known.unhealthy.get(server);
        return unfit != null && unfit.lost && isUnhealthy(key, actor, server, now);
    }

    /** True while a replica that failed on this server should be placed elsewhere. */
    public boolean isBackingOff(ReplicaKey key, ServerId server, long now) {
        Reports known = reports.get(key);
        UnhealthyReport unfit = known == null ? null : known.unhealthy.get(server);
        return unfit != null && now - unfit.pauseUntil < 0;
    }

    /** True when the replica has failed on this server repeatedly, for example because its engine hangs. */
    public boolean hasFailedRepeatedly(ReplicaKey key, ServerId server) {
        Reports known = reports.get(key);
        UnhealthyReport unfit = known == null ? null : known.unhealthy.get(server);
        return unfit != null && unfit.count >= FAILURES_BORNE;
    }

    /** True when no report arrived and no replica was missing. */
    public boolean isQuiet(ReplicaKey key) {
        return !reports.containsKey(key);
    }

    /**
     * Records a takeover despite live in-sync replicas, because they were unhealthy. They get the actor back only if the takeover fails.
     */
    public void onTakeover(ReplicaKey key, List<ServerId> unfit) {
        reportsOf(key).distrusted.addAll(unfit);
    }

    /** True when the pending takeover may be cancelled in favour of this former in-sync replica. */
    public boolean mayCancelTakeover(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        return known == null || !known.distrusted.contains(server) || isUnhealthy(key, actor, actor.primary(), now);
    }

    /** Records the end of a takeover: it has started its epoch, or a former replica has returned. */
    public void onTakeoverEnded(ReplicaKey key, ActorState takeover, boolean returned, long now) {
        Reports known = reportsOf(key);
        known.distrusted.clear();
        boolean failed = returned && isUnhealthy(key, takeover, takeover.primary(), now);
        known.takeoversFailed = failed ? known.takeoversFailed + 1 : 0;
    }

    /** Number of consecutive takeovers that failed and ended with the return of a former replica. */
    public int failedTakeovers(ReplicaKey key) {
        Reports known = reports.get(key);
        return known == null ? 0 : known.takeoversFailed;
    }

    /** Records whether a replica is missing, and returns for how long it has been. */
    public long missingNanos(ReplicaKey key, boolean missing, long now) {
        if (!missing && isQuiet(key)) {
            return 0;
        }
        Reports known = reportsOf(key);
        known.missingSince = since(known.missingSince, missing, now);
        return known.missingSince == null ? 0 : now - known.missingSince;
    }

    /** Records whether the last replica is gone, and returns for how long it has been. */
    public long lostNanos(ReplicaKey key, boolean lost, long now) {
        if (!lost && isQuiet(key)) {
            return 0;
        }
        Reports known = reportsOf(key);
        known.lostSince = since(known.lostSince, lost, now);
        if (!lost) {
            known.lossCheckedNanos = null;
            known.lossReported = false;
        }
        return known.lostSince == null ? 0 : now - known.lostSince;
    }

    private static @Nullable Long since(@Nullable Long before, boolean holds, long now) {
        if (!holds) {
            return null;
        }
        return before == null ? Long.valueOf(now) : before;
    }

    /** True when the loss should be examined, at most once per period. */
    public boolean isLossCheckDue(ReplicaKey key, long now, long periodNanos) {
        Reports known = reportsOf(key);
        if (known.lossCheckedNanos != null && now - known.lossCheckedNanos < periodNanos) {
            return false;
        }
        known.lossCheckedNanos = now;
        return true;
    }

    /** True for the first call after the loss of the last replica, so that it is logged once. */
    public boolean isFirstLossReport(ReplicaKey key) {
        Reports known = reportsOf(key);
        boolean first = !known.lossReported;
        known.lossReported = true;
        return first;
    }

    /** Removes the state of actors that no longer exist. */
    public void retain(Predicate<ReplicaKey> exists) {
        reports.keySet().removeIf(exists.negate());
    }

    private record Certificate(long epoch, ServerId primary, long incarnation) {}

    private record UnhealthyReport(long epoch, int count, long pauseUntil, long reportedNanos, boolean lost) {
        private UnhealthyReport expired() {
            return new UnhealthyReport(epoch, count, pauseUntil, reportedNanos - UNHEALTHY_NANOS, lost);
        }
    }

    private record HandOver(long epoch, ServerId primary, List<ServerId> successors, long reportedNanos) {}

    /** Reports of one actor. */
    private static final class Reports {
        final TreeMap<ServerId, Certificate> certified = new TreeMap<>();
        final TreeSet<ServerId> fenced = new TreeSet<>();
        final TreeMap<ServerId, UnhealthyReport> unhealthy = new TreeMap<>();
        final TreeSet<ServerId> distrusted = new TreeSet<>();
        int takeoversFailed;
        long fencedEpoch;
        long startedEpoch;
        long spentEpoch;

        @Nullable
        HandOver handOver;

        boolean lossReported;

        @Nullable
        Long missingSince;

        @Nullable
        Long lostSince;

        @Nullable
        Long lossCheckedNanos;
    }
}
