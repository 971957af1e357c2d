package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Comparison of two answers to the same native query. Order counts, except for rows of a scan, which has none. Numbers may differ by 1e-9
 * of their value, because sums of doubles depend on the order of rows.
 */
final class DruidAnswerComparator {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final double TOLERANCE = 1e-9;
    private static final int SHOWN = 300;

    private DruidAnswerComparator() {}

    /** Returns the first difference, or empty if there is none. */
    static Optional<String> difference(String ours, String peers) {
        try {
            return difference("", normalized(JSON.readTree(ours)), normalized(JSON.readTree(peers)));
        } catch (IOException e) {
            return Optional.of("an answer is not JSON: " + shown(ours) + " and " + shown(peers));
        }
    }

    /** Returns the share of the second topN's values of a dimension that the first has too. */
    static double commonShare(String ours, String peers, String dimension) {
        try {
            TreeSet<String> mine = values(JSON.readTree(ours), dimension);
            TreeSet<String> theirs = values(JSON.readTree(peers), dimension);
            int all = Math.max(1, theirs.size());
            theirs.retainAll(mine);
            return theirs.size() / (double) all;
        } catch (IOException e) {
            return 0;
        }
    }

    private static TreeSet<String> values(JsonNode answer, String dimension) {
        TreeSet<String> values = new TreeSet<>();
        for (JsonNode row : answer.path(0).path("result")) {
            values.add(row.path(dimension).asText());
        }
        return values;
    }

    /** Joins the batches of a scan and orders its rows by their text; other answers are left as they are. */
    private static JsonNode normalized(JsonNode answer) {
        if (!answer.path(0).has("events") && !answer.path(0).has("segmentId")) {
            return answer;
        }
        List<JsonNode> rows = new ArrayList<>();
        for (JsonNode batch : answer) {
            batch.path("events").forEach(rows::add);
        }
        rows.sort(Comparator.comparing(DruidAnswerComparator::key));
        return JSON.createArrayNode().addAll(rows);
    }

    private static String key(JsonNode row) {
        return row.path("l_orderkey").asText() + "/" + row.path("l_linenumber").asText();
    }

    private static Optional<String> difference(String path, JsonNode ours, JsonNode peers) {
        if (ours.isNumber() && peers.isNumber()) {
            double a = ours.asDouble();
            double b = peers.asDouble();
            return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b))
                    ? Optional.empty()
                    : Optional.of(path + ": " + ours + " and " + peers);
        }
        if (ours.size() != peers.size() || ours.getNodeType() != peers.getNodeType()) {
            return Optional.of(path + ": " + shown(ours.toString()) + " and " + shown(peers.toString()));
        }
        if (ours.isObject()) {
            for (Iterator<String> names = peers.fieldNames(); names.hasNext(); ) {
                String name = names.next();
                Optional<String> found = difference(path + "." + name, ours.path(name), peers.path(name));
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
        if (ours.isArray()) {
            for (int i = 0; i < ours.size(); i++) {
                Optional<String> found = difference(path + "[" + i + "]", ours.get(i), peers.get(i));
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }
        return ours.equals(peers) ? Optional.empty() : Optional.of(path + ": " + ours + " and " + peers);
    }

    private static String shown(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }
}
