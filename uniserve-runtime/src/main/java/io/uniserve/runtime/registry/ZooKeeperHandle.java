package io.uniserve.runtime.registry;

import io.uniserve.runtime.registry.access.ZooKeeperIdentity;
import java.util.List;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/** ZooKeeper client of a session, with the identity that owns new nodes. */
record ZooKeeperHandle(ZooKeeper client, ZooKeeperIdentity identity) {
    /** Folder of all clusters, which may have other owners. */
    private static final String SHARED_FOLDER = "/uniserve";

    /** Access list of a new node. */
    List<ACL> acl(String path) {
        return isShared(path) ? identity.sharedFolderList() : identity.nodeList();
    }

    static boolean isShared(String path) {
        return path.equals(SHARED_FOLDER);
    }
}
