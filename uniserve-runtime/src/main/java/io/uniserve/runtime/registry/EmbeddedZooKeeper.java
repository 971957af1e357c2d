package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ZooKeeperSettings.Embedded;
import io.uniserve.runtime.disk.DirectoryLock;
import io.uniserve.runtime.registry.access.EmbeddedZooKeeperTls;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.zookeeper.server.DatadirCleanupManager;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FilePadding;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper server in this process: one node, with its transactions synced in its own data directory. It has no admin server and no
 * HTTP port, and of the four-letter commands only ZooKeeper's default, {@code srvr}. Ticks of 0.5 s allow sessions of 1 to 10 s. With
 * TLS the port accepts nothing else, and all servers with TLS of a process have the same certificate.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedZooKeeper.class);
    private static final Duration TICK = Duration.ofMillis(500);
    private static final int CLIENTS_PER_HOST_MAX = 1_024;
    private static final int SNAPSHOTS_KEPT = 3;
    private static final int CLEAN_UP_HOURS = 1;
    private static final long LOG_PADDING_BYTES = 1 << 20;

    private final Path dataDirectory;
    private final DirectoryLock lock;
    private final FileTxnSnapLog files;
    private final Server server;
    private final ServerCnxnFactory connections;
    private final DatadirCleanupManager cleaner;
    private boolean closed;

    private EmbeddedZooKeeper(
            Path dataDirectory,
            DirectoryLock lock,
            FileTxnSnapLog files,
            Server server,
            ServerCnxnFactory connections) {
        this.dataDirectory = dataDirectory;
        this.lock = lock;
        this.files = files;
        this.server = server;
        this.connections = connections;
        File directory = dataDirectory.toFile();
        this.cleaner = new DatadirCleanupManager(directory, directory, SNAPSHOTS_KEPT, CLEAN_UP_HOURS);
    }

    /**
     * Starts a server and returns when it serves.
     *
     * @param address address to listen on; port 0 for any free port
     * @param dataDirectory created if absent; locked while the server runs
     * @param onFailure receives the reason if the server must stop, such as a full disk; close it then
     * @throws UniserveException INVALID_CONFIGURATION if the port is in use or the directory cannot be used
     */
    public static EmbeddedZooKeeper start(InetSocketAddress address, Path dataDirectory, Consumer<String> onFailure) {
        return start(
                new Embedded(address.getHostString(), address.getPort(), dataDirectory, TICK, TlsFiles.PLAIN),
                onFailure);
    }

    /**
     * Starts a server with settings.
     *
     * @throws UniserveException INVALID_CONFIGURATION as above, and if TLS's files cannot be used
     */
    public static EmbeddedZooKeeper start(Embedded settings, Consumer<String> onFailure) {
        Path dataDirectory = settings.dataDirectory();
        InetSocketAddress address = new InetSocketAddress(settings.host(), settings.port());
        if (settings.tls().enabled()) {
            EmbeddedZooKeeperTls.use(settings.tls());
        }
        DirectoryLock lock = DirectoryLock.acquire(dataDirectory, "ZooKeeper's data directory", true);
        FileTxnSnapLog files = null;
        ServerCnxnFactory connections = null;
        try {
            FilePadding.setPreallocSize(LOG_PADDING_BYTES);
            files = new FileTxnSnapLog(dataDirectory.toFile(), dataDirectory.toFile());
            Server server = new Server(files, settings.tick(), onFailure);
            connections = listen(address, settings.tls().enabled());
            connections.startup(server);
            EmbeddedZooKeeper running = new EmbeddedZooKeeper(dataDirectory, lock, files, server, connections);
            running.cleaner.start();
            LOG.info(
                    "ZooKeeper serves on {}{} from {}",
                    running.address(),
                    settings.tls().enabled() ? " over TLS" : "",
                    dataDirectory);
            return running;
        } catch (IOException | RuntimeException e) {
            release(lock, files, connections);
            throw failure(dataDirectory, address, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            release(lock, files, connections);
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while ZooKeeper started", e);
        }
    }

    private static ServerCnxnFactory listen(InetSocketAddress address, boolean tls) throws IOException {
        if (!tls) {
            return ServerCnxnFactory.createFactory(address, CLIENTS_PER_HOST_MAX);
        }
        ServerCnxnFactory factory = EmbeddedZooKeeperTls.createFactory();
        factory.configure(address, CLIENTS_PER_HOST_MAX, -1, true);
        return factory;
    }

    private static UniserveException failure(Path dataDirectory, InetSocketAddress address, Exception e) {
        if (e instanceof UniserveException known) {
            return known;
        }
        if (isPortTaken(e)) {
            return new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "ZooKeeper cannot listen on " + address.getHostString() + ":" + address.getPort() + " ("
                            + e.getMessage() + "); stop what uses the port or choose another",
                    e);
        }
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "ZooKeeper cannot start from " + dataDirectory + ": " + e
                        + "; check that the directory is ZooKeeper's own, undamaged, and its disk not full",
                e);
    }

    /** With TLS, Netty opens the port, and its native transport has errors of its own. */
    private static boolean isPortTaken(Exception e) {
        return e instanceof BindException || String.valueOf(e.getMessage()).startsWith("bind(");
    }

    /** Address that the server listens on. */
    public InetSocketAddress address() {
        return connections.getLocalAddress();
    }

    /** Port that the server listens on. */
    public int port() {
        return connections.getLocalPort();
    }

    /** True if a session watches the node; for tests. */
    boolean watches(String path) {
        return server.getZKDatabase().getDataTree().getWatchesByPath().hasSessions(path);
    }

    /** Stops the server and closes its files. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        cleaner.shutdown();
        server.stopping = true;
        release(lock, files, connections);
        LOG.info("ZooKeeper on {} has stopped", dataDirectory);
    }

    private static void release(
            DirectoryLock lock,
            @org.jspecify.annotations.Nullable FileTxnSnapLog files,
            @org.jspecify.annotations.Nullable ServerCnxnFactory connections) {
        if (connections != null) {
            connections.shutdown();
        }
        try {
            if (files != null) {
                files.close();
            }
        } catch (IOException e) {
            LOG.warn("closing ZooKeeper's files failed", e);
        }
        lock.close();
    }

    /** ZooKeeper server that reports failures after which it stops. */
    private static final class Server extends ZooKeeperServer {
        private final Consumer<String> onFailure;
        private volatile boolean stopping;

        Server(FileTxnSnapLog files, Duration tick, Consumer<String> onFailure) {
            super(files, (int) tick.toMillis(), -1, -1, -1, null, "");
            this.onFailure = onFailure;
        }

        @Override
        protected void setState(State state) {
            super.setState(state);
            if (state == State.ERROR && !stopping) {
                onFailure.accept("ZooKeeper has stopped after an error; see the log, its disk may be full");
            }
        }
    }
}
