package io.uniserve.protocol.replica;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Order in which a primary of one epoch appends updates of clients. An update with a condition has the actor to itself from its
 * check until it is logged: the check begins when the engine has applied the whole log, and other updates wait behind it.
 */
final class AppendOrder {
    private final BooleanSupplier settled;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean held;
    /** The check that waits for the engine; null where none does. */
    private @Nullable Runnable check;

    /**
     * An order in which nothing waits.
     *
     * @param settled whether the engine has applied the whole log
     */
    AppendOrder(BooleanSupplier settled) {
        this.settled = settled;
    }

    /** Logs an update without a condition; at once where no conditional one holds the actor. */
    void append(Runnable append) {
        if (held) {
            waiting.add(append);
        } else {
            append.run();
        }
    }

    /** Runs the check when nothing is between it and the log. Its update has the actor until {@link #release}, to be called once. */
    void exclusively(Runnable conditional) {
        if (held) {
            waiting.add(() -> exclusively(conditional));
        } else {
            held = true;
            check = conditional;
            advance();
        }
    }

    /** The conditional update is logged or refused: those behind it go on. */
    void release() {
        held = false;
        while (!held && !waiting.isEmpty()) {
            waiting.remove().run();
        }
    }

    /** The log or the engine moved on. */
    void advance() {
        if (settled.getAsBoolean()) {
            runCheck();
        }
    }

    /** The primary's epoch is over: all that waits runs now and finds that out. */
    void close() {
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
