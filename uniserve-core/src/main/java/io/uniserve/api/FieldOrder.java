package io.uniserve.api;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The order of fields where a map has none of its own. That of {@link Map#of} is another one in each process: a row that is sent again
 * under its id after a restart would be other content.
 */
final class FieldOrder {
    private static final Set<Class<?>> UNORDERED = Set.of(
            HashMap.class, ConcurrentHashMap.class, Map.of("a", 1, "b", 2).getClass());

    private FieldOrder() {}

    /** By name, of a map without order whose names are texts; any other one as it is. */
    static Map<?, ?> of(Map<?, ?> fields) {
        return fields.size() > 1
                        && UNORDERED.contains(fields.getClass())
                        && fields.keySet().stream().allMatch(String.class::isInstance)
                ? new TreeMap<>(fields)
                : fields;
    }
}
