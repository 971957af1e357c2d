package io.uniserve.api.plan;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Facets as nested objects, as queries in JSON have them: {@code {"brands": {"type": "terms", "field": "brand_s"}}}. */
public final class JsonFacets {
    private JsonFacets() {}

    /**
     * The same facets with these options for all of terms, at any depth, that do not have them. A facet of terms has that type,
     * or is written {@code {"terms": {"field": F}}} or {@code {"terms": F}}.
     */
    public static @Nullable Object withOptions(@Nullable Object facet, Map<String, ?> options) {
        return withOptions(facet, false, options);
    }

    private static @Nullable Object withOptions(@Nullable Object facet, boolean terms, Map<String, ?> options) {
        if (!(facet instanceof Map<?, ?> map)) {
            return terms && facet instanceof String field ? withOptions(Map.of("field", field), true, options) : facet;
        }
        Map<Object, @Nullable Object> all = new LinkedHashMap<>();
        map.forEach((name, value) -> all.put(name, withOptions(value, name.equals("terms"), options)));
        if (terms || "terms".equals(all.get("type"))) {
            options.forEach(all::putIfAbsent);
        }
        return all;
    }
}
