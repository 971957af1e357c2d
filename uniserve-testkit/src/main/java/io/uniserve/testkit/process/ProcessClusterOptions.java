package io.uniserve.testkit.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of a cluster of processes. Automatic moves of replicas are off unless the settings enable them, so that measurements are stable.
 *
 * @param directory directory of data, logs and durable store
 * @param servers number of servers at the start
 * @param port the port of the servers, e.g. {@code solr}
 * @param serverHeap heap option of a server, e.g. {@code -Xmx512m}
 * @param settings configuration of coordinator and servers
 * @param prefix arguments before every command, e.g. a wrapper that limits CPU; usually empty
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

    /** Returns the defaults for a cluster in this directory. */
    public static ProcessClusterOptions of(Path directory, int servers, String port) {
        return new ProcessClusterOptions(
                directory, "local", servers, port, "-Xmx512m", Map.of(), List.of(), JavaLauncher.ofThisProcess());
    }

    /** Returns the options with this configuration of coordinator and servers. */
    public ProcessClusterOptions with(Map<String, String> newSettings) {
        return new ProcessClusterOptions(directory, cluster, servers, port, serverHeap, newSettings, prefix, java);
    }

    /** Returns the options with this launcher of processes. */
    public ProcessClusterOptions with(JavaLauncher launcher) {
        return new ProcessClusterOptions(directory, cluster, servers, port, serverHeap, settings, prefix, launcher);
    }

    /** Returns the options with this heap of servers, e.g. {@code -Xmx3g}. */
    public ProcessClusterOptions withHeap(String heap) {
        return new ProcessClusterOptions(directory, cluster, servers, port, heap, settings, prefix, java);
    }

    /** Returns the options for short-lived processes: JVMs that start sooner but stay slow, because they use one compiler. */
    public ProcessClusterOptions withFastStart() {
        return with(java.with("-XX:TieredStopAtLevel=1"));
    }
}
