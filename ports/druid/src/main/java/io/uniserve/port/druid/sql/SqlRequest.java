package io.uniserve.port.druid.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.avatica.remote.TypedValue;
import org.apache.druid.sql.http.SqlParameter;
import org.apache.druid.sql.http.SqlQuery;

/**
 * Statement with its parameters and query context. Immutable.
 *
 * <p>Its text is a statement after any number of {@code SET key = value;}, or a request of Druid's SQL API: {@code {"query": "SELECT ...",
 * "parameters": [{"type": "BIGINT", "value": 7}], "context": {"sqlTimeZone": "Europe/Berlin"}}}.
 *
 * @param sql the statement
 * @param context keys and values of the query context; JSON values
 * @param parameters values of the statement's question marks, in their order
 */
public record SqlRequest(String sql, Map<String, Object> context, List<TypedValue> parameters) {
    private static final Set<String> MEMBERS =
            Set.of("query", "context", "parameters", "resultFormat", "header", "typesHeader", "sqlTypesHeader");

    public SqlRequest {
        context = Map.copyOf(context);
        parameters = List.copyOf(parameters);
    }

    /** Returns whether a query's text is SQL: it does not begin with a brace, or is a JSON object with a text "query". */
    public static boolean isSql(String text, ObjectMapper json) {
        if (!text.stripLeading().startsWith("{")) {
            return true;
        }
        try {
            return json.readTree(text).path("query").isTextual();
        } catch (JsonProcessingException | StackOverflowError e) {
            // The planner of native queries reports the error in the JSON.
            return false;
        }
    }

    /**
     * Parses a text for which {@link #isSql} holds.
     *
     * @throws UniserveException INVALID_ARGUMENT for an object that is not such a request, UNSUPPORTED for another {@code resultFormat}; both
     *     name the member
     */
    public static SqlRequest parse(String text, ObjectMapper json) {
        if (!text.stripLeading().startsWith("{")) {
            return SetStatements.parse(text);
        }
        try {
            JsonNode tree = json.readTree(text);
            checkMembers(tree);
            SqlQuery query = json.treeToValue(tree, SqlQuery.class);
            for (int i = 0; i < query.getParameters().size(); i++) {
                SqlParameter parameter = query.getParameters().get(i);
                if (parameter == null) {
                    throw UniserveException.invalid("parameters[" + i
                            + "] is null: give an object such as {\"type\": \"VARCHAR\", \"value\": null}");
                }
            }
            SqlRequest inner = SetStatements.parse(query.getQuery());
            Map<String, Object> context = new HashMap<>(withoutNulls(query.getContext()));
            context.putAll(inner.context());
            return new SqlRequest(inner.sql(), context, query.getParameterList());
        } catch (JsonProcessingException | IllegalArgumentException e) {
            String why = e instanceof JsonProcessingException parse ? parse.getOriginalMessage() : e.getMessage();
            throw UniserveException.invalid("the SQL request is invalid: " + PrintableText.line(String.valueOf(why)));
        }
    }

    private static void checkMembers(JsonNode tree) {
        for (Iterator<String> names = tree.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!MEMBERS.contains(name)) {
                throw UniserveException.invalid("unknown member \"" + PrintableText.line(name)
                        + "\" of the SQL request: use query, context and parameters");
            }
        }
        JsonNode format = tree.path("resultFormat");
        if (!format.isMissingNode() && !format.asText().equals("array")) {
            throw UniserveException.unsupported(
                    "resultFormat \"" + PrintableText.line(format.asText()) + "\": use \"array\"");
        }
    }

    private static Map<String, Object> withoutNulls(Map<String, Object> context) {
        Map<String, Object> values = new HashMap<>(context);
        values.values().removeIf(java.util.Objects::isNull);
        return values;
    }
}
