package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Session of an {@link InMemoryZooKeeper}. Operations take effect at once and complete on the loop. {@link #suspend}, {@link #resume}
 * and {@link #expire} simulate failures of the network and of ZooKeeper. Thread-safe.
 */
public final class InMemoryRegistrySession implements Registry, AutoCloseable {
    private final InMemoryZooKeeper shared;
    private final Executor loop;
    private final WatchTable watches;
    private final List<SessionListener> listeners = new ArrayList<>();
    private Object owner = new Object();
    private volatile boolean connected = true;
    private boolean closed;
    private boolean loseNextReply;

    InMemoryRegistrySession(InMemoryZooKeeper shared, Executor loop) {
        this.shared = shared;
        this.loop = loop;
        this.watches = new WatchTable(loop);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        run(completion, false, () -> {
            RegistryArgumentValidator.checkPath(path);
            return shared.read(path);
        });
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        run(completion, false, () -> {
            RegistryArgumentValidator.checkPath(path);
            return shared.children(path);
        });
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<Op> copy = List.copyOf(ops);
        run(completion, true, () -> {
            RegistryArgumentValidator.checkOperations(
                    copy, copy.stream().map(op -> new byte[0]).toList());
            return shared.multi(owner, copy);
        });
    }

    @Override
    public void sync(Completion<Done> completion) {
        run(completion, false, () -> Done.DONE);
    }

    @Override
    public void watch(String path, Runnable changed) {
        RegistryArgumentValidator.checkPath(path);
        watches.add(path, changed);
    }

    @Override
    public void unwatch(String path) {
        watches.remove(path);
    }

    @Override
    public synchronized void onSession(SessionListener listener) {
        listeners.add(listener);
        if (connected) {
            loop.execute(() -> listener.onSessionEvent(SessionEvent.CONNECTED));
        }
    }

    /** Disconnects: operations fail with UNAVAILABLE, and changes are not reported. */
    public synchronized void suspend() {
        if (connected) {
            connected = false;
            notifyListeners(SessionEvent.SUSPENDED);
        }
    }

    /** Reconnects; every watch reports a change once. */
    public synchronized void resume() {
        if (!connected && !closed) {
            connected = true;
            notifyListeners(SessionEvent.CONNECTED);
            watches.paths().forEach(watches::onChange);
        }
    }

    /** Ends the session, with its ephemeral nodes and watches, and starts a new one. */
    public synchronized void expire() {
        suspend();
        shared.removeOwned(owner);
        owner = new Object();
        watches.clear();
        notifyListeners(SessionEvent.EXPIRED);
        resume();
    }

    /** Makes the next write lose its answer and the connection: it takes effect and fails with OUTCOME_UNKNOWN. */
    public synchronized void loseNextReply() {
        loseNextReply = true;
    }

    /** Ends the session permanently. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            connected = false;
            watches.clear();
            shared.removeSession(this);
            shared.removeOwned(owner);
        }
    }

    /** Called with the tree locked. It uses only the watches, so that it takes no other lock. */
    void changed(Set<String> paths) {
        if (connected) {
            paths.forEach(watches::onChange);
        }
    }

    private <T> void run(Completion<T> completion, boolean write, Supplier<T> action) {
        Outcome<T> outcome = outcome(write, action);
        loop.execute(() -> completion.done(outcome));
    }

    private synchronized <T> Outcome<T> outcome(boolean write, Supplier<T> action) {
        if (!connected) {
            return Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, closed ? "the registry is closed" : "the registry is not connected"));
        }
        try {
            T value = action.get();
            if (write && loseNextReply) {
                loseNextReply = false;
                suspend();
                return Outcome.err(new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN, "the registry's connection was lost during a multi"));
            }
            return Outcome.ok(value);
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    private void notifyListeners(SessionEvent event) {
        listeners.forEach(listener -> loop.execute(() -> listener.onSessionEvent(event)));
    }
}
