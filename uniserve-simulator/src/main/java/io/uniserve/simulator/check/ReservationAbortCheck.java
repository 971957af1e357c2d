package io.uniserve.simulator.check;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.simulator.disk.LogFilePaths;
import io.uniserve.simulator.disk.SimDiskMedium;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Check of I1 for versions that one transaction manager started ahead and another one aborts. No server has a record of the actors that
 * have prepared such a version, so all actors of the table must acknowledge the abort. An actor is removed from the decision only when each
 * of its in-sync replicas has the decision, or a later version, on its disk. Otherwise a PREPARE may stay in doubt for ever, after its
 * decision is forgotten. The check reads the disks, not messages.
 */
final class ReservationAbortCheck {
    private final ViolationCollector violations;
    private final Map<String, SimDiskMedium> disks = new HashMap<>();

    ReservationAbortCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /** Registers the disk of a server. */
    void disk(String server, SimDiskMedium simulatedDisk) {
        disks.put(server, simulatedDisk);
    }

    private static boolean isReservationAbort(Decision decision) {
        return !decision.committed() && decision.batches().isEmpty();
    }

    /** Handles a change of the transaction log of one table number. */
    void step(String table, TransactionLogState before, TransactionLogState after, TableMap map) {
        for (Decision decision : after.decisions()) {
            if (isReservationAbort(decision)
                    && TransactionLogTransitions.decision(before, decision.version())
                            .isEmpty()
                    && !decision.unackedParticipants().equals(map.numbers())) {
                violations.add(
                        "I1",
                        table + " aborts version " + decision.version() + ", started ahead, and awaits only actors "
                                + decision.unackedParticipants());
            }
        }
        for (Decision decision : before.decisions()) {
            if (isReservationAbort(decision) && !decision.unackedParticipants().isEmpty()) {
                TreeSet<Integer> struck = new TreeSet<>(decision.unackedParticipants());
                struck.removeAll(TransactionLogTransitions.decision(after, decision.version())
                        .map(Decision::unackedParticipants)
                        .orElse(List.of()));
                struck.forEach(actor -> logged(map, actor, decision.version()));
            }
        }
    }

    private void logged(TableMap map, int actor, long version) {
        ActorState state = map.find(actor);
        if (state == null) { // its chunk is expired, and it never logs anything again
            return;
        }
        ReplicaKey key = new ReplicaKey(map.tableId(), actor);
        for (ServerId member : state.epochStarted() ? state.isr() : List.<ServerId>of()) {
            SimDiskMedium simulatedDisk = disks.get(member.value());
            if (simulatedDisk != null && lacks(simulatedDisk, key, version)) {
                violations.add(
                        "I1",
                        key + " is struck off version " + version + ", which the log of " + member
                                + " does not know to be decided");
            }
        }
    }

    /** True only if the whole log is present and intact. Missing front segments, damage or a lost disk permit no conclusion. */
    private static boolean lacks(SimDiskMedium simulatedDisk, ReplicaKey key, long version) {
        long next = 1;
        for (String path : simulatedDisk.under(key + "/log")) {
            LogFilePaths.Segment segment = LogFilePaths.segment(path).orElse(null);
            if (segment == null) {
                continue;
            }
            if (segment.first() != next
                    || !(ReplicaLog.decode(simulatedDisk.content(path), next)
                            instanceof Outcome.Ok<List<LogEntry>> ok)) {
                return false;
            }
            if (ok.value().stream().anyMatch(entry -> entry.version() >= version && decides(entry, version))) {
                return false;
            }
            next += ok.value().size();
        }
        return next > 1;
    }

    /** A later PREPARE proves the decision too, as no entry is logged after a PREPARE before its decision. */
    private static boolean decides(LogEntry entry, long version) {
        return switch (entry.type()) {
            case DECIDE, REFUSED -> true;
            case PREPARE -> entry.version() > version;
            case UPDATE, EPOCH, DELTA -> false;
        };
    }
}
