package io.uniserve.port.solr.facet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Facets of terms get options at any depth, and no other facets do. */
class JsonFacetWalkerTest {
    private static final Map<String, Boolean> OPTIONS = Map.of("refine", true);

    private static Object with(Map<String, ?> facets, List<String> seen) {
        Object all = JsonFacetWalker.withOptions(facets, OPTIONS, (option, value) -> seen.add(option + "=" + value));
        return Objects.requireNonNull(all);
    }

    @Test
    void howeverAFacetOfTermsIsWritten() {
        Map<String, ?> terms = Map.of("field", "f", "refine", true);
        assertThat(with(Map.of("a", Map.of("terms", "f")), new ArrayList<>()))
                .isEqualTo(Map.of("a", Map.of("terms", terms)));
        assertThat(with(Map.of("a", Map.of("field", "f")), new ArrayList<>()))
                .isEqualTo(Map.of("a", Map.of("field", terms)));
        assertThat(with(Map.of("a", Map.of("terms", Map.of("field", "f", "refine", false))), new ArrayList<>()))
                .isEqualTo(Map.of("a", Map.of("terms", terms)));
        assertThat(with(Map.of("a", Map.of("type", "field", "field", "f")), new ArrayList<>()))
                .isEqualTo(Map.of("a", Map.of("type", "field", "field", "f", "refine", true)));
    }

    @Test
    void insideOfOthersToo() {
        List<String> seen = new ArrayList<>();
        Map<String, ?> inner = Map.of("terms", Map.of("terms", "f"), "n", "sum(x)");
        Object all = with(Map.of("q", Map.of("query", Map.of("q", "a", "facet", inner))), seen);
        Object made = Map.of("terms", Map.of("terms", Map.of("field", "f", "refine", true)), "n", "sum(x)");
        assertThat(all).isEqualTo(Map.of("q", Map.of("query", Map.of("q", "a", "facet", made))));
        assertThat(seen).contains("query/q=a", "terms/field=f").hasSize(3);
    }

    @Test
    void whatIsNoFacetOfTermsStays() {
        Map<String, ?> facets =
                Map.of("terms", "sum(x)", "field", Map.of("query", "a"), "none", Map.of("a", 1, "b", 2));
        assertThat(with(facets, new ArrayList<>())).isEqualTo(facets);
        assertThat(JsonFacetWalker.withOptions(null, OPTIONS, (option, value) -> {}))
                .isNull();
    }

    @Test
    void optionsAreTold() {
        List<String> seen = new ArrayList<>();
        with(Map.of("a", Map.of("terms", Map.of("limit", 3, "domain", Map.of("graph", "g")))), seen);
        with(
                Map.of("c", Map.of("terms", Map.of("facet", Map.of("d", Map.of("query", Map.of("excludeTags", "t")))))),
                seen);
        with(Map.of("e", Map.of("terms", Map.of("numBuckets", true, "mincount", 0))), seen);
        with(Map.of("g", Map.of("terms", Map.of("numBuckets", true, "prefix", "p"))), seen);
        with(Map.of("h", Map.of("field", Map.of("facet", Map.of("i", Map.of("terms", Map.of("mincount", 0)))))), seen);
        with(Map.of("b", Map.of("type", "func", "func", "sum($by)", "by", 3, "other", 4)), seen);
        assertThat(seen)
                .containsExactlyInAnyOrder(
                        "terms/limit=3",
                        "domain/graph=g",
                        "terms/facet={d={query={excludeTags=t}}}",
                        "terms/facet/domain/excludeTags=t",
                        "terms/numBuckets=true",
                        "terms/mincount=0",
                        "terms/numBuckets/mincount=0",
                        "terms/numBuckets=true",
                        "terms/prefix=p",
                        "terms/numBuckets/prefix=p",
                        "terms/facet={i={terms={mincount=0}}}",
                        "terms/mincount=0",
                        "terms/facet/terms/mincount=0",
                        "func/type=func",
                        "func/func=sum($by)",
                        "func/other=4");
    }

    /** Equal ranges have the same name in an answer, in whatever syntax they are written. */
    @Test
    void equalRangesAreTold() {
        List<String> seen = new ArrayList<>();
        Map<String, ?> old = Map.of("range", "[0, 5)");
        List<?> ranges = List.of(
                Map.of("from", 0, "to", 5), old, Map.of("from", 0, "to", 5, "inclusive_to", true), Map.of("to", 5));
        with(Map.of("a", Map.of("range", Map.of("ranges", ranges))), seen);
        with(Map.of("a", Map.of("range", Map.of("ranges", List.of(Map.of("from", 1), Map.of("from", 2))))), seen);
        assertThat(seen)
                .filteredOn(told -> !told.startsWith("range/ranges="))
                .containsExactly("range/ranges/twice=[0,5)");
    }
}
