package io.uniserve.port.solr;

import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.response.JacksonJsonWriter;
import org.noggit.ObjectBuilder;

/** Solr's own answer from one core, not distributed, in the form that answers are compared in. */
final class SingleCore {
    private SingleCore() {}

    static String query(SolrActor actor, String text) {
        ModifiableSolrParams params = SolrLanguage.parse(text);
        params.set(CommonParams.DISTRIB, false);
        Bytes body = actor.with(
                "answer",
                request -> SolrPlanner.select(
                        request.getCore(), params, Map.of("status", 0), null, new JacksonJsonWriter()));
        return body.utf8();
    }

    /** The parsed answer without its header; and without maxScore, which SolrCloud adds where one core does not. */
    static Map<String, Object> comparable(String json) {
        Map<String, Object> answer = map(parse(json));
        answer.remove("responseHeader");
        response(answer).remove("maxScore");
        return answer;
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
