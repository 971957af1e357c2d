package io.uniserve.port.solr;

import java.io.IOException;
import java.util.Collection;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.LockFactory;
import org.apache.solr.core.StandardDirectoryFactory;

/**
 * Directories whose commits do not wait for the disk: an actor's live files are deleted at every start, and the host
 * syncs what it keeps, a checkpoint's links to the same files. Named in {@code solrconfig.xml}.
 */
public final class ScratchDirectoryFactory extends StandardDirectoryFactory {
    @Override
    protected Directory create(String path, LockFactory lockFactory, DirContext context) throws IOException {
        return new FilterDirectory(super.create(path, lockFactory, context)) {
            @Override
            public void sync(Collection<String> names) {
                // See the class: nothing is lost that the log does not have.
            }

            @Override
            public void syncMetaData() {
                // As above.
            }
        };
    }
}
