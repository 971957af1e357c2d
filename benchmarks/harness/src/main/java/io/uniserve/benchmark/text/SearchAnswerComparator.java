package io.uniserve.benchmark.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Comparison of two sides' answers: every field of results and counts, in order; numbers to a relative 1e-4. */
final class SearchAnswerComparator {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> PARTS = List.of("response", "facet_counts");
    private static final double TOLERANCE = 1e-4;

    private SearchAnswerComparator() {}

    /** Returns the first difference; empty if there is none. */
    static Optional<String> difference(String ours, String peers) {
        for (String part : PARTS) {
            Optional<String> found =
                    difference(part, parse(ours).path(part), parse(peers).path(part));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Returns the number of found documents. */
    static long numFound(String answer) {
        return parse(answer).path("response").path("numFound").asLong(-1);
    }

    private static JsonNode parse(String answer) {
        try {
            return JSON.readTree(answer);
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the answer is not JSON: " + answer, e);
        }
    }

    private static Optional<String> difference(String at, JsonNode ours, JsonNode peers) {
        if (ours.isNumber() && peers.isNumber()) {
            double scale = Math.max(Math.abs(ours.asDouble()), Math.abs(peers.asDouble()));
            boolean same = Math.abs(ours.asDouble() - peers.asDouble()) <= TOLERANCE * scale;
            return same ? Optional.empty() : compareNodes(at, ours, peers);
        }
        if (ours.isArray() && peers.isArray() && ours.size() == peers.size()) {
            for (int i = 0; i < ours.size(); i++) {
                Optional<String> found = difference(at + "[" + i + "]", ours.get(i), peers.get(i));
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
        if (ours.isObject() && peers.isObject()) {
            TreeSet<String> names = new TreeSet<>();
            ours.fieldNames().forEachRemaining(names::add);
            peers.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                Optional<String> found = difference(at + "." + name, ours.path(name), peers.path(name));
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
        return ours.equals(peers) ? Optional.empty() : compareNodes(at, ours, peers);
    }

    private static Optional<String> compareNodes(String at, JsonNode ours, JsonNode peers) {
        return Optional.of(at + ": uniserve " + ours + ", peer " + peers);
    }
}
