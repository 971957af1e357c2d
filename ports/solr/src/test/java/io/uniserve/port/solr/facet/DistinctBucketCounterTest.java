package io.uniserve.port.solr.facet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Buckets of the same facet count once, whichever shards report them. */
class DistinctBucketCounterTest {
    private final DistinctBucketCounter counts = new DistinctBucketCounter();

    private static Map<String, Object> facet(Object... buckets) {
        Map<String, Object> facet = new HashMap<>();
        facet.put("numBuckets", "a guess");
        facet.put("buckets", List.of(buckets));
        return facet;
    }

    private static Map<String, Object> bucket(Object value) {
        return Map.of("val", value, "count", 1);
    }

    private static Map<String, Object> bucket(Object value, Map<String, Object> inner) {
        return Map.of("val", value, "count", 1, "inner", inner);
    }

    @Test
    void shardsHaveBucketsInCommon() {
        counts.add(Map.of("count", 3, "f", facet(bucket("a"), bucket("b")), "g", facet(bucket(1L))));
        counts.add(Map.of("count", 2, "f", facet(bucket("b"), bucket("c")), "g", facet()));
        counts.add(Map.of("count", 2, "f", facet(bucket("b")), "h", facet()));
        Map<String, Object> f = facet(bucket("b"));
        Map<String, Object> g = facet();
        Map<String, Object> h = facet();
        Map<String, Object> untold = facet(bucket("x"));
        counts.writeCountsTo(Map.of("count", 5, "f", f, "g", g, "h", h, "untold", untold));
        assertThat(List.of(f, g, h, untold))
                .extracting(facet -> facet.get("numBuckets"))
                .containsExactly(3L, 1L, 0L, "a guess");
    }

    @Test
    void facetsInsideOfBucketsAreTheBucketsOwn() {
        counts.add(Map.of("f", facet(bucket("a", facet(bucket(1), bucket(2))), bucket("b", facet(bucket(1))))));
        counts.add(Map.of("f", Map.of("buckets", List.of(bucket("a", facet(bucket(2), bucket(3)))))));
        Map<String, Object> inA = facet();
        Map<String, Object> inB = facet();
        Map<String, Object> f = facet(bucket("b", inB), bucket("a", inA));
        counts.writeCountsTo(Map.of("f", f));
        assertThat(List.of(inA, inB, f))
                .extracting(facet -> facet.get("numBuckets"))
                .containsExactly(3L, 1L, 2L);
    }

    @Test
    void whatHasNoNumberGetsNone() {
        Map<String, Object> facet = new HashMap<>();
        facet.put("buckets", List.of(bucket("a")));
        facet.put("grid", List.of(1, List.of(2)));
        counts.add(Map.of("f", facet));
        counts.add(null);
        counts.writeCountsTo(Map.of("f", facet));
        counts.writeCountsTo(null);
        assertThat(facet).containsOnlyKeys("buckets", "grid");
    }
}
