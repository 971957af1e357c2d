package io.uniserve.testkit.cluster;

import io.uniserve.api.Engine;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.port.LoadedPort;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Builder of a {@link LocalCluster}. Not thread-safe. Invalid values fail with INVALID_ARGUMENT, here or at the start. */
public final class LocalClusterBuilder {
    private final Map<String, LoadedPort> ports = new LinkedHashMap<>();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private int servers = 3;
    private String host = "127.0.0.1";
    private int port;
    private Optional<Path> directory = Optional.empty();
    private Function<Map<String, String>, Settings> loader = values -> Settings.load(Optional.empty(), values);
    private Consumer<String> progress = line -> {};
    private Consumer<Throwable> onFailure = error -> {};

    LocalClusterBuilder() {}

    /** Number of servers, 1 to {@link LocalCluster#SERVERS_MAX}. Default: 3. */
    public LocalClusterBuilder servers(int count) {
        if (count < 1 || count > LocalCluster.SERVERS_MAX) {
            throw UniserveException.invalid("servers is " + count + ": use 1 to " + LocalCluster.SERVERS_MAX);
        }
        this.servers = count;
        return this;
    }

    /** Adds an engine from this class path, which every server runs. */
    public LocalClusterBuilder engine(Engine engine) {
        return port(LoadedPort.of(engine));
    }

    /** Adds a loaded engine, which every server runs. Without any, the setting {@code server.engines} names them. */
    public LocalClusterBuilder port(LoadedPort loaded) {
        ports.put(loaded.engine().info().name(), loaded);
        return this;
    }

    /** Interface to listen on. Default: 127.0.0.1. */
    public LocalClusterBuilder host(String name) {
        this.host = name;
        return this;
    }

    /** The coordinator's port; the servers use the next ones. Default: 0, any free ports. */
    public LocalClusterBuilder firstPort(int number) {
        this.port = number;
        return this;
    }

    /**
     * Directory of all files. A cluster that is started again on the same directory has its tables and rows back. Default: a temporary
     * directory that the cluster deletes when it is closed.
     */
    public LocalClusterBuilder directory(Path folder) {
        this.directory = Optional.of(folder);
        return this;
    }

    /** Sets one option of all daemons, by its key in {@code reference.conf} without {@code uniserve.}. */
    public LocalClusterBuilder setting(String key, String value) {
        settings.put("uniserve." + key, value);
        return this;
    }

    /** Sets the function that builds a daemon's configuration from the values of the cluster. Default: on top of {@code reference.conf}. */
    public LocalClusterBuilder settings(Function<Map<String, String>, Settings> load) {
        this.loader = load;
        return this;
    }

    /** Listener to one line per daemon that has started. Default: none. */
    public LocalClusterBuilder progress(Consumer<String> listener) {
        this.progress = listener;
        return this;
    }

    /** Listener to fatal errors of daemons, called on any thread. The cluster keeps them too, see {@link LocalCluster#failures}. */
    public LocalClusterBuilder onFailure(Consumer<Throwable> listener) {
        this.onFailure = listener;
        return this;
    }

    /**
     * Starts all daemons and returns when all of them serve. If one fails, those already started are closed.
     *
     * @throws UniserveException the error of the daemon that could not start
     */
    public LocalCluster start() {
        LocalCluster cluster = new LocalCluster(this);
        boolean started = false;
        try {
            cluster.startAll();
            started = true;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
        return cluster;
    }

    int servers() {
        return servers;
    }

    String host() {
        return host;
    }

    Map<String, LoadedPort> ports() {
        return Map.copyOf(ports);
    }

    Optional<Path> directory() {
        return directory;
    }

    void reportProgress(String line) {
        progress.accept(line);
    }

    void reportFailure(Throwable error) {
        onFailure.accept(error);
    }

    /** The port of the server with this number, or of the coordinator for number 0. */
    int port(int number) {
        return port == 0 ? 0 : port + number;
    }

    Settings load(Map<String, String> values) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.putAll(settings);
        return loader.apply(all);
    }
}
