package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Check that a query or a schema has no JavaScript. Servers never run code of users. Stateless. */
public final class JavaScriptCheck {
    private JavaScriptCheck() {}

    /** Fails with UNSUPPORTED if any object of the tree has type javascript. */
    public static void check(String what, JsonNode tree) {
        Deque<JsonNode> open = new ArrayDeque<>();
        open.add(tree);
        while (!open.isEmpty()) {
            JsonNode node = open.pop();
            checkType(what, node.path("type").asText());
            node.forEach(open::push);
        }
    }

    /** The same for encoded objects, which no planner has checked. Reads the parser to its end, and checks each of repeated fields. */
    public static void check(String what, JsonParser parser) throws IOException {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            if (token == JsonToken.VALUE_STRING && "type".equals(parser.currentName())) {
                checkType(what, parser.getText());
            }
        }
    }

    private static void checkType(String what, String type) {
        if ("javascript".equalsIgnoreCase(type)) {
            throw UniserveException.unsupported("type javascript in " + what + "; use an expression");
        }
    }
}
