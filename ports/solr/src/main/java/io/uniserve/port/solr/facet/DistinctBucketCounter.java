package io.uniserve.port.solr.facet;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Exact number of distinct buckets of {@link JsonFacetWalker} over all shards, each of which returns all of its own buckets; Solr's merge only
 * estimates it. Facets are maps by name; {@code buckets} of a facet is a list of maps with a {@code val}; a facet with
 * {@code numBuckets} is counted. Not thread-safe.
 */
public final class DistinctBucketCounter {
    private static final String COUNT = "numBuckets";
    private static final String VALUE = "val";
    private static final Path ROOT = new Path(null, "");

    private final Map<Path, Set<Object>> values = new HashMap<>();

    /** Names of facets and values of buckets on the path to a facet, last one first. */
    private record Path(@Nullable Path outer, Object last) {}

    /** Adds the facets of a shard's response. A shard may respond several times, with the same or other buckets. */
    public void add(@Nullable Object facets) {
        forEachFacet(facets, ROOT, (path, facet) -> {
            Set<Object> seen = values.computeIfAbsent(path, any -> new HashSet<>());
            if (facet.get("buckets") instanceof List<?> buckets) {
                for (Object bucket : buckets) {
                    seen.add(Objects.requireNonNull(((Map<?, ?>) bucket).get(VALUE)));
                }
            }
        });
    }

    /** Sets the numbers in the merged facets. Facets without buckets from any shard keep theirs. */
    public void writeCountsTo(@Nullable Object facets) {
        forEachFacet(facets, ROOT, (path, facet) -> {
            Set<Object> seen = values.get(path);
            if (seen != null) {
                facet.put(COUNT, (long) seen.size());
            }
        });
    }

    @SuppressWarnings("unchecked") // a facet's part of an answer is a map from names to values of any type
    private static void forEachFacet(@Nullable Object part, Path path, BiConsumer<Path, Map<String, Object>> each) {
        if (part instanceof Map<?, ?> named) {
            named.forEach((name, value) -> {
                if (value instanceof Map || value instanceof List) {
                    forEachFacet(value, new Path(path, name), each);
                }
            });
            if (named.containsKey(COUNT)) {
                each.accept(path, (Map<String, Object>) named);
            }
        } else if (part instanceof List<?> list) {
            for (Object one : list) {
                Object value = one instanceof Map<?, ?> bucket ? bucket.get(VALUE) : null;
                if (value != null) {
                    forEachFacet(one, new Path(path, value), each);
                }
            }
        }
    }
}
