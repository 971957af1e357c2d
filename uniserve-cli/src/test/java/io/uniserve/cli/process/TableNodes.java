package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** The nodes of a table in ZooKeeper, as somebody with a ZooKeeper client takes them away by hand and puts them back. */
final class TableNodes implements AutoCloseable {
    private static final int PATIENCE_MS = 60_000;

    private final ZooKeeper client;
    private final String root;

    /** A node with what it has. */
    record Node(String path, byte[] data) {}

    TableNodes(Address zookeeper, String cluster, String table) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        root = "/uniserve/" + cluster + "/tables/" + table;
        client = new ZooKeeper(zookeeper.toString(), PATIENCE_MS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        assertThat(connected.await(PATIENCE_MS, TimeUnit.MILLISECONDS)).isTrue();
    }

    /** Reads all, parents first, and deletes them. */
    List<Node> take() throws KeeperException, InterruptedException {
        List<Node> nodes = new ArrayList<>();
        read(root, nodes);
        ZKUtil.deleteRecursive(client, root);
        return nodes;
    }

    private void read(String path, List<Node> nodes) throws KeeperException, InterruptedException {
        byte[] data = client.getData(path, false, null);
        nodes.add(new Node(path, data == null ? new byte[0] : data));
        for (String child : client.getChildren(path, false)) {
            read(path + "/" + child, nodes);
        }
    }

    void put(List<Node> nodes) throws KeeperException, InterruptedException {
        for (Node node : nodes) {
            client.create(node.path(), node.data(), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }
}
