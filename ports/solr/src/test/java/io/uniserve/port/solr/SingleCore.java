package io.uniserve.port.solr;

import io.uniserve.testkit.solr.AnswerComparator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.solr.common.params.CommonParams;
import org.noggit.ObjectBuilder;

/** Answers of Solr in the form for comparison. */
final class SingleCore {
    private SingleCore() {}

    /** Returns one actor's answer, with the port's parameters; for an oracle use {@link PlainCore}. */
    static String query(SolrActor actor, String text) {
        return actor.withRequest("answer", request -> {
            request.setParams(SolrQuery.params(request.getCore(), text, "id").set(CommonParams.DISTRIB, false));
            return SolrQuery.handle(
                    request, response -> SolrQuery.serialize(response, "json").utf8());
        });
    }

    /**
     * Fails unless the answers are equal except for the differences that {@link AnswerComparator} allows, and fractions to one part in
     * 10,000.
     */
    static void assertSame(String query, String expected, String actual) {
        String difference = AnswerComparator.firstDifference(query, parse(expected), parse(actual));
        if (!difference.isEmpty()) {
            throw new AssertionError(query + "\n" + difference + "\nexpected " + expected + "\nactual " + actual);
        }
    }

    static long found(String json) {
        return (Long) Objects.requireNonNull(response(map(parse(json))).get("numFound"));
    }

    static List<String> ids(String json) {
        List<?> documents =
                (List<?>) Objects.requireNonNull(response(map(parse(json))).get("docs"));
        return documents.stream()
                .map(document -> String.valueOf(map(document).get("id")))
                .toList();
    }

    private static Map<String, Object> response(Map<String, Object> answer) {
        return map(Objects.requireNonNull(answer.get("response")));
    }

    static Object parse(String json) {
        try {
            return ObjectBuilder.fromJSON(json);
        } catch (IOException e) {
            throw new UncheckedIOException(json, e);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
