package io.uniserve.simulator.check;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.registry.SimEnsemble.Applied;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Check of I1 and I2 from the registry and the read gates. A version has one outcome, and versions grow. At the time of a commit every
 * in-sync replica of every participant has the version prepared on its disk. If that replica answers reads, its gate shows the version.
 */
public final class CommitCheck {
    private final ViolationCollector violations;
    private final FenceCheck fences;
    private final ReservationAbortCheck reservationAborts;
    private final PreparedCheck disks;
    private final Map<String, TableMap> maps = new HashMap<>();
    private final Map<String, DecisionHistory> outcomes = new HashMap<>();
    private final Map<String, ReadGate> gates = new HashMap<>();

    public CommitCheck(ViolationCollector violations, FenceCheck fences) {
        this.violations = violations;
        this.fences = fences;
        this.reservationAborts = new ReservationAbortCheck(violations);
        this.disks = new PreparedCheck(violations);
    }

    /** Registers the disk of a server. The disk survives restarts of the server. */
    public void disk(String server, SimDiskMedium simulatedDisk) {
        reservationAborts.disk(server, simulatedDisk);
        disks.disk(server, simulatedDisk);
    }

    /** Number of replicas' disks that were checked at commits. */
    public long checkedDisks() {
        return disks.checkedDisks();
    }

    /** Checks a gate that a server publishes. */
    public void published(String server, ReplicaKey key, ReadGate gate) {
        gates.put(server + " " + key, gate);
    }

    /** Checks a transaction that the registry has committed. */
    public void committed(List<Applied> applied, long nanos) {
        Map<String, DecisionHistory> replaced = new HashMap<>();
        for (Applied one : applied) { // first, because the log of the same write refers to these outcomes
            if (one.after() != null && one.after().value() instanceof DecisionHistory value) {
                DecisionHistory was = outcomes.put(table(one), value);
                if (was != null && was.tableId() == value.tableId()) {
                    replaced.put(table(one), was);
                }
            }
        }
        for (Applied one : applied) {
            if (one.after() == null) {
                continue;
            }
            if (one.after().value() instanceof TableMap map) {
                maps.put(table(one), map);
            } else if (one.after().value() instanceof TransactionLogState after
                    && one.before() != null
                    && one.before().value() instanceof TransactionLogState before
                    && before.tableId() == after.tableId()) {
                DecisionHistory none = DecisionHistory.empty(after.tableId());
                step(table(one), before, after, replaced.getOrDefault(table(one), none), nanos);
            }
        }
    }

    private static String table(Applied one) {
        String path = one.op().path();
        return path.substring(0, path.lastIndexOf('/'));
    }

    private void step(
            String table, TransactionLogState before, TransactionLogState after, DecisionHistory was, long nanos) {
        InFlight flight = before.inFlight();
        if (after.committedVersion() < before.committedVersion() || after.nextVersion() < before.nextVersion()) {
            violations.add(
                    "I1",
                    table + " goes from version " + before.committedVersion() + " to " + after.committedVersion());
        }
        if (after.committedVersion() > before.committedVersion()
                && (flight == null || flight.version() != after.committedVersion())) {
            violations.add("I1", table + " commits version " + after.committedVersion() + ", which was not in flight");
        }
        InFlight now = after.inFlight();
        if (flight != null
                && now != null
                && flight.version() == now.version()
                && !(flight.manager().equals(now.manager()) && (flight.isStartedAhead() || flight.equals(now)))) {
            violations.add("I1", table + " has version " + now.version() + " in flight twice: " + flight + ", " + now);
        }
        DecisionHistory older = outcomes.getOrDefault(table, DecisionHistory.empty(after.tableId()));
        DecisionHistory own = older.tableId() == after.tableId() ? older : DecisionHistory.empty(after.tableId());
        if (own.writeNumber() != after.historyNumber()) {
            violations.add(
                    "I1", table + " names outcomes " + after.historyNumber() + " where those are " + own.writeNumber());
        }
        kept(table, before, after, was, own);
        TableMap map = maps.get(table);
        if (map != null && map.tableId() == after.tableId()) {
            reservationAborts.step(table, before, after, map);
        }
        Map<Long, Decision> known = new HashMap<>();
        before.decisions().forEach(decision -> known.put(decision.version(), decision));
        for (Decision decision : after.decisions()) {
            Decision old = known.get(decision.version());
            if (old != null && old.committed() != decision.committed()) {
                violations.add("I1", table + " changes the outcome of version " + decision.version());
            }
        }
        if (after.committedVersion()
                > before.committedVersion()) { // a version that was started ahead has its participants only in the
            // decision
            TransactionLogTransitions.decision(after, after.committedVersion())
                    .map(Decision::unackedParticipants)
                    .orElse(List.of())
                    .forEach(actor -> prepared(table, after, actor, nanos));
        }
    }

    /**
     * I9: every outcome that leaves the transaction log moves to the outcomes node, and outcomes in that node stay there.
     *
     * <p>Two kinds of outcomes may be removed: those that {@link TransactionLogState} counts as forgotten, and aborts without a refusal.
     * Both only while the log keeps so many requests that it has no room for more. The abort of a version that was started ahead has no
     * request and may always be removed.
     */
    private void kept(
            String table,
            TransactionLogState before,
            TransactionLogState after,
            DecisionHistory was,
            DecisionHistory older) {
        Set<Long> versions = new HashSet<>();
        after.decisions().forEach(decision -> versions.add(decision.version()));
        Map<Long, Decision> moved = new HashMap<>();
        older.decisions().forEach(decision -> moved.put(decision.version(), decision));
        int requests = older.decisions().stream()
                .mapToInt(decision -> decision.batches().size())
                .sum();
        if (after.newestForgottenVersion() > before.newestForgottenVersion()
                && requests < Limits.TABLE_DECISIONS_KEPT) {
            violations.add(
                    "I9",
                    table + " forgets versions up to " + after.newestForgottenVersion() + " and keeps " + requests
                            + " requests");
        }
        boolean crowded = requests > Limits.TABLE_DECISIONS_KEPT - Limits.ATOMIC_BATCHES_PER_VERSION_MAX;
        List<Decision> had = new ArrayList<>(was.decisions());
        had.addAll(before.decisions());
        for (Decision decision : had) {
            boolean stays = versions.contains(decision.version());
            boolean abort = !decision.committed()
                    && (crowded && decision.refusedRequests().isEmpty()
                            || decision.batches().isEmpty());
            boolean told = decision.version() <= after.newestForgottenVersion() || abort;
            Decision other = moved.get(decision.version());
            if (!stays && !told && (other == null || !sameOutcome(decision, other))) {
                violations.add("I9", table + " loses the outcome of version " + decision.version());
            }
        }
    }

    private static boolean sameOutcome(Decision one, Decision other) {
        return one.version() == other.version()
                && one.committed() == other.committed()
                && one.batches().equals(other.batches())
                && one.refusedRequests().equals(other.refusedRequests());
    }

    /** The gate shows the version, or an earlier version in doubt that may be committed. An aborted version in doubt hides nothing. */
    private void prepared(String table, TransactionLogState log, int actor, long nanos) {
        long tableId = log.tableId();
        long version = log.committedVersion();
        TableMap map = maps.get(table);
        if (map == null || map.tableId() != tableId) {
            violations.add("I1", table + " commits version " + version + " without a map");
            return;
        }
        ActorState state = map.find(actor);
        if (state == null) {
            violations.add(
                    "I1", table + " commits version " + version + " with actor " + actor + ", which its map lacks");
            return;
        }
        ReplicaKey key = new ReplicaKey(tableId, actor);
        for (ServerId member : state.isr()) {
            ReadGate gate = gates.get(member.value() + " " + key);
            boolean answers = gate != null && gate.serving() && gate.epoch() == state.epoch();
            boolean knows = gate != null
                    && (gate.committedVersion() >= version
                            || gate.inDoubtVersion() == version
                            || gate.inDoubtVersion() != 0
                                    && gate.inDoubtVersion() < version
                                    && !aborted(log, gate.inDoubtVersion()));
            if (answers && !knows) {
                violations.add(
                        "I2", key + " on " + member + " does not hold version " + version + " when it is committed");
            }
        }
        disks.committed(key, state, version);
        fences.onAtomicCommitted(key, state.epoch(), nanos);
    }

    private static boolean aborted(TransactionLogState log, long version) {
        return TransactionLogTransitions.decision(log, version)
                .filter(decision -> !decision.committed())
                .isPresent();
    }
}
