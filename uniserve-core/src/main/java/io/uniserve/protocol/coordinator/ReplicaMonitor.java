package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Soft state of the replicas: reports of servers, and times since when replicas are missing. A report is valid only for the epoch that it
 * names. Servers repeat their reports, so a new leader starts without any.
 */
final class ReplicaMonitor {
    /** Validity of a report. Servers repeat it every half second. */
    private static final long UNFIT_NANOS = 3_000_000_000L;

    /** Validity of a report. The primary on a draining server repeats it, and accepts no updates meanwhile. */
    private static final long HAND_OVER_NANOS = 1_000_000_000L;

    private static final long BACKOFF_NANOS = 2_000_000_000L;
    private static final int BACKOFF_DOUBLINGS_MAX = 3;

    /** After so many failures of a replica on a server, another server is preferred. */
    private static final int FAILURES_BORNE = 3;

    private final TreeMap<ReplicaKey, Reports> reports = new TreeMap<>();

    private Reports of(ReplicaKey key) {
        return reports.computeIfAbsent(key, unused -> new Reports());
    }

    void certified(PeerRequest.Certified report) {
        Certificate next = new Certificate(report.epoch(), report.primary(), report.incarnation());
        of(report.key())
                .certified
                .merge(report.learner(), next, (known, late) -> late.epoch < known.epoch ? known : late);
    }

    void begun(PeerRequest.Begun report) {
        Reports known = of(report.key());
        known.begunEpoch = Math.max(known.begunEpoch, report.epoch());
        // a primary that has started its epoch is healthy again
        known.unfit.computeIfPresent(
                report.primary(), (id, told) -> told.epoch == report.epoch() ? told.mended() : told);
    }

    void handOver(PeerRequest.HandOver report, long now) {
        of(report.key()).handOver = new HandOver(report.epoch(), report.primary(), report.successors(), now);
    }

    void renew(PeerRequest.Renew report) {
        Reports known = of(report.key());
        known.spentEpoch = Math.max(known.spentEpoch, report.epoch());
    }

    /** True when the primary of this epoch has reported that it logs nothing more in it. */
    boolean isSpent(ReplicaKey key, ActorState actor) {
        Reports known = reports.get(key);
        return known != null && known.spentEpoch == actor.epoch();
    }

    void fenced(PeerRequest.Fenced report) {
        Reports known = of(report.key());
        if (report.epoch() > known.fencedEpoch) {
            known.fenced.clear();
            known.fencedEpoch = report.epoch();
        }
        if (report.epoch() == known.fencedEpoch) {
            known.fenced.addAll(report.servers());
        }
    }

    void unfit(PeerRequest.Unfit report, long now) {
        Reports known = of(report.key());
        Unfit before = known.unfit.get(report.server());
        if (before == null || before.epoch < report.epoch()) {
            int count = before == null ? 1 : before.count + 1;
            long pause = BACKOFF_NANOS << Math.min(count - 1, BACKOFF_DOUBLINGS_MAX);
            known.unfit.put(report.server(), new Unfit(report.epoch(), count, now + pause, now, report.lost()));
        } else if (before.epoch == report.epoch()) {
            known.unfit.put(
                    report.server(), new Unfit(before.epoch, before.count, before.pauseUntil, now, report.lost()));
        }
    }

    /** True when the primary of this epoch has certified the learner, in this incarnation of the learner's server. */
    boolean isCertified(ReplicaKey key, ActorState actor, ServerId learner, long incarnation) {
        Reports known = reports.get(key);
        Certificate certificate = known == null ? null : known.certified.get(learner);
        return certificate != null
                && certificate.epoch == actor.epoch()
                && certificate.primary.equals(actor.primary())
                && certificate.incarnation == incarnation;
    }

    /** True when the primary of this epoch has reported that every in-sync replica has the epoch's first entry on disk. */
    boolean isBegun(ReplicaKey key, ActorState actor) {
        Reports known = reports.get(key);
        return known != null && known.begunEpoch == actor.epoch();
    }

    /** Members to which the primary of this epoch can hand over now without loss. */
    List<ServerId> successors(ReplicaKey key, ActorState actor, long now) {
        Reports known = reports.get(key);
        HandOver told = known == null ? null : known.handOver;
        if (told == null
                || told.epoch != actor.epoch()
                || !told.primary.equals(actor.primary())
                || now - told.toldAt >= HAND_OVER_NANOS) {
            return List.of();
        }
        return told.successors;
    }

    /** True when the primary of this epoch has reported the removed replica as fenced. */
    boolean isFenced(ReplicaKey key, ActorState actor, Fencing entry) {
        Reports known = reports.get(key);
        return known != null
                && known.fencedEpoch == actor.epoch()
                && entry.epoch() <= known.fencedEpoch
                && known.fenced.contains(entry.server());
    }

    /** True while the server reports the replica as unhealthy in this epoch. A replica that recovers stops these reports. */
    boolean isUnfit(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.epoch == actor.epoch() && now - unfit.toldAt < UNFIT_NANOS;
    }

    /** True while the server reports in this epoch that the replica's data are lost for good. */
    boolean isLost(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.lost && isUnfit(key, actor, server, now);
    }

    /** True while a replica that failed on this server should be placed elsewhere. */
    boolean backsOff(ReplicaKey key, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && now - unfit.pauseUntil < 0;
    }

    /** True when the replica has failed on this server repeatedly, for example because its engine hangs. */
    boolean keepsFailing(ReplicaKey key, ServerId server) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.count >= FAILURES_BORNE;
    }

    /** True when no report arrived and no replica was missing. */
    boolean isQuiet(ReplicaKey key) {
        return !reports.containsKey(key);
    }

    /**
     * Records a takeover despite live in-sync replicas, because they were unhealthy. They get the actor back only if the takeover fails.
     */
    void takenOver(ReplicaKey key, List<ServerId> unfit) {
        of(key).distrusted.addAll(unfit);
    }

    /** True when the pending takeover may be cancelled in favour of this former in-sync replica. */
    boolean mayReturn(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        return known == null || !known.distrusted.contains(server) || isUnfit(key, actor, actor.primary(), now);
    }

    /** Records the end of a takeover: it has started its epoch, or a former replica has returned. */
    void takeoverEnded(ReplicaKey key, ActorState takeover, boolean returned, long now) {
        Reports known = of(key);
        known.distrusted.clear();
        boolean failed = returned && isUnfit(key, takeover, takeover.primary(), now);
        known.takeoversFailed = failed ? known.takeoversFailed + 1 : 0;
    }

    /** Number of consecutive takeovers that failed and ended with the return of a former replica. */
    int takeoversFailed(ReplicaKey key) {
        Reports known = reports.get(key);
        return known == null ? 0 : known.takeoversFailed;
    }

    /** Records whether a replica is missing, and returns for how long it has been. */
    long missingNanos(ReplicaKey key, boolean missing, long now) {
        if (!missing && isQuiet(key)) {
            return 0;
        }
        Reports known = of(key);
        known.missingSince = since(known.missingSince, missing, now);
        return known.missingSince == null ? 0 : now - known.missingSince;
    }

    /** Records whether the last replica is gone, and returns for how long it has been. */
    long lostNanos(ReplicaKey key, boolean lost, long now) {
        if (!lost && isQuiet(key)) {
            return 0;
        }
        Reports known = of(key);
        known.lostSince = since(known.lostSince, lost, now);
        if (!lost) {
            known.lossTried = null;
            known.lossTold = false;
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
    boolean lossDue(ReplicaKey key, long now, long periodNanos) {
        Reports known = of(key);
        if (known.lossTried != null && now - known.lossTried < periodNanos) {
            return false;
        }
        known.lossTried = now;
        return true;
    }

    /** True for the first call after the loss of the last replica, so that it is logged once. */
    boolean tellLoss(ReplicaKey key) {
        Reports known = of(key);
        boolean first = !known.lossTold;
        known.lossTold = true;
        return first;
    }

    /** Removes the state of tables that no longer exist. */
    void retain(Set<Long> tableIds) {
        reports.keySet().removeIf(key -> !tableIds.contains(key.tableId()));
    }

    private record Certificate(long epoch, ServerId primary, long incarnation) {}

    private record Unfit(long epoch, int count, long pauseUntil, long toldAt, boolean lost) {
        private Unfit mended() {
            return new Unfit(epoch, count, pauseUntil, toldAt - UNFIT_NANOS, lost);
        }
    }

    private record HandOver(long epoch, ServerId primary, List<ServerId> successors, long toldAt) {}

    /** Reports of one actor. */
    private static final class Reports {
        final TreeMap<ServerId, Certificate> certified = new TreeMap<>();
        final TreeSet<ServerId> fenced = new TreeSet<>();
        final TreeMap<ServerId, Unfit> unfit = new TreeMap<>();
        final TreeSet<ServerId> distrusted = new TreeSet<>();
        int takeoversFailed;
        long fencedEpoch;
        long begunEpoch;
        long spentEpoch;

        @Nullable
        HandOver handOver;

        boolean lossTold;

        @Nullable
        Long missingSince;

        @Nullable
        Long lostSince;

        @Nullable
        Long lossTried;
    }
}
