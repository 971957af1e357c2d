package io.uniserve.cli.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a cluster of processes looks. Replicas move by themselves only where the settings say so: what is measured stays where it
 * was put.
 *
 * @param directory where data, logs and durable store live
 * @param servers number of servers at the start
 * @param port the port the servers load, e.g. {@code solr}
 * @param serverHeap heap option of a server, e.g. {@code -Xmx512m}
 * @param settings configuration of coordinator and servers, key to value
 * @param prefix words before every command, e.g. a wrapper that limits CPU; usually empty
 */
public record ProcessClusterOptions(
        Path directory,
        String cluster,
        int servers,
        String port,
        String serverHeap,
        Map<String, String> settings,
        List<String> prefix,
        JavaLauncher java) {
    public ProcessClusterOptions {
        settings = new TreeMap<>(settings);
        settings.putIfAbsent("coordinator.rebalance.period", "0s");
        prefix = List.copyOf(prefix);
    }

    /** Defaults for a cluster in this directory. */
    public static ProcessClusterOptions of(Path directory, int servers, String port) {
        return new ProcessClusterOptions(
                directory, "local", servers, port, "-Xmx512m", Map.of(), List.of(), JavaLauncher.ofThisProcess());
    }

    /** The same with this configuration of coordinator and servers. */
    public ProcessClusterOptions with(Map<String, String> newSettings) {
        return new ProcessClusterOptions(directory, cluster, servers, port, serverHeap, newSettings, prefix, java);
    }

    /** The same with processes started by this launcher. */
    public ProcessClusterOptions with(JavaLauncher launcher) {
        return new ProcessClusterOptions(directory, cluster, servers, port, serverHeap, settings, prefix, launcher);
    }

    /** The same with servers of this heap, e.g. {@code -Xmx3g}. */
    public ProcessClusterOptions withHeap(String heap) {
        return new ProcessClusterOptions(directory, cluster, servers, port, heap, settings, prefix, java);
    }

    /** The same in JVMs that start sooner and are never fast, as they compile but once: for processes that live briefly. */
    public ProcessClusterOptions brief() {
        return with(java.with("-XX:TieredStopAtLevel=1"));
    }
}
