package io.uniserve.simulator.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.simulator.disk.ForwardingDisk;
import io.uniserve.simulator.disk.LogFilePaths;
import io.uniserve.simulator.disk.SimDiskMedium;
import java.util.Optional;

/** {@link Plant#GREEDY_DROP}: deletes, with each segment, also the next one, unless that is the last of the log. */
public final class GreedyDropBug extends ForwardingDisk {
    private final SimDiskMedium simulatedDisk;

    public GreedyDropBug(Disk disk, SimDiskMedium simulatedDisk) {
        super(disk);
        this.simulatedDisk = simulatedDisk;
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        Optional<LogFilePaths.Segment> more = LogFilePaths.segment(path)
                .flatMap(segment -> segment.next(simulatedDisk))
                .filter(next -> next.next(simulatedDisk).isPresent());
        if (more.isPresent()) {
            super.delete(more.get().path(), done -> super.delete(path, completion));
        } else {
            super.delete(path, completion);
        }
    }
}
