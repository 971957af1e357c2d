package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.error.UniserveException;
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
            if ("javascript".equalsIgnoreCase(node.path("type").asText())) {
                throw UniserveException.unsupported("type javascript in " + what + "; use an expression");
            }
            node.forEach(open::push);
        }
    }
}
