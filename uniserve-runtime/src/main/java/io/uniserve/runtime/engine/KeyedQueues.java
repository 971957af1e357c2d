package io.uniserve.runtime.engine;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs calls of one key one at a time in the order given, those of different keys side by side on the pool. Thread-safe. */
final class KeyedQueues {
    private final Executor pool;
    /** A key is here while one of its calls is with the pool; the queue holds those behind it. */
    private final Map<ReplicaKey, Queue<Call>> waiting = new HashMap<>();

    KeyedQueues(Executor pool) {
        this.pool = pool;
    }

    /** A call, which is either run or refused. */
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

    /** A call's turn: the next one of its key follows it, whatever becomes of it. */
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
                follow();
            }
        }

        @Override
        public void refuse(RejectedExecutionException reason) {
            call.refuse(reason);
            follow();
        }

        private void follow() {
            Call following = next(key);
            if (following != null) {
                submit(key, following);
            }
        }
    }
}
