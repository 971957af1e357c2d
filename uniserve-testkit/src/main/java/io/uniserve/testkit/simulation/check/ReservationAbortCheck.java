package io.uniserve.testkit.simulation.check;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.tx.TransactionLogTransitions;
import io.uniserve.testkit.simulation.disk.LogFiles;
import io.uniserve.testkit.simulation.disk.SimulatedDisk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * I1 of versions begun ahead that another driver aborts: nobody knows who has prepared one, so all actors of the table owe an
 * acknowledgement, and one is struck off only when each of its in-sync replicas has on its disk that the version is decided, or a
 * later one. Else a PREPARE may be left in doubt for ever, whose decision nobody knows any more. Looks at what lies on the disks,
 * not at what anybody said.
 */
final class ReservationAbortCheck {
    private final Violations violations;
    private final Map<String, SimulatedDisk> disks = new HashMap<>();

    ReservationAbortCheck(Violations violations) {
        this.violations = violations;
    }

    /** A server's disk. */
    void disk(String server, SimulatedDisk simulatedDisk) {
        disks.put(server, simulatedDisk);
    }

    private static boolean displaced(Decision decision) {
        return !decision.committed() && decision.batches().isEmpty();
    }

    /** The log of one table number has changed. */
    void step(String table, TransactionLogState before, TransactionLogState after, TableMap map) {
        for (Decision decision : after.decisions()) {
            if (displaced(decision)
                    && TransactionLogTransitions.decision(before, decision.version())
                            .isEmpty()
                    && decision.unacked().size() != map.actors().size()) {
                violations.add(
                        "I1",
                        table + " aborts version " + decision.version() + ", begun ahead, and awaits only actors "
                                + decision.unacked());
            }
        }
        for (Decision decision : before.decisions()) {
            if (displaced(decision) && !decision.unacked().isEmpty()) {
                TreeSet<Integer> struck = new TreeSet<>(decision.unacked());
                struck.removeAll(TransactionLogTransitions.decision(after, decision.version())
                        .map(Decision::unacked)
                        .orElse(List.of()));
                struck.forEach(actor -> logged(map, actor, decision.version()));
            }
        }
    }

    private void logged(TableMap map, int actor, long version) {
        ActorState state = map.actors().get(actor);
        ReplicaKey key = new ReplicaKey(map.tableId(), actor);
        for (ServerId member : state.begun() ? state.isr() : List.<ServerId>of()) {
            SimulatedDisk simulatedDisk = disks.get(member.value());
            if (simulatedDisk != null && lacks(simulatedDisk, key, version)) {
                violations.add(
                        "I1",
                        key + " is struck off version " + version + ", which the log of " + member
                                + " does not know to be decided");
            }
        }
    }

    /** Only where all of the log is there and whole: what a checkpoint covers, or rot, or the loss of the disk took, tells nothing. */
    private static boolean lacks(SimulatedDisk simulatedDisk, ReplicaKey key, long version) {
        long next = 1;
        for (String path : simulatedDisk.under(key + "/log")) {
            LogFiles.Segment segment = LogFiles.segment(path).orElse(null);
            if (segment == null) {
                continue;
            }
            if (segment.first() != next
                    || !(ReplicaLog.decode(simulatedDisk.content(path), next)
                            instanceof Outcome.Ok<List<LogEntry>> ok)) {
                return false;
            }
            if (ok.value().stream().anyMatch(entry -> entry.version() >= version && settles(entry, version))) {
                return false;
            }
            next += ok.value().size();
        }
        return next > 1;
    }

    /** A later PREPARE tells it too: none is logged behind a version that is open. */
    private static boolean settles(LogEntry entry, long version) {
        return switch (entry.type()) {
            case DECIDE, REFUSED -> true;
            case PREPARE -> entry.version() > version;
            case UPDATE, EPOCH, DELTA -> false;
        };
    }
}
