package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.registry.access.ZooKeeperConnection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short-lived second connection to ZooKeeper with its own session. A server that has lost its data accepts it, but rejects the client
 * of the first session, which has seen newer transactions. Blocks: each connection uses its own thread.
 */
final class SecondaryConnection {
    private static final Logger LOG = LoggerFactory.getLogger(SecondaryConnection.class);

    private SecondaryConnection() {}

    /** Names of the node's children from the ensemble's leader, sorted; UNAVAILABLE if no server accepts the connection in time. */
    static Outcome<List<String>> children(RegistryOptions options, String path) {
        try (ZooKeeperConnection connection = ZooKeeperConnection.open(
                options.security(), options.connect(), options.sessionMillis(), options.waitMillis())) {
            return children(connection.client(), options, path);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable(options, "interrupted");
        } catch (UniserveException e) {
            LOG.debug("new connection to ZooKeeper", e);
            return Outcome.err(e);
        }
    }

    private static Outcome<List<String>> children(ZooKeeper client, RegistryOptions options, String path)
            throws InterruptedException {
        int synced = sync(client, options);
        if (synced != Code.OK.intValue() && synced != Code.NONODE.intValue()) {
            return unavailable(options, "sync ended with code " + synced);
        }
        try {
            return Outcome.ok(client.getChildren(options.root() + path, false).stream()
                    .sorted()
                    .toList());
        } catch (KeeperException.NoNodeException e) {
            return Outcome.ok(List.of());
        } catch (KeeperException e) {
            return unavailable(options, e.toString());
        }
    }

    private static int sync(ZooKeeper client, RegistryOptions options) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger code = new AtomicInteger(Code.OPERATIONTIMEOUT.intValue());
        AsyncCallback.VoidCallback answer = (rc, path, context) -> {
            code.set(rc);
            done.countDown();
        };
        client.sync(options.root(), answer, null);
        return done.await(options.waitMillis(), TimeUnit.MILLISECONDS) ? code.get() : Code.OPERATIONTIMEOUT.intValue();
    }

    private static Outcome<List<String>> unavailable(RegistryOptions options, String why) {
        return Outcome.err(
                new UniserveException(ErrorCode.UNAVAILABLE, "ZooKeeper at " + options.connect() + ": " + why));
    }
}
