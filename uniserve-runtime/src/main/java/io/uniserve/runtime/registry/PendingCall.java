package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.zookeeper.KeeperException.Code;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operation from its start to its single completion. Thread-safe. */
final class PendingCall<T> {
    private static final Logger LOG = LoggerFactory.getLogger(PendingCall.class);
    private static final int READ_ATTEMPTS = 3;

    private final String what;
    private final boolean write;
    private final Step<T> step;
    private final Completion<T> completion;
    private final Executor loop;
    private int attempts;
    private boolean awaitingReply;
    private boolean done;
    private Timers.Cancel timer = () -> {};

    /**
     * Creates an operation.
     *
     * @param what name of the operation in errors
     * @param write true if a lost connection leaves the outcome unknown
     */
    PendingCall(String what, boolean write, Step<T> step, Completion<T> completion, Executor loop) {
        this.what = what;
        this.write = write;
        this.step = step;
        this.completion = completion;
        this.loop = loop;
    }

    /** Sends requests with a handle, and ends the call by {@link #succeed} or {@link #fail}. */
    @FunctionalInterface
    interface Step<T> {
        void send(ZooKeeperHandle zooKeeperHandle, PendingCall<T> call);
    }

    /** Sends the operation, unless it ended while it waited. */
    void send(ZooKeeperHandle zooKeeperHandle) {
        synchronized (this) {
            if (done) {
                return;
            }
            awaitingReply = true;
            attempts++;
        }
        try {
            step.send(zooKeeperHandle, this);
        } catch (UniserveException e) {
            end(Outcome.err(e));
        } catch (RuntimeException e) {
            end(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "registry " + what + " failed: " + e, e)));
        }
    }

    /** True while an answer is expected. */
    synchronized boolean isAwaitingReply() {
        return awaitingReply && !done;
    }

    /** Sets a timer, which is cancelled when the operation ends. */
    void timer(Timers.Cancel set) {
        boolean late;
        synchronized (this) {
            timer = set;
            late = done;
        }
        if (late) {
            set.cancel();
        }
    }

    void succeed(T value) {
        end(Outcome.ok(value));
    }

    /** True if a read lost its connection and is to be sent again on the next one. */
    synchronized boolean isRetryable(Code code) {
        boolean again = !write && !done && attempts < READ_ATTEMPTS && isConnectionLoss(code);
        if (again) {
            awaitingReply = false;
        }
        return again;
    }

    /** Ends with the error for this result code. */
    void fail(Code code, boolean maybeDone) {
        if (isConnectionLoss(code)) {
            fail(
                    write && maybeDone ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.UNAVAILABLE,
                    "ZooKeeper's connection was lost (" + code + ") during " + what);
        } else if (code == Code.NOAUTH || code == Code.AUTHFAILED || code == Code.INVALIDACL) {
            fail(
                    ErrorCode.UNAUTHORIZED,
                    "ZooKeeper rejected " + what + " (" + code
                            + "); check uniserve.zookeeper.access and the nodes' owner: uniserve security zookeeper --check");
        } else if (code == Code.QUOTAEXCEEDED || code == Code.THROTTLEDOP) {
            fail(ErrorCode.RESOURCE_EXHAUSTED, "ZooKeeper rejected " + what + " (" + code + ")");
        } else {
            fail(ErrorCode.INTERNAL, "ZooKeeper answered " + what + " with " + code);
        }
    }

    void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    /** Ends a call after its time-out. */
    void expire(String server) {
        boolean unknown;
        synchronized (this) {
            unknown = write && awaitingReply;
        }
        fail(
                unknown ? ErrorCode.OUTCOME_UNKNOWN : ErrorCode.UNAVAILABLE,
                "no answer from ZooKeeper at " + server + " to " + what + "; check that it runs and can be reached");
    }

    private static boolean isConnectionLoss(Code code) {
        return code == Code.CONNECTIONLOSS
                || code == Code.SESSIONEXPIRED
                || code == Code.OPERATIONTIMEOUT
                || code == Code.REQUESTTIMEOUT
                || code == Code.SESSIONMOVED;
    }

    private void end(Outcome<T> outcome) {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
            timer.cancel();
        }
        try {
            loop.execute(() -> completion.done(outcome));
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has stopped, dropping the completion of {}", what, e);
        }
    }
}
