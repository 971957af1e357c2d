package io.uniserve.benchmark.text;

import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** SolrCloud of real processes: ZooKeeper and nodes. Its client is in this JVM. Not thread-safe. */
public final class SolrCloud implements AutoCloseable {
    private static final String NODE = "io.uniserve.benchmark.solrcloud.SolrNode";
    private static final long START_TIMEOUT_MS = 120_000;

    private final JavaLauncher java = JavaLauncher.ofThisProcess();
    private final PeerLoader peer;
    private final Path directory;
    private final List<DaemonProcess> daemons = new ArrayList<>();

    /**
     * Prepares the cloud without starting it.
     *
     * @param jars the peer's jars
     */
    public SolrCloud(Path directory, Path jars) {
        this.peer = new PeerLoader(jars);
        this.directory = directory;
    }

    /** Starts ZooKeeper and nodes with this heap, waits until all serve, and connects. */
    public SearchPeer start(int nodes, String heap) {
        DaemonProcess zooKeeper = launch(
                "solrcloud-zookeeper",
                java.commandLine(
                        "-Xmx256m", List.of("zookeeper", "--port", "0", "--data", path("solrcloud-zookeeper-data"))));
        String address = zooKeeper.awaitReady(START_TIMEOUT_MS).toString();
        for (int i = 1; i <= nodes; i++) {
            List<String> command = new ArrayList<>(List.of(java.java().toString(), heap));
            command.addAll(java.flags());
            command.addAll(List.of("-cp", peer.classPath(), NODE, path("solrcloud-" + i + "-home"), address));
            launch("solrcloud-" + i, command);
        }
        nodes().forEach(node -> node.awaitReady(START_TIMEOUT_MS));
        return peer.connect(address);
    }

    /** Returns the nodes, without ZooKeeper. */
    List<DaemonProcess> nodes() {
        return List.copyOf(daemons.subList(1, daemons.size()));
    }

    /** Returns the address of ZooKeeper. */
    public String zooKeeper() {
        return daemons.get(0).awaitReady(START_TIMEOUT_MS).toString();
    }

    private DaemonProcess launch(String name, List<String> command) {
        DaemonProcess daemon = DaemonProcess.start(name, command, directory.resolve(name + ".log"));
        daemons.add(daemon);
        return daemon;
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    /** Kills all processes, ZooKeeper last. */
    @Override
    public void close() {
        for (int i = daemons.size() - 1; i >= 0; i--) {
            daemons.get(i).close();
        }
    }
}
