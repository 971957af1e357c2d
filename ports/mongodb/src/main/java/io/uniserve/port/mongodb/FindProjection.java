package io.uniserve.port.mongodb;

import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/** Projections of the command find that a pipeline's stage {@code $project} expresses equally. Stateless. */
final class FindProjection {
    private FindProjection() {}

    /**
     * Returns whether actors may project before the results are sorted: all fields are whole, only included or only excluded, and the
     * sort's fields remain. Engines differ in empty documents around a missing field.
     */
    static boolean mayPrecede(BsonDocument projection, BsonDocument sort) {
        boolean includes = false;
        boolean excludes = false;
        for (Map.Entry<String, BsonValue> field : projection.entrySet()) {
            BsonValue value = field.getValue();
            if (!value.isNumber() && !value.isBoolean()
                    || field.getKey().contains("$")
                    || field.getKey().contains(".")) {
                return false;
            }
            boolean included = value.isBoolean()
                    ? value.asBoolean().getValue()
                    : value.asNumber().doubleValue() != 0;
            if (!field.getKey().equals("_id")) {
                includes |= included;
                excludes |= !included;
            }
        }
        boolean onlyId = !includes && !excludes;
        if (includes && excludes || onlyId) {
            return false;
        }
        boolean including = includes;
        return sort.keySet().stream()
                .allMatch(path -> including
                        ? isIncluded(path, projection)
                        : projection.keySet().stream().noneMatch(excluded -> overlap(path, excluded)));
    }

    /** Returns the document with a projection that {@link #mayPrecede} a sort. */
    static RawBsonDocument project(BsonDocument document, BsonDocument projection) {
        boolean including = projection.entrySet().stream()
                .anyMatch(field -> !field.getKey().equals("_id") && isTrue(field.getValue()));
        BsonDocument projected = new BsonDocument();
        document.forEach((name, value) -> {
            boolean named = projection.containsKey(name);
            boolean kept =
                    named ? isTrue(projection.getOrDefault(name, BsonNull.VALUE)) : !including || name.equals("_id");
            if (kept) {
                projected.put(name, value);
            }
        });
        return new RawBsonDocument(BsonRows.encode(projected));
    }

    private static boolean isIncluded(String path, BsonDocument projection) {
        if (path.equals("_id") && !projection.containsKey("_id")) {
            return true;
        }
        return projection.keySet().stream()
                .anyMatch(included -> (path.equals(included) || path.startsWith(included + "."))
                        && isTrue(projection.getOrDefault(included, BsonNull.VALUE)));
    }

    private static boolean isTrue(BsonValue value) {
        return value.isBoolean()
                ? value.asBoolean().getValue()
                : value.asNumber().doubleValue() != 0;
    }

    private static boolean overlap(String path, String other) {
        return path.equals(other) || path.startsWith(other + ".") || other.startsWith(path + ".");
    }
}
