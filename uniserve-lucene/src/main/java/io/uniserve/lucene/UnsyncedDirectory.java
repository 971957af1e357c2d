package io.uniserve.lucene;

import java.util.Collection;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;

/**
 * A directory whose commits do not wait for the disk: the host syncs the checkpoints and the log that it keeps, and deletes
 * the rest at every start. As thread-safe as the directory it wraps.
 */
public class UnsyncedDirectory extends FilterDirectory {
    public UnsyncedDirectory(Directory directory) {
        super(directory);
    }

    @Override
    public void sync(Collection<String> names) {
        // Nothing is lost that the host's log does not have.
    }

    @Override
    public void syncMetaData() {
        // As above.
    }
}
