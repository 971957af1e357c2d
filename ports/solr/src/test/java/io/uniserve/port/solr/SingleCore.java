package io.uniserve.port.solr;

import io.uniserve.testkit.solr.AnswerDifference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.solr.common.params.CommonParams;
import org.noggit.ObjectBuilder;

/** Solr's own answer from one core, not distributed, in the form that answers are compared in. */
final class SingleCore {
    private SingleCore() {}

    static String query(SolrActor actor, String text) {
        return actor.with("answer", request -> {
            request.setParams(SolrQuery.params(request.getCore(), text, "id").set(CommonParams.DISTRIB, false));
            return SolrQuery.handle(
                    request,
                    (done, response) ->
                            SolrQuery.written(done, response, "json").utf8());
        });
    }

    /** Fails unless the answers are the same but for their headers, maxScore, and fractions to one part in 10,000. */
    static void assertSame(String query, String expected, String actual) {
        Map<String, Object> left = map(parse(expected));
        Map<String, Object> right = map(parse(actual));
        left.remove("responseHeader");
        right.remove("responseHeader");
        String difference = AnswerDifference.first(left, right);
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
