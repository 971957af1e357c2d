package io.uniserve.simulator.plant.store;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.simulator.plant.Plant;

/** {@link Plant#DELETION_UNMARKED}: does not store the objects that say that a table is dropped or a backup deleted. */
public final class DeletionUnmarkedBug extends ForwardingObjectStore {
    public DeletionUnmarkedBug(ObjectStore store) {
        super(store);
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        if (ArchivePaths.isDeletedMark(key) || data.equals(StoredTableDefinition.droppedMark())) {
            completion.done(Outcome.ok(Done.DONE));
        } else {
            super.put(key, data, completion);
        }
    }
}
