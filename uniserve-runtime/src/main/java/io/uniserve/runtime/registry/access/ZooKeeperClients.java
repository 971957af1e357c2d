package io.uniserve.runtime.registry.access;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** Factory of ZooKeeper clients with the identity and TLS of this process. Close it after its clients. Thread-safe. */
public final class ZooKeeperClients implements AutoCloseable {
    private final ZooKeeperSecurity security;
    private final Optional<KeyStoreFiles> files;

    /** Reads the files of TLS. Fails with INVALID_CONFIGURATION if one cannot be used. */
    public ZooKeeperClients(ZooKeeperSecurity security) {
        this.security = security;
        this.files = security.tls().map(KeyStoreFiles::new);
    }

    /**
     * Starts a client, with a session of its own.
     *
     * @param connect addresses, {@code host:port,host:port}
     * @param sessionMillis requested session time-out
     */
    public ZooKeeper connect(String connect, int sessionMillis, Watcher watcher) throws IOException {
        IdentifyingWatcher own = new IdentifyingWatcher(security.identity(), watcher);
        ZooKeeper client = files.isEmpty()
                ? new ZooKeeper(connect, sessionMillis, own)
                : new ZooKeeper(connect, sessionMillis, own, config());
        own.client.complete(client);
        return client;
    }

    /** Configuration of a client; only with TLS. */
    ZKClientConfig config() {
        return new TlsClientConfig(security.tls().orElseThrow(), files.orElseThrow());
    }

    @Override
    public void close() {
        files.ifPresent(KeyStoreFiles::close);
    }

    /**
     * Watcher of a client's state that shows the identity once a new session exists, before the connection is reported; ZooKeeper's
     * client shows it again at each reconnection. Earlier, ZooKeeper's server may answer it before the new session, which ends the
     * connection.
     */
    private static final class IdentifyingWatcher implements Watcher {
        private final ZooKeeperIdentity identity;
        private final Watcher watcher;
        private final CompletableFuture<ZooKeeper> client = new CompletableFuture<>();
        private boolean shown;

        IdentifyingWatcher(ZooKeeperIdentity identity, Watcher watcher) {
            this.identity = identity;
            this.watcher = watcher;
        }

        /** ZooKeeper's client calls it on one thread. */
        @Override
        public void process(WatchedEvent event) {
            if (!shown
                    && event.getType() == Event.EventType.None
                    && event.getState() == Event.KeeperState.SyncConnected) {
                shown = true;
                identity.authenticate(client.join());
            }
            watcher.process(event);
        }
    }
}
