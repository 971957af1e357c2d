package io.uniserve.cli.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Conversion of JSON into the values of a document. */
final class JsonValueConverter {
    private JsonValueConverter() {}

    static Map<String, @Nullable Object> fields(JsonNode object) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        object.properties().forEach(entry -> fields.put(entry.getKey(), value(entry.getKey(), entry.getValue())));
        return fields;
    }

    private static @Nullable Object value(String field, JsonNode node) {
        if (node.isNull()) {
            return null;
        }
        if (node.isTextual()) {
            return node.textValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber()) {
            if (!node.canConvertToLong()) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW, "field \"" + field + "\": " + node + " does not fit in 64 bits");
            }
            return node.longValue();
        }
        if (node.isNumber()) {
            return node.doubleValue();
        }
        if (node.isArray()) {
            List<@Nullable Object> list = new ArrayList<>();
            node.forEach(element -> list.add(value(field, element)));
            return Collections.unmodifiableList(list);
        }
        return Collections.unmodifiableMap(fields(node));
    }
}
