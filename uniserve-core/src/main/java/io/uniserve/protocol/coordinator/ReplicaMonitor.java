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
 * Soft state of the replicas: what servers reported, and since when something is missing. Reports count in the epoch they
 * name only; servers repeat them, so a new leader may start without.
 */
final class ReplicaMonitor {
    /** Servers repeat the report every half second. */
    private static final long UNFIT_NANOS = 3_000_000_000L;

    /** The primary on a server that drains repeats it, and takes no updates meanwhile. */
    private static final long HAND_OVER_NANOS = 1_000_000_000L;

    private static final long BACKOFF_NANOS = 2_000_000_000L;
    private static final int BACKOFF_DOUBLINGS_MAX = 3;

    /** A server on which a replica failed so often is not waited for, and is asked only where no other can be. */
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
        // Who has begun its epoch has mended since it said that it cannot.
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

    /** True when the primary of this very epoch said that it logs nothing more in it. */
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

    /** True when the primary of this very epoch certified the learner as this incarnation of its server has it. */
    boolean isCertified(ReplicaKey key, ActorState actor, ServerId learner, long incarnation) {
        Reports known = reports.get(key);
        Certificate certificate = known == null ? null : known.certified.get(learner);
        return certificate != null
                && certificate.epoch == actor.epoch()
                && certificate.primary.equals(actor.primary())
                && certificate.incarnation == incarnation;
    }

    /** True when the primary of this very epoch said that its first entry is on every in-sync replica. */
    boolean isBegun(ReplicaKey key, ActorState actor) {
        Reports known = reports.get(key);
        return known != null && known.begunEpoch == actor.epoch();
    }

    /** Members to which the primary of this very epoch would hand over now without any loss. */
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

    /** True when the primary of this very epoch said that the removed replica is fenced. */
    boolean isFenced(ReplicaKey key, ActorState actor, Fencing entry) {
        Reports known = reports.get(key);
        return known != null
                && known.fencedEpoch == actor.epoch()
                && entry.epoch() <= known.fencedEpoch
                && known.fenced.contains(entry.server());
    }

    /** True while the server says so in this very epoch; a replica that mends by itself stops to. */
    boolean isUnfit(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.epoch == actor.epoch() && now - unfit.toldAt < UNFIT_NANOS;
    }

    /** True while the server says in this very epoch that the replica's data are gone for good. */
    boolean isLost(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.lost && isUnfit(key, actor, server, now);
    }

    /** True while a replica that failed on this server should rather be tried elsewhere. */
    boolean backsOff(ReplicaKey key, ServerId server, long now) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && now - unfit.pauseUntil < 0;
    }

    /** True when the replica failed on this server again and again, as one whose engine hangs. */
    boolean keepsFailing(ReplicaKey key, ServerId server) {
        Reports known = reports.get(key);
        Unfit unfit = known == null ? null : known.unfit.get(server);
        return unfit != null && unfit.count >= FAILURES_BORNE;
    }

    /** True when nothing was ever reported or missing. */
    boolean isQuiet(ReplicaKey key) {
        return !reports.containsKey(key);
    }

    /**
     * Another server takes the actor over, although these in-sync replicas are there: they were unfit. They are not asked back
     * unless the takeover fails.
     */
    void takenOver(ReplicaKey key, List<ServerId> unfit) {
        of(key).distrusted.addAll(unfit);
    }

    /** True when the takeover under way may be given up for the sake of this former replica. */
    boolean mayReturn(ReplicaKey key, ActorState actor, ServerId server, long now) {
        Reports known = reports.get(key);
        return known == null || !known.distrusted.contains(server) || isUnfit(key, actor, actor.primary(), now);
    }

    /** The takeover is over: it has begun its epoch, or somebody returned. */
    void takeoverEnded(ReplicaKey key, ActorState takeover, boolean returned, long now) {
        Reports known = of(key);
        known.distrusted.clear();
        boolean failed = returned && isUnfit(key, takeover, takeover.primary(), now);
        known.takeoversFailed = failed ? known.takeoversFailed + 1 : 0;
    }

    /** Takeovers in a row that failed and ended with the return of a former replica. */
    int takeoversFailed(ReplicaKey key) {
        Reports known = reports.get(key);
        return known == null ? 0 : known.takeoversFailed;
    }

    /** Notes that a replica is missing, or not, and tells for how long it has been. */
    long missingNanos(ReplicaKey key, boolean missing, long now) {
        if (!missing && isQuiet(key)) {
            return 0;
        }
        Reports known = of(key);
        known.missingSince = since(known.missingSince, missing, now);
        return known.missingSince == null ? 0 : now - known.missingSince;
    }

    /** Notes that the last replica is gone, or not, and tells for how long it has been. */
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

    /** True when the loss should be looked at, at most once in the period. */
    boolean lossDue(ReplicaKey key, long now, long periodNanos) {
        Reports known = of(key);
        if (known.lossTried != null && now - known.lossTried < periodNanos) {
            return false;
        }
        known.lossTried = now;
        return true;
    }

    /** True the first time since the last replica was lost: what has to be told is told once. */
    boolean tellLoss(ReplicaKey key) {
        Reports known = of(key);
        boolean first = !known.lossTold;
        known.lossTold = true;
        return first;
    }

    /** Forgets tables that are no more. */
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

    /** Of one actor. */
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
