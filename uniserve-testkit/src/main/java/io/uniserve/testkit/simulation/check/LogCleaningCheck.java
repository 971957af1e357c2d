package io.uniserve.testkit.simulation.check;

import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.testkit.simulation.disk.ForwardingDisk;
import io.uniserve.testkit.simulation.disk.LogFiles;
import io.uniserve.testkit.simulation.disk.SimulatedDisk;
import java.util.Optional;
import java.util.function.Function;

/**
 * I14: a segment is dropped from the front of a log only when a finished checkpoint on the same disk, and the checkpoint that the
 * registry's backup record names, cover every entry of it. Looks at what lies on the medium and in the registry at the moment of
 * the deletion, not at what the replica believes.
 */
public final class LogCleaningCheck extends ForwardingDisk {
    private final SimulatedDisk simulatedDisk;
    private final Violations violations;
    private final Function<ReplicaKey, Optional<BackupRecord>> records;
    private final Runnable dropped;

    /**
     * @param records what the registry says of an actor's backup; empty for an actor whose backup is not looked at
     * @param dropped runs for each segment that goes
     */
    public LogCleaningCheck(
            Disk disk,
            SimulatedDisk simulatedDisk,
            Violations violations,
            Function<ReplicaKey, Optional<BackupRecord>> records,
            Runnable dropped) {
        super(disk);
        this.simulatedDisk = simulatedDisk;
        this.violations = violations;
        this.records = records;
        this.dropped = dropped;
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        LogFiles.segment(path)
                .ifPresent(segment ->
                        segment.next(simulatedDisk).ifPresent(next -> look(segment.key(), next.first() - 1)));
        super.delete(path, completion);
    }

    private void look(ReplicaKey key, long last) {
        dropped.run();
        String checkpoints = key + "/checkpoint/";
        boolean covered = simulatedDisk.under(key + "/checkpoint").stream()
                .filter(path -> path.endsWith("/manifest"))
                .map(path -> path.substring(checkpoints.length(), path.indexOf('-', checkpoints.length())))
                .anyMatch(index -> Long.parseLong(index) >= last);
        if (!covered) {
            violations.add("I14", key + " drops its log up to " + last + ", and no checkpoint here covers that");
        }
        records.apply(key)
                .filter(record -> record.checkpointIndex() < last)
                .ifPresent(record -> violations.add(
                        "I14",
                        key + " drops its log up to " + last + ", and the checkpoint in durable storage is of index "
                                + record.checkpointIndex()));
    }
}
