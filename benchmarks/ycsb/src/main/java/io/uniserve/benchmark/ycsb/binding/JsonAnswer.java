package io.uniserve.benchmark.ycsb.binding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Answers in JSON. */
final class JsonAnswer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonAnswer() {}

    static JsonNode parse(Answer answer) {
        try {
            return JSON.readTree(answer.body().utf8());
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "an answer is no JSON", e);
        }
    }

    /** Returns the value of a key or a field. */
    static Object value(JsonNode node) {
        return node.isIntegralNumber() ? (Object) node.longValue() : node.asText();
    }

    /** Returns a value as JSON. */
    static String quote(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "a key is no JSON", e);
        }
    }
}
