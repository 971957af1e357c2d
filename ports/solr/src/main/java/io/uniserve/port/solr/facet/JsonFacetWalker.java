package io.uniserve.port.solr.facet;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Facets as nested objects, in the format of JSON queries: {@code {"brands": {"type": "terms", "field": "brand_s"}}}, where the options may
 * also be under the type, {@code {"brands": {"terms": {"field": "brand_s"}}}}, or be the field alone.
 */
public final class JsonFacetWalker {
    private static final Set<String> TERMS = Set.of("terms", "field");
    private static final Set<String> RESERVED =
            Set.of("count", "val", "buckets", "missing", "allBuckets", "numBuckets", "before", "after", "between");
    private static final String INSIDE = "terms/facet/";

    private JsonFacetWalker() {}

    /**
     * Returns the facets with these options set on all terms facets, at any depth.
     *
     * <p>{@code seen} receives a name and a value for each option:
     *
     * <ul>
     *   <li>{@code TYPE/NAME}: an option, except arguments that a function refers to as {@code $NAME}
     *   <li>{@code domain/NAME}: a change of a facet's domain, including {@code excludeTags};
     *       {@code terms/facet/domain/NAME} in a facet inside of a terms facet
     *   <li>{@code terms/numBuckets/NAME}: a terms facet with numBuckets and NAME, which is {@code mincount} or {@code prefix}
     *   <li>{@code terms/facet/terms/mincount}: mincount of a terms facet inside of a terms facet
     *   <li>{@code named/NAME}: a facet whose name is reserved in the answer
     *   <li>{@code range/ranges/twice}: two ranges with the same name in the answer
     * </ul>
     *
     * @param seen receives options for checks
     */
    public static @Nullable Object withOptions(
            @Nullable Object facets, Map<String, ?> options, BiConsumer<String, String> seen) {
        return new Walk(options, seen).rewriteFacets(facets, "");
    }

    private record Walk(Map<String, ?> options, BiConsumer<String, String> onOption) {
        @Nullable
        Object rewriteFacets(@Nullable Object facets, String outer) {
            if (!(facets instanceof Map<?, ?> named)) {
                return facets;
            }
            Map<Object, @Nullable Object> all = new LinkedHashMap<>();
            named.forEach((name, facet) -> {
                if (RESERVED.contains(String.valueOf(name))) {
                    onOption.accept("named/" + name, String.valueOf(facet));
                }
                all.put(name, rewriteFacet(facet, outer));
            });
            return all;
        }

        private @Nullable Object rewriteFacet(@Nullable Object facet, String outer) {
            if (!(facet instanceof Map<?, ?> map)) {
                return facet;
            }
            if (map.size() > 1) {
                Object type = map.get("type");
                return type == null ? facet : rewriteArguments(type.toString(), map, outer);
            }
            Map<Object, @Nullable Object> one = new LinkedHashMap<>();
            map.forEach((type, args) -> one.put(type, rewriteArguments(String.valueOf(type), args, outer)));
            return one;
        }

        private @Nullable Object rewriteArguments(String type, @Nullable Object args, String outer) {
            boolean terms = TERMS.contains(type);
            if (terms && args instanceof String field) {
                return rewriteArguments(type, Map.of("field", field), outer);
            }
            if (!(args instanceof Map<?, ?> map)) {
                return args;
            }
            reportOptions(terms ? "terms" : type, map, outer);
            Map<Object, @Nullable Object> all = new LinkedHashMap<>(map);
            if (map.containsKey("facet")) {
                all.put("facet", rewriteFacets(map.get("facet"), terms ? INSIDE : outer));
            }
            if (terms) {
                all.putAll(options);
            }
            return all;
        }

        private void reportOptions(String kind, Map<?, ?> args, String outer) {
            args.forEach((name, value) -> {
                if (name.equals("domain") && value instanceof Map<?, ?> domain) {
                    domain.forEach((part, of) -> onOption.accept(outer + "domain/" + part, String.valueOf(of)));
                } else if (name.equals("excludeTags")) {
                    onOption.accept(outer + "domain/excludeTags", String.valueOf(value));
                } else if (!String.valueOf(args.get("func")).contains("$" + name)) {
                    onOption.accept(kind + "/" + name, String.valueOf(value));
                }
            });
            for (String name : List.of("mincount", "prefix")) {
                if (args.containsKey("numBuckets") && args.containsKey(name)) {
                    onOption.accept("terms/numBuckets/" + name, String.valueOf(args.get(name)));
                }
            }
            if (kind.equals("terms") && !outer.isEmpty() && args.containsKey("mincount")) {
                onOption.accept(outer + "terms/mincount", String.valueOf(args.get("mincount")));
            }
            if (args.get("ranges") instanceof List<?> ranges) {
                Set<String> names = new HashSet<>();
                for (Object range : ranges) {
                    String name = rangeName(range);
                    if (!names.add(name)) {
                        onOption.accept("range/ranges/twice", name);
                    }
                }
            }
        }

        /** Name of a range in the answer: {@code [from,to)}, for both forms of request. */
        private static String rangeName(@Nullable Object range) {
            Map<?, ?> map = range instanceof Map<?, ?> given ? given : Map.of("range", String.valueOf(range));
            if (map.get("range") != null) {
                return String.valueOf(map.get("range")).replaceAll("\\s", "");
            }
            return (Boolean.FALSE.equals(map.get("inclusive_from")) ? "(" : "[")
                    + Objects.requireNonNullElse(map.get("from"), "*") + ","
                    + Objects.requireNonNullElse(map.get("to"), "*")
                    + (Boolean.TRUE.equals(map.get("inclusive_to")) ? "]" : ")");
        }
    }
}
