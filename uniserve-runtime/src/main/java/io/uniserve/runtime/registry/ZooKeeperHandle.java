package io.uniserve.runtime.registry;

import java.util.List;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/** ZooKeeper client of a session, with the access list of new nodes. */
record ZooKeeperHandle(ZooKeeper client, List<ACL> acl) {}
