package io.uniserve.runtime.engine;

import io.uniserve.runtime.engine.EngineCalls.Running;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The engine calls under way, and which of them were found stuck already. Thread-safe. */
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

    /** How many began before this time; each of them is told once. */
    synchronized int stuck(long beforeNanos, Consumer<Running> first) {
        int stuck = 0;
        for (Map.Entry<Running, Boolean> entry : calls.entrySet()) {
            if (entry.getKey().sinceNanos() - beforeNanos < 0) {
                stuck++;
                if (!entry.setValue(true)) {
                    first.accept(entry.getKey());
                }
            }
        }
        return stuck;
    }
}
