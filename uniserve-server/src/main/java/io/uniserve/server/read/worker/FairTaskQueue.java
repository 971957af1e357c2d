package io.uniserve.server.read.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Fair queue of tasks by table and client, with the tasks that run. Shares take turns: a client with a thousand tasks waits for one
 * task of each other client after each of its own. Thread-safe.
 */
final class FairTaskQueue {
    private final Map<FairShareKey, Queue<Runnable>> waiting = new LinkedHashMap<>();
    private final List<Running> running = new ArrayList<>();
    private int waitingCount;

    /**
     * Task that runs on a thread. Times are of the clock. The deadline is the operator's, and is valid while the task is in an
     * operator.
     */
    static final class Running {
        private final FairShareKey share;
        final Runnable task;
        private final long startNanos;
        private volatile @Nullable CancellationScope cancellationScope;
        private volatile long deadlineNanos;
        private volatile boolean inOperator;
        private volatile long cancelledNanos;

        private Running(FairShareKey share, Runnable task, long sinceNanos) {
            this.share = share;
            this.task = task;
            this.startNanos = sinceNanos;
        }

        void enterOperator(long deadline, @Nullable CancellationScope waits) {
            deadlineNanos = deadline;
            cancellationScope = waits;
            cancelledNanos = 0;
            inOperator = true;
        }

        void leaveOperator() {
            inOperator = false;
            cancellationScope = null;
        }

        /** True if the task is in an operator, and its deadline or cancellation is more than {@code nanos} ago. */
        boolean isOverdue(long now, long nanos) {
            if (!inOperator) {
                return false;
            }
            CancellationScope waits = cancellationScope;
            if (waits != null && waits.isCancelled() && cancelledNanos == 0) {
                cancelledNanos = Math.max(1, now); // noticed only at a check, so a little late
            }
            return now - deadlineNanos > nanos || (cancelledNanos != 0 && now - cancelledNanos > nanos);
        }
    }

    synchronized void add(FairShareKey share, Runnable task) {
        waiting.computeIfAbsent(share, any -> new ArrayDeque<>()).add(task);
        waitingCount++;
    }

    /** Removes a waiting task; false if it does not wait. */
    synchronized boolean remove(FairShareKey share, Runnable task) {
        Queue<Runnable> tasks = waiting.get(share);
        if (tasks == null || !tasks.remove(task)) {
            return false;
        }
        if (tasks.isEmpty()) {
            waiting.remove(share);
        }
        waitingCount--;
        return true;
    }

    /** Number of waiting tasks. */
    synchronized int waitingCount() {
        return waitingCount;
    }

    /**
     * Takes the next task in turn whose table and client each have fewer than {@code limit} others running; null if there is none. A client
     * without a running task of a table does not wait for that table's other clients. Tasks that still run after their deadline do not
     * count, as spare threads have replaced theirs.
     */
    synchronized @Nullable Running take(int limit, long now, long stuckNanos) {
        Iterator<Map.Entry<FairShareKey, Queue<Runnable>>> turns =
                waiting.entrySet().iterator();
        while (turns.hasNext()) {
            Map.Entry<FairShareKey, Queue<Runnable>> turn = turns.next();
            FairShareKey share = turn.getKey();
            if (mayRun(share, limit, now, stuckNanos)) {
                Queue<Runnable> tasks = turn.getValue();
                Running taken = new Running(share, tasks.remove(), now);
                turns.remove();
                if (!tasks.isEmpty()) {
                    waiting.put(share, tasks); // last in turn
                }
                waitingCount--;
                running.add(taken);
                return taken;
            }
        }
        return null;
    }

    private boolean mayRun(FairShareKey share, int limit, long now, long stuckNanos) {
        if (running.size() < limit || share.equals(FairShareKey.NONE)) {
            return true;
        }
        int ofTable = 0;
        int ofClient = 0;
        int ofBoth = 0;
        for (Running one : running) {
            if (!one.isOverdue(now, stuckNanos)) {
                ofTable += one.share.sameTable(share) ? 1 : 0;
                ofClient += one.share.sameClient(share) ? 1 : 0;
                ofBoth += one.share.equals(share) ? 1 : 0;
            }
        }
        return ofClient < limit && (ofTable < limit || ofBoth == 0);
    }

    /** Records the end of a task. */
    synchronized void end(Running task) {
        running.remove(task);
    }

    /** Number of tasks that have run for longer than this. */
    synchronized int countRunningLongerThan(long nanos, long now) {
        int slow = 0;
        for (Running one : running) {
            slow += now - one.startNanos > nanos ? 1 : 0;
        }
        return slow;
    }

    /** Number of tasks in operators whose deadline or cancellation is longer ago than this. */
    synchronized int countOverdue(long nanos, long now) {
        int over = 0;
        for (Running one : running) {
            over += one.isOverdue(now, nanos) ? 1 : 0;
        }
        return over;
    }
}
