package io.uniserve.protocol.replica.replication;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Order in which the primary of one epoch appends updates of clients. An update with a condition is exclusive from its check until it is
 * logged. The check starts once the engine has applied the whole log; other updates queue behind it.
 */
public final class AppendSequencer {
    private final BooleanSupplier fullyApplied;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean exclusive;
    /** The check that waits for the engine; null if there is none. */
    private @Nullable Runnable check;

    /**
     * An empty queue.
     *
     * @param settled whether the engine has applied the whole log
     */
    public AppendSequencer(BooleanSupplier settled) {
        this.fullyApplied = settled;
    }

    /** Runs the append of an update without a condition: at once, or after a conditional update that is exclusive now. */
    public void append(Runnable append) {
        if (exclusive) {
            waiting.add(append);
        } else {
            append.run();
        }
    }

    /**
     * Runs the check of a conditional update when its turn comes and the engine has applied the whole log. The update stays exclusive until
     * {@link #release}, which the caller invokes exactly once.
     */
    public void runExclusively(Runnable conditional) {
        if (exclusive) {
            waiting.add(() -> runExclusively(conditional));
        } else {
            exclusive = true;
            check = conditional;
            advance();
        }
    }

    /** Ends the exclusive update, which is logged or rejected. Queued updates run. */
    public void release() {
        exclusive = false;
        while (!exclusive && !waiting.isEmpty()) {
            waiting.remove().run();
        }
    }

    /** The log or the engine has advanced: a waiting check may run now. */
    public void advance() {
        if (fullyApplied.getAsBoolean()) {
            runCheck();
        }
    }

    /** Ends the order with the primary's epoch. All queued tasks run now, and detect that the epoch has ended. */
    public void close() {
        runCheck();
        release();
    }

    private void runCheck() {
        Runnable due = check;
        if (due != null) {
            check = null;
            due.run();
        }
    }
}
