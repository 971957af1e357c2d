package io.uniserve.port.solr.query;

import java.util.Collection;
import java.util.Map;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrDocumentList;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.response.ResultContext;
import org.apache.solr.search.DocList;
import org.jspecify.annotations.Nullable;

/** Counter of the rows of a response: documents, also in groups, and buckets and terms of facets. Stateless. */
public final class AnswerRowCounter {
    private AnswerRowCounter() {}

    /** Rows of a response. */
    public static long rows(NamedList<?> response) {
        long rows = 0;
        for (Map.Entry<String, ?> part : response) {
            rows += switch (String.valueOf(part.getKey())) {
                case "responseHeader", "debug" -> 0;
                case "facet_counts" -> terms(part.getValue());
                default -> rows(part.getValue());
            };
        }
        return rows;
    }

    private static long rows(@Nullable Object tree) {
        if (tree instanceof SolrDocument) {
            return 1;
        } else if (tree instanceof SolrDocumentList found) {
            return found.size();
        } else if (tree instanceof ResultContext found) {
            return found.getDocList().size();
        } else if (tree instanceof DocList found) {
            return found.size();
        } else if (tree instanceof Map.Entry<?, ?> named) {
            boolean buckets = "buckets".equals(named.getKey()) && named.getValue() instanceof Collection<?>;
            return rows(named.getValue()) + (buckets ? ((Collection<?>) named.getValue()).size() : 0);
        } else if (tree instanceof Map<?, ?> map) {
            return rows(map.entrySet());
        }
        return sum(tree, false);
    }

    /** Values of facets by field, query and range. */
    private static long terms(@Nullable Object tree) {
        if (tree instanceof Map.Entry<?, ?> named) {
            return terms(named.getValue());
        }
        return tree instanceof Iterable<?> ? sum(tree, true) : 1;
    }

    private static long sum(@Nullable Object tree, boolean terms) {
        long sum = 0;
        if (tree instanceof Iterable<?> parts) {
            for (Object part : parts) {
                sum += terms ? terms(part) : rows(part);
            }
        }
        return sum;
    }
}
