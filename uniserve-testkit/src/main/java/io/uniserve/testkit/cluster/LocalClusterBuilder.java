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

/** Says what {@link LocalCluster} starts. Not thread-safe. Wrong values fail with INVALID_ARGUMENT, here or at the start. */
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

    /** How many servers, 1 to {@link LocalCluster#SERVERS_MAX}. Default: 3. */
    public LocalClusterBuilder servers(int count) {
        if (count < 1 || count > LocalCluster.SERVERS_MAX) {
            throw UniserveException.invalid("servers is " + count + ": use 1 to " + LocalCluster.SERVERS_MAX);
        }
        this.servers = count;
        return this;
    }

    /** Adds an engine that every server runs, from this class path. */
    public LocalClusterBuilder engine(Engine engine) {
        return port(LoadedPort.of(engine));
    }

    /** Adds an engine that every server runs, loaded already. Without any, the setting {@code server.engines} names them. */
    public LocalClusterBuilder port(LoadedPort loaded) {
        ports.put(loaded.engine().info().name(), loaded);
        return this;
    }

    /** The interface to listen on. Default: 127.0.0.1. */
    public LocalClusterBuilder host(String name) {
        this.host = name;
        return this;
    }

    /** The coordinator's port; the servers take the next ones. Default: 0, any free ones. */
    public LocalClusterBuilder firstPort(int number) {
        this.port = number;
        return this;
    }

    /**
     * Where everything is kept; a cluster started again on the same directory has its tables and rows back. Default: a
     * temporary directory that the cluster deletes when it is closed.
     */
    public LocalClusterBuilder directory(Path folder) {
        this.directory = Optional.of(folder);
        return this;
    }

    /** One option of all daemons, by the key that {@code reference.conf} explains, without {@code uniserve.}. */
    public LocalClusterBuilder setting(String key, String value) {
        settings.put("uniserve." + key, value);
        return this;
    }

    /** Makes a daemon's configuration from the values that the cluster gives. Default: over {@code reference.conf}. */
    public LocalClusterBuilder settings(Function<Map<String, String>, Settings> load) {
        this.loader = load;
        return this;
    }

    /** Hears a line about each daemon that serves. Default: nobody does. */
    public LocalClusterBuilder progress(Consumer<String> listener) {
        this.progress = listener;
        return this;
    }

    /** Hears, on any thread, why a daemon cannot go on; the cluster keeps these too, see {@link LocalCluster#failures}. */
    public LocalClusterBuilder onFailure(Consumer<Throwable> listener) {
        this.onFailure = listener;
        return this;
    }

    /**
     * Starts everything and returns when all daemons serve; what had started is closed where something fails.
     *
     * @throws UniserveException what the daemon that could not start says
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

    void tell(String line) {
        progress.accept(line);
    }

    void failed(Throwable error) {
        onFailure.accept(error);
    }

    /** The port of the server with this number, or of the coordinator, which is number 0. */
    int port(int number) {
        return port == 0 ? 0 : port + number;
    }

    Settings load(Map<String, String> values) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.putAll(settings);
        return loader.apply(all);
    }
}
