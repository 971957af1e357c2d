package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Connected ZooKeeper client of one thread, with its own session. Blocks while it connects and closes. */
public final class ZooKeeperConnection implements AutoCloseable {
    private final ZooKeeperClients clients;
    private final ZooKeeper client;

    private ZooKeeperConnection(ZooKeeperClients clients, ZooKeeper client) {
        this.clients = clients;
        this.client = client;
    }

    /**
     * Connects.
     *
     * @throws UniserveException UNAVAILABLE if no server accepts the connection in time; INVALID_CONFIGURATION if TLS's files cannot be
     *     used
     */
    public static ZooKeeperConnection open(
            ZooKeeperSecurity security, String connect, int sessionMillis, long waitMillis) {
        ZooKeeperClients clients = new ZooKeeperClients(security);
        ZooKeeperConnection made = null;
        boolean connected = false;
        try {
            CountDownLatch up = new CountDownLatch(1);
            made = new ZooKeeperConnection(clients, clients.connect(connect, sessionMillis, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    up.countDown();
                }
            }));
            connected = up.await(waitMillis, TimeUnit.MILLISECONDS);
            if (!connected) {
                throw unavailable(connect, "no server accepts a new connection", null);
            }
            return made;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(connect, "interrupted", e);
        } catch (IOException e) {
            throw unavailable(connect, e.toString(), e);
        } finally {
            if (!connected) {
                if (made == null) {
                    clients.close();
                } else {
                    made.close();
                }
            }
        }
    }

    private static UniserveException unavailable(String connect, String why, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.UNAVAILABLE, "ZooKeeper at " + connect + ": " + why, cause);
    }

    /** The connected client. */
    public ZooKeeper client() {
        return client;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            clients.close();
        }
    }
}
