package io.uniserve.simulator.check;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.simulator.disk.LogFilePaths;
import io.uniserve.simulator.disk.SimDiskMedium;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Check of I2 on the disks: at the commit of a version, each in-sync replica of each participant has its PREPARE synced to the medium, also
 * if the replica is down or answers no reads. The check reads the medium, not messages.
 */
final class PreparedCheck {
    private final ViolationCollector violations;
    private final Map<String, SimDiskMedium> disks = new HashMap<>();

    private long checkedDisks;

    PreparedCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /** Number of logs that could be checked. */
    long checkedDisks() {
        return checkedDisks;
    }

    /** Registers the disk of a server. */
    void disk(String server, SimDiskMedium simulatedDisk) {
        disks.put(server, simulatedDisk);
    }

    /** Checks a version with rows in this actor, at the time of its commit. */
    void committed(ReplicaKey key, ActorState state, long version) {
        for (ServerId member : state.isr()) {
            SimDiskMedium simulatedDisk = disks.get(member.value());
            Boolean holds = simulatedDisk == null ? null : holds(simulatedDisk, key, version);
            checkedDisks += holds == null ? 0 : 1;
            if (Boolean.FALSE.equals(holds)) {
                violations.add(
                        "I2",
                        "the disk of " + member + " does not hold version " + version + " of " + key
                                + " prepared when it is committed");
            }
        }
    }

    /**
     * Reads the newest segments first, as the entry is usually there. Null if the log is lost with the disk or is damaged: no conclusion.
     */
    private static @Nullable Boolean holds(SimDiskMedium simulatedDisk, ReplicaKey key, long version) {
        List<String> paths = simulatedDisk.under(key + "/log");
        boolean any = false;
        for (int i = paths.size() - 1; i >= 0; i--) {
            LogFilePaths.Segment segment = LogFilePaths.segment(paths.get(i)).orElse(null);
            if (segment == null) {
                continue;
            }
            if (!(ReplicaLog.decode(simulatedDisk.synced(paths.get(i)), segment.first())
                    instanceof Outcome.Ok<List<LogEntry>> entries)) {
                return null;
            }
            if (entries.value().stream()
                    .anyMatch(entry -> entry.type() == LogEntry.Type.PREPARE && entry.version() == version)) {
                return true;
            }
            any = true;
        }
        return any ? false : null;
    }
}
