package io.uniserve.port.mongodb;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Converter from rows to BSON. A whole number is an int, or a long if it does not fit, as in mongosh's JSON. A field such as
 * {@code {"$numberDecimal": "1.5"}} has the meaning that Extended JSON gives it. Stateless.
 */
final class DocumentConverter {
    private DocumentConverter() {}

    /** Returns the row's fields as a BSON document. Fails with INVALID_ROW for fields that are no Extended JSON. */
    static BsonDocument toBson(Document row) {
        return document("document", row.fields());
    }

    /** Returns a value of a row as a BSON document. */
    static BsonDocument document(String what, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, what + " is missing or is not a document; give it fields");
        }
        boolean[] extended = new boolean[1];
        BsonDocument plain = fields(map, extended);
        return extended[0] ? parse(plain, what) : plain;
    }

    /** Returns a value of a row. */
    static BsonValue value(String what, @Nullable Object value) {
        return document(what, Map.of("v", value == null ? BsonNull.VALUE : value))
                .getOrDefault("v", BsonNull.VALUE);
    }

    private static BsonDocument parse(BsonDocument plain, String what) {
        try {
            return BsonDocument.parse(plain.toJson());
        } catch (RuntimeException e) { // the parser throws several kinds for a wrong type name or value
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, what + " is no Extended JSON: " + e.getMessage() + "; correct the value", e);
        }
    }

    private static BsonDocument fields(Map<?, ?> map, boolean[] extended) {
        BsonDocument document = new BsonDocument(map.size());
        map.forEach((name, value) -> {
            String field = String.valueOf(name);
            if (field.indexOf('\0') >= 0) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW, "a field name has the character NUL, which BSON does not permit");
            }
            extended[0] |= field.startsWith("$");
            document.put(field, of(value, extended));
        });
        return document;
    }

    private static BsonValue of(@Nullable Object value, boolean[] extended) {
        if (value == null) {
            return BsonNull.VALUE;
        } else if (value instanceof BsonValue bson) {
            return bson;
        } else if (value instanceof String text) {
            return new BsonString(text);
        } else if (value instanceof Long number) {
            return number == number.intValue() ? new BsonInt32(number.intValue()) : new BsonInt64(number);
        } else if (value instanceof Double number) {
            return new BsonDouble(number);
        } else if (value instanceof Boolean bool) {
            return BsonBoolean.valueOf(bool);
        } else if (value instanceof List<?> list) {
            BsonArray array = new BsonArray(list.size());
            list.forEach(element -> array.add(of(element, extended)));
            return array;
        } else if (value instanceof Map<?, ?> map) {
            return fields(map, extended);
        }
        throw new UniserveException(
                ErrorCode.INVALID_ROW, "a value of class " + value.getClass().getSimpleName() + " is not supported");
    }
}
