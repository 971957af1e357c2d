package io.uniserve.protocol.client.routing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Copy-on-write map for few entries that every query reads and that rarely change. Reads take no lock. Thread-safe. */
final class CopyOnWriteMap<K, V> {
    private volatile Map<K, V> entries = new LinkedHashMap<>();

    @Nullable
    V get(K key) {
        return entries.get(key);
    }

    int size() {
        return entries.size();
    }

    /** The entry, created if absent. */
    V get(K key, Supplier<V> maker) {
        V found = entries.get(key);
        return found != null ? found : add(key, maker);
    }

    private synchronized V add(K key, Supplier<V> maker) {
        V found = entries.get(key);
        if (found != null) {
            return found;
        }
        V made = maker.get();
        Map<K, V> copy = new LinkedHashMap<>(entries);
        copy.put(key, made);
        entries = copy;
        return made;
    }

    synchronized void retain(Predicate<K> wanted) {
        Map<K, V> copy = new LinkedHashMap<>(entries);
        if (copy.keySet().removeIf(wanted.negate())) {
            entries = copy;
        }
    }
}
