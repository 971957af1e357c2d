package io.uniserve.benchmark.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Query in Solr's language with its expected answer.
 *
 * @param ids keys of the page in order; empty for a query without a page
 * @param facets count per value of the facet's field; empty for a query without a facet
 */
public record DemoQuery(String kind, String text, long numFound, List<String> ids, Map<String, Long> facets) {
    public DemoQuery {
        ids = List.copyOf(ids);
        facets = new TreeMap<>(facets);
    }

    /** Returns the difference between the answer and the expected one; empty if there is none. */
    public Optional<String> difference(JsonNode answer) {
        JsonNode response = answer.path("response");
        if (!response.path("numFound").isNumber() || response.path("numFound").asLong() != numFound) {
            return Optional.of("numFound is " + response.path("numFound") + ", should be " + numFound);
        }
        List<String> got = new ArrayList<>();
        response.path("docs").forEach(document -> got.add(document.path("id").asText()));
        if (!got.equals(ids)) {
            return Optional.of("page is " + got + ", should be " + ids);
        }
        Map<String, Long> counts = new TreeMap<>();
        JsonNode flat = answer.path("facet_counts").path("facet_fields").path("year_i");
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            counts.put(flat.get(i).asText(), flat.get(i + 1).asLong());
        }
        return counts.equals(facets) ? Optional.empty() : Optional.of("facets are " + counts + ", should be " + facets);
    }
}
