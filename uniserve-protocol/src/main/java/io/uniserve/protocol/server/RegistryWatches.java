package io.uniserve.protocol.server;

import io.uniserve.protocol.env.Registry;
import java.util.LinkedHashMap;
import java.util.Map;

/** Watches of a server. In a new session all paths are watched again, and count as changed. */
final class RegistryWatches {
    private final Registry registry;
    private final Map<String, Runnable> byPath = new LinkedHashMap<>();

    RegistryWatches(Registry registry) {
        this.registry = registry;
    }

    /** Watches the path from now on and runs the task once now. */
    void add(String path, Runnable changed) {
        byPath.put(path, changed);
        registry.watch(path, () -> changed(path));
        changed.run();
    }

    void remove(String path) {
        if (byPath.remove(path) != null) {
            registry.unwatch(path);
        }
    }

    private void changed(String path) {
        Runnable task = byPath.get(path);
        if (task != null) {
            task.run();
        }
    }

    /** Watches all paths again in a new session. */
    void rewatchAll() {
        for (String path : java.util.List.copyOf(byPath.keySet())) {
            registry.watch(path, () -> changed(path));
            changed(path);
        }
    }
}
