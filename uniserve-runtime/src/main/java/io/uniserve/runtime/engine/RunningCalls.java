package io.uniserve.runtime.engine;

import io.uniserve.runtime.engine.EngineCallExecutor.Running;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Set of running engine calls, with a mark for those already reported as stuck. Thread-safe. */
final class RunningCalls {
    private final Map<Running, Boolean> calls = new IdentityHashMap<>();

    synchronized void begin(Running call) {
        calls.put(call, false);
    }

    synchronized void end(Running call) {
        calls.remove(call);
    }

    synchronized List<Running> all() {
        return List.copyOf(calls.keySet());
    }

    /** Number of calls that started before this time; {@code first} receives each of them once. */
    synchronized int stuck(long beforeNanos, Consumer<Running> first) {
        int stuck = 0;
        for (Map.Entry<Running, Boolean> entry : calls.entrySet()) {
            if (entry.getKey().startNanos() - beforeNanos < 0) {
                stuck++;
                if (!entry.setValue(true)) {
                    first.accept(entry.getKey());
                }
            }
        }
        return stuck;
    }
}
