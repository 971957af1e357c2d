package io.uniserve.api;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deterministic order of fields for maps without an order of their own. The order of {@link Map#of} differs between processes: otherwise a
 * row that is sent again after a restart would have other bytes, and count as different content.
 */
final class FieldSorter {
    private static final Set<Class<?>> UNORDERED = Set.of(
            HashMap.class, ConcurrentHashMap.class, Map.of("a", 1, "b", 2).getClass());

    private FieldSorter() {}

    /** Returns the fields sorted by name if the map is unordered and all names are Strings; otherwise the map itself. */
    static Map<?, ?> sortedByName(Map<?, ?> fields) {
        return fields.size() > 1
                        && UNORDERED.contains(fields.getClass())
                        && fields.keySet().stream().allMatch(String.class::isInstance)
                ? new TreeMap<>(fields)
                : fields;
    }
}
