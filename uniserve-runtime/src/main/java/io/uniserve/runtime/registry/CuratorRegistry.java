package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registry in ZooKeeper. Thread-safe. Requests keep the order of the calls, so a read after {@link #watch} misses no change.
 * Completions, changes and session events arrive on the loop. Without a connection an operation waits for
 * {@link RegistryOptions#waitMillis} and then fails with UNAVAILABLE. A write whose connection breaks ends with OUTCOME_UNKNOWN and
 * is never sent again; a read is retried a few times.
 */
public final class CuratorRegistry implements Registry, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorRegistry.class);

    private final RegistryOptions options;
    private final String root;
    private final Executor loop;
    private final WatchTable watches;
    private final Map<String, Watcher> watchers = new ConcurrentHashMap<>();
    private final ZooKeeperSession session;
    private final Object listenersLock = new Object();
    private final List<SessionListener> listeners = new ArrayList<>();
    private boolean connected;

    /** Starts to connect and returns at once. */
    public CuratorRegistry(RegistryOptions options, Executor loop) {
        this.options = options;
        this.root = options.root();
        this.loop = loop;
        this.watches = new WatchTable(loop);
        this.session = new ZooKeeperSession(options, this::onSession);
        session.start();
        LOG.info("registry {}", options);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        submit(
                completion,
                "read of " + path,
                false,
                () -> RegistryArgumentValidator.checkPath(path),
                (zooKeeperHandle, call) -> zooKeeperHandle
                        .client()
                        .getData(
                                root + path,
                                false,
                                (rc, name, context, data, stat) -> answerRead(path, Code.get(rc), data, stat, call),
                                null));
    }

    private void answerRead(
            String path,
            @Nullable Code code,
            byte @Nullable [] data,
            @Nullable Stat stat,
            PendingCall<Versioned> call) {
        if (code == Code.NONODE || code == Code.OK && (data == null || data.length == 0)) {
            call.succeed(new Versioned(null, ABSENT));
        } else if (code == Code.OK && data != null && stat != null) {
            try {
                call.succeed(new Versioned(ZnodeCodec.decode(path, data), stat.getVersion()));
            } catch (UniserveException e) {
                call.fail(e.code(), e.reason());
            }
        } else {
            onFailure(code, call);
        }
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        submit(
                completion,
                "children of " + path,
                false,
                () -> RegistryArgumentValidator.checkPath(path),
                (zooKeeperHandle, call) -> zooKeeperHandle
                        .client()
                        .getChildren(
                                root + path,
                                false,
                                (rc, name, context, children) -> {
                                    Code code = Code.get(rc);
                                    if (code == Code.OK) {
                                        call.succeed(children.stream().sorted().toList());
                                    } else if (code == Code.NONODE) {
                                        call.succeed(List.of());
                                    } else {
                                        onFailure(code, call);
                                    }
                                },
                                null));
    }

    @Override
    public void childrenOverNewConnection(String path, Completion<List<String>> completion) {
        RegistryArgumentValidator.checkPath(path);
        Thread thread = new Thread(
                () -> {
                    Outcome<List<String>> found = SecondaryConnection.children(options, path);
                    onLoop(() -> completion.done(found));
                },
                "uniserve-registry-look");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<ZooKeeperMulti> multi = new ArrayList<>(1);
        submit(
                completion,
                "multi of " + ops.size() + " operations"
                        + (ops.isEmpty() ? "" : " from " + ops.get(0).path()),
                true,
                () -> multi.add(new ZooKeeperMulti(root, ops)),
                (zooKeeperHandle, call) -> multi.get(0).send(zooKeeperHandle, call));
    }

    @Override
    public void sync(Completion<Done> completion) {
        submit(
                completion,
                "sync",
                false,
                () -> {},
                (zooKeeperHandle, call) -> zooKeeperHandle
                        .client()
                        .sync(
                                root,
                                (rc, path, context) -> {
                                    Code code = Code.get(rc);
                                    if (code == Code.OK || code == Code.NONODE) {
                                        call.succeed(Done.DONE);
                                    } else {
                                        onFailure(code, call);
                                    }
                                },
                                null));
    }

    @Override
    public void watch(String path, Runnable changed) {
        RegistryArgumentValidator.checkPath(path);
        if (watches.add(path, changed)) {
            session.ifConnected(zooKeeperHandle -> setWatch(zooKeeperHandle, path, () -> {}));
        }
    }

    @Override
    public void unwatch(String path) {
        if (watches.remove(path)) {
            session.ifConnected(zooKeeperHandle -> removeWatches(zooKeeperHandle, path));
        }
    }

    /**
     * Removes all watches of the path; there is one. ZooKeeper's removal of a specific watcher leaves the watch at the server. If
     * this fails, the server continues to send changes, which are ignored, until the session ends or the path is watched again.
     */
    private void removeWatches(ZooKeeperHandle zooKeeperHandle, String path) {
        zooKeeperHandle
                .client()
                .removeAllWatches(
                        root + path,
                        Watcher.WatcherType.Any,
                        false,
                        (rc, name, context) -> {
                            if (rc != Code.OK.intValue()) {
                                LOG.debug("removing the watch of {} ended with {}", path, Code.get(rc));
                            }
                        },
                        null);
    }

    @Override
    public void onSession(SessionListener listener) {
        synchronized (listenersLock) {
            listeners.add(listener);
            if (connected) {
                onLoop(() -> listener.onSessionEvent(SessionEvent.CONNECTED));
            }
        }
    }

    @Override
    public String describe() {
        return "ZooKeeper " + options.connect();
    }

    /** Ends the session, which deletes its ephemeral nodes. Running operations fail. */
    @Override
    public void close() {
        watches.clear();
        session.close();
    }

    /** For tests that end the session. */
    ZooKeeperSession session() {
        return session;
    }

    private <T> void submit(
            Completion<T> completion, String what, boolean write, Runnable check, PendingCall.Step<T> step) {
        try {
            check.run();
        } catch (UniserveException e) {
            onLoop(() -> completion.done(Outcome.err(e)));
            return;
        }
        session.submit(new PendingCall<>(what, write, step, completion, loop));
    }

    private <T> void onFailure(@Nullable Code code, PendingCall<T> call) {
        if (code == null) {
            call.fail(ErrorCode.INTERNAL, "ZooKeeper answered with an unknown code");
        } else if (call.isRetryable(code)) {
            session.resend(call);
        } else {
            call.fail(code, false);
        }
    }

    private void onSession(SessionEvent event, @Nullable ZooKeeperHandle zooKeeperHandle) {
        LOG.info("registry session {}", event);
        if (event == SessionEvent.EXPIRED) {
            watches.clear();
            watchers.clear();
        }
        synchronized (listenersLock) {
            connected = event == SessionEvent.CONNECTED;
            listeners.forEach(listener -> onLoop(() -> listener.onSessionEvent(event)));
        }
        if (zooKeeperHandle != null) {
            // Changes during the disconnection were not reported, so each path counts as changed once its new watch
            // is set.
            watches.paths().forEach(path -> setWatch(zooKeeperHandle, path, () -> watches.onChange(path)));
        }
    }

    /**
     * Sets a persistent watch, which reports changes of value, existence and children. If this fails, the next reconnection sets it
     * again.
     */
    private void setWatch(ZooKeeperHandle zooKeeperHandle, String path, Runnable then) {
        zooKeeperHandle
                .client()
                .addWatch(
                        root + path,
                        watchers.computeIfAbsent(path, this::watcher),
                        AddWatchMode.PERSISTENT,
                        (rc, name, context) -> {
                            if (rc == Code.OK.intValue()) {
                                then.run();
                            } else {
                                LOG.debug("watch of {} ended with {}", path, Code.get(rc));
                            }
                        },
                        null);
    }

    /** Creates a watcher. One object per path, as ZooKeeper's client keeps each watcher that it gets. */
    private Watcher watcher(String path) {
        return event -> {
            if (event.getType() != Watcher.Event.EventType.None) {
                watches.onChange(path);
            }
        };
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has stopped, dropping a registry event", e);
        }
    }
}
