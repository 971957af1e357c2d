package io.uniserve.lucene;

import java.util.Collection;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;

/**
 * Directory whose commits do not wait for the disk. The host syncs the checkpoints and the log that it keeps, and deletes all other files
 * at every start. As thread-safe as the directory that it wraps.
 */
public class UnsyncedDirectory extends FilterDirectory {
    public UnsyncedDirectory(Directory directory) {
        super(directory);
    }

    @Override
    public void sync(Collection<String> names) {
        // All data that could be lost are in the host's log.
    }

    @Override
    public void syncMetaData() {
        // As above.
    }
}
