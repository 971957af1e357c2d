package io.uniserve.protocol.reader;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A small map that is read by every query and seldom grows: reading takes no lock. Safe for use by several threads. */
final class CopyOnWriteIndex<K, V> {
    private volatile Map<K, V> entries = new LinkedHashMap<>();

    @Nullable
    V get(K key) {
        return entries.get(key);
    }

    int size() {
        return entries.size();
    }

    /** The entry, made if absent. */
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
