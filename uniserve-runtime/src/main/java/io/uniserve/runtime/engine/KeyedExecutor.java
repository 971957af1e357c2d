package io.uniserve.runtime.engine;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Ordered execution by key: calls of one key run one at a time in order; calls of different keys run in parallel on the pool.
 * Thread-safe.
 */
final class KeyedExecutor {
    private final Executor pool;
    /** Waiting calls by key. A key is present while the pool has one of its calls. */
    private final Map<ReplicaKey, Queue<Call>> waiting = new HashMap<>();

    KeyedExecutor(Executor pool) {
        this.pool = pool;
    }

    /** Call that is either run or rejected. */
    interface Call extends Runnable {
        void refuse(RejectedExecutionException reason);
    }

    void add(ReplicaKey key, Call call) {
        synchronized (waiting) {
            Queue<Call> behind = waiting.get(key);
            if (behind != null) {
                behind.add(call);
                return;
            }
            waiting.put(key, new ArrayDeque<>());
        }
        submit(key, call);
    }

    private void submit(ReplicaKey key, Call first) {
        for (Call call = first; call != null; call = next(key)) {
            try {
                pool.execute(new Turn(key, call));
                return;
            } catch (RejectedExecutionException e) {
                call.refuse(e);
            }
        }
    }

    private @Nullable Call next(ReplicaKey key) {
        synchronized (waiting) {
            Queue<Call> behind = waiting.get(key);
            Call next = behind == null ? null : behind.poll();
            if (next == null) {
                waiting.remove(key);
            }
            return next;
        }
    }

    /** Execution of one call, followed by the next call of its key, even after a failure. */
    private final class Turn implements Call {
        private final ReplicaKey key;
        private final Call call;

        private Turn(ReplicaKey key, Call call) {
            this.key = key;
            this.call = call;
        }

        @Override
        public void run() {
            try {
                call.run();
            } finally {
                runNext();
            }
        }

        @Override
        public void refuse(RejectedExecutionException reason) {
            call.refuse(reason);
            runNext();
        }

        private void runNext() {
            Call following = next(key);
            if (following != null) {
                submit(key, following);
            }
        }
    }
}
