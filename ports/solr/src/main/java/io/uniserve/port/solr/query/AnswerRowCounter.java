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

    /** Values of facets by field and query, counts of ranges, and values of pivots with those below them. */
    private static long terms(@Nullable Object tree) {
        if (tree instanceof Map.Entry<?, ?> named) {
            return switch (String.valueOf(named.getKey())) {
                case "facet_pivot" -> pivots(named.getValue());
                case "facet_ranges" -> counts(named.getValue());
                default -> terms(named.getValue());
            };
        }
        return tree instanceof Iterable<?> ? sum(tree, true) : 1;
    }

    private static long pivots(@Nullable Object tree) {
        long rows = 0;
        if (tree instanceof Iterable<?> parts) {
            for (Object part : parts) {
                if (part instanceof Map.Entry<?, ?> named) {
                    rows += pivots(named.getValue());
                } else {
                    rows += 1 + (part instanceof NamedList<?> value ? pivots(value.get("pivot")) : 0);
                }
            }
        }
        return rows;
    }

    private static long counts(@Nullable Object ranges) {
        long rows = 0;
        if (ranges instanceof NamedList<?> fields) {
            for (Map.Entry<String, ?> field : fields) {
                rows += field.getValue() instanceof NamedList<?> range ? terms(range.get("counts")) : 0;
            }
        }
        return rows;
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
