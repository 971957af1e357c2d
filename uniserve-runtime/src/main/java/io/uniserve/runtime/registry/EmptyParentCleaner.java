package io.uniserve.runtime.registry;

import java.util.Iterator;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Cleanup of parent nodes with neither value nor children, deepest first, one at a time. Best effort: a creation below a deleted
 * parent creates the parent again.
 */
final class EmptyParentCleaner {
    private final ZooKeeperHandle zooKeeperHandle;
    private final String root;
    private final Iterator<String> parents;
    private final Runnable whenDone;

    EmptyParentCleaner(ZooKeeperHandle zooKeeperHandle, String root, Iterator<String> parents, Runnable then) {
        this.zooKeeperHandle = zooKeeperHandle;
        this.root = root;
        this.parents = parents;
        this.whenDone = then;
    }

    void deleteNext() {
        if (!parents.hasNext()) {
            whenDone.run();
            return;
        }
        String parent = root + parents.next();
        zooKeeperHandle
                .client()
                .getData(
                        parent,
                        false,
                        (rc, path, context, data, stat) -> {
                            boolean empty = rc == Code.OK.intValue()
                                    && (data == null || data.length == 0)
                                    && stat.getNumChildren() == 0;
                            if (empty) {
                                zooKeeperHandle
                                        .client()
                                        .delete(parent, stat.getVersion(), (code, name, unused) -> deleteNext(), null);
                            } else {
                                deleteNext();
                            }
                        },
                        null);
    }
}
