package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.runtime.registry.access.ZooKeeperClients;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Session with ZooKeeper. Curator's client keeps it open and creates a new one after expiry. Requests go to ZooKeeper's own
 * asynchronous client. It answers each exactly once and in order, so a lost connection is visible here and a write is never retried.
 * Curator's framework on top of that client is not used: it retries on its own, and ends a session by its own clock. Here a session
 * expires only when ZooKeeper reports it. Thread-safe.
 */
final class ZooKeeperSession {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSession.class);
    private static final long TICK_NANOS = 50_000_000;

    private final RegistryOptions options;
    private final Listener listener;
    private final CuratorZookeeperClient curator;
    private final ZooKeeperClients clients;
    /** Timers for time-outs. Nearly all calls end early, so setting a timer must not wake a thread. */
    private final CoarseTimers timers = new CoarseTimers("uniserve-registry-timer", SystemClock.INSTANCE, TICK_NANOS);

    private final Deque<PendingCall<?>> waiting = new ArrayDeque<>();
    private @Nullable ZooKeeperHandle connected;
    private boolean closed;

    /** Listener of events, in order, on ZooKeeper's threads; the handle is present when connected. */
    @FunctionalInterface
    interface Listener {
        void onEvent(SessionEvent event, @Nullable ZooKeeperHandle zooKeeperHandle);
    }

    ZooKeeperSession(RegistryOptions options, Listener listener) {
        this.options = options;
        this.listener = listener;
        this.clients = new ZooKeeperClients(options.security());
        this.curator = new CuratorZookeeperClient(
                (connect, timeout, watcher, readOnly) -> connect(connect, timeout, watcher),
                new FixedEnsembleProvider(options.connect()),
                options.sessionMillis(),
                Math.min(options.waitMillis(), options.sessionMillis()),
                null,
                new RetryNTimes(0, 0),
                false);
    }

    private ZooKeeper connect(String connect, int timeout, Watcher watcher) throws IOException {
        HandleWatcher own = new HandleWatcher(watcher);
        ZooKeeper client = clients.connect(connect, timeout, own);
        own.client.complete(client);
        return client;
    }

    void start() {
        try {
            curator.start();
        } catch (Exception e) {
            close();
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "cannot use ZooKeeper at " + options.connect() + ": " + e.getMessage() + "; check the address",
                    e);
        }
    }

    /** Sends the call now or once there is a connection; fails it if there is none in time. */
    void submit(PendingCall<?> call) {
        boolean refused;
        synchronized (this) {
            refused = closed;
            if (!refused) {
                if (connected == null) {
                    waiting.add(call);
                } else {
                    call.send(connected);
                }
                call.timer(timers.after(TimeUnit.MILLISECONDS.toNanos(options.waitMillis()), () -> onTimeout(call)));
            }
        }
        if (refused) {
            call.fail(ErrorCode.UNAVAILABLE, "the registry is closed");
        }
    }

    /** Sends a read again after a lost connection, within its original time-out. */
    void resend(PendingCall<?> call) {
        synchronized (this) {
            if (closed) {
                call.fail(ErrorCode.UNAVAILABLE, "the registry is closed");
            } else if (connected == null) {
                waiting.add(call);
            } else {
                call.send(connected);
            }
        }
    }

    /** Runs the task with the connected handle, if there is one, in order with calls. */
    synchronized void ifConnected(Consumer<ZooKeeperHandle> task) {
        if (connected != null) {
            task.accept(connected);
        }
    }

    void close() {
        List<PendingCall<?>> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            connected = null;
            left = List.copyOf(waiting);
            waiting.clear();
            timers.close();
        }
        left.forEach(call -> call.fail(ErrorCode.UNAVAILABLE, "the registry is closed"));
        curator.close();
        clients.close();
    }

    private void onTimeout(PendingCall<?> call) {
        boolean sent;
        synchronized (this) {
            waiting.remove(call);
            sent = call.isAwaitingReply();
            if (sent && !closed) {
                // ZooKeeper's client answers within the session time-out; this ends a call even if it does not.
                call.timer(timers.after(
                        TimeUnit.MILLISECONDS.toNanos(2L * options.sessionMillis()),
                        () -> call.expire(options.connect())));
            }
        }
        if (!sent) {
            call.expire(options.connect());
        }
    }

    private synchronized void onEvent(ZooKeeper client, Watcher.Event.KeeperState state) {
        if (closed) {
            return;
        }
        switch (state) {
            case SyncConnected -> {
                ZooKeeperHandle zooKeeperHandle =
                        new ZooKeeperHandle(client, options.security().identity());
                connected = zooKeeperHandle;
                listener.onEvent(SessionEvent.CONNECTED, zooKeeperHandle);
                while (!waiting.isEmpty()) {
                    waiting.remove().send(zooKeeperHandle);
                }
            }
            case Disconnected -> {
                connected = null;
                listener.onEvent(SessionEvent.SUSPENDED, null);
            }
            case Expired -> {
                connected = null;
                listener.onEvent(SessionEvent.EXPIRED, null);
            }
            case AuthFailed ->
                LOG.error(
                        "ZooKeeper at {} rejected the identity {}; check uniserve.zookeeper.access",
                        options.connect(),
                        options.security().identity());
            default -> LOG.debug("ZooKeeper session: {}", state);
        }
    }

    /** Watcher of a client's state, called before Curator's, which replaces the client after an expiry. */
    private final class HandleWatcher implements Watcher {
        private final Watcher curatorWatcher;
        private final CompletableFuture<ZooKeeper> client = new CompletableFuture<>();

        HandleWatcher(Watcher curators) {
            this.curatorWatcher = curators;
        }

        @Override
        public void process(WatchedEvent event) {
            if (event.getType() == Event.EventType.None) {
                onEvent(client.join(), event.getState());
            }
            curatorWatcher.process(event);
        }
    }
}
