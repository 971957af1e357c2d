package io.uniserve.simulator.check;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.simulator.disk.ForwardingDisk;
import io.uniserve.simulator.disk.LogFilePaths;
import io.uniserve.simulator.disk.SimDiskMedium;
import java.util.Optional;
import java.util.function.Function;

/**
 * Check of I14: a segment is deleted from the front of a log only if two checkpoints cover all its entries. One is a complete checkpoint on
 * the same disk, the other is the one that the registry's backup record names. The check reads the disk's medium and the registry at the
 * time of the deletion, not the state of the replica.
 */
public final class LogCleaningCheck extends ForwardingDisk {
    private final SimDiskMedium simulatedDisk;
    private final ViolationCollector violations;
    private final Function<ReplicaKey, Optional<BackupRecord>> records;
    private final Runnable dropped;

    /**
     * @param records the registry's backup record of an actor; empty for an actor without a check of its backup
     * @param dropped runs for each deleted segment
     */
    public LogCleaningCheck(
            Disk disk,
            SimDiskMedium simulatedDisk,
            ViolationCollector violations,
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
        LogFilePaths.segment(path)
                .ifPresent(segment ->
                        segment.next(simulatedDisk).ifPresent(next -> checkDeletion(segment.key(), next.first() - 1)));
        super.delete(path, completion);
    }

    private void checkDeletion(ReplicaKey key, long last) {
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
