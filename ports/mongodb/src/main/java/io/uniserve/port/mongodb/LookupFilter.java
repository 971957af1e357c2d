package io.uniserve.port.mongodb;

import io.uniserve.codec.CodePoints;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * Filter of the other table's documents that a {@code $lookup} can join: those with one of the values that the documents have. So only
 * these come to the planning server, and a look-up by _id asks only the actors of these. Stateless.
 */
final class LookupFilter {
    /** With more values, or longer ones together, than this the whole table comes. */
    private static final int VALUES_MAX = 1_000;

    private static final int CHARS_MAX = 1 << 18;

    private static final Set<String> FIELDS = Set.of("from", "localField", "foreignField", "as");

    private static final Set<BsonType> PLAIN = EnumSet.of(
            BsonType.INT32,
            BsonType.INT64,
            BsonType.DOUBLE,
            BsonType.DECIMAL128,
            BsonType.STRING,
            BsonType.OBJECT_ID,
            BsonType.DATE_TIME,
            BsonType.BOOLEAN,
            BsonType.BINARY,
            BsonType.NULL);

    private LookupFilter() {}

    /**
     * Returns a filter that finds at least all documents of the table that the first stage joins; empty for all.
     *
     * @param documents the documents that enter the first stage
     */
    static BsonDocument of(String table, List<BsonDocument> stages, List<? extends BsonDocument> documents) {
        boolean once = ForeignCollections.namings(stages).stream()
                        .filter(table::equals)
                        .count()
                == 1;
        Optional<BsonDocument> lookup = StoredQuery.leading(stages, 0, "$lookup")
                .filter(body -> once && body.keySet().equals(FIELDS))
                .filter(body -> body.values().stream().allMatch(BsonValue::isString))
                .filter(body -> body.getString("from").getValue().equals(table));
        if (lookup.isEmpty()) {
            return new BsonDocument();
        }
        String[] path = lookup.get().getString("localField").getValue().split("\\.", -1);
        TreeMap<String, BsonValue> values = new TreeMap<>(CodePoints.ORDER);
        for (BsonDocument document : documents) {
            if (!addValues(values, document, path, 0) || values.size() > VALUES_MAX) {
                return new BsonDocument();
            }
        }
        if (values.keySet().stream().mapToLong(String::length).sum() > CHARS_MAX) {
            return new BsonDocument();
        }
        String field = lookup.get().getString("foreignField").getValue();
        return field.isEmpty() || field.startsWith("$")
                ? new BsonDocument() // the engine refuses it
                : new BsonDocument(field, new BsonDocument("$in", new BsonArray(List.copyOf(values.values()))));
    }

    /** Adds the values at a path, each array and its elements. Returns false for what has no such filter. */
    private static boolean addValues(TreeMap<String, BsonValue> values, BsonValue value, String[] path, int depth) {
        if (value.isArray()) {
            return (depth < path.length || add(values, value))
                    && value.asArray().stream()
                            .allMatch(element -> depth < path.length
                                    ? addValues(values, element, path, depth)
                                    : add(values, element))
                    // The embedded server takes a field of documents in an array for missing.
                    && (!value.asArray().isEmpty() && depth == path.length || add(values, BsonNull.VALUE));
        }
        if (depth == path.length) {
            return add(values, value);
        }
        if (path[depth].isEmpty() || path[depth].startsWith("$") || Character.isDigit(path[depth].charAt(0))) {
            return false; // may be an index of an array
        }
        BsonValue next =
                value.isDocument() ? value.asDocument().getOrDefault(path[depth], BsonNull.VALUE) : BsonNull.VALUE;
        return addValues(values, next, path, depth + 1);
    }

    private static boolean add(TreeMap<String, BsonValue> values, BsonValue value) {
        if (!PLAIN.contains(value.getBsonType())
                && !(value.isArray()
                        && value.asArray().stream().allMatch(each -> PLAIN.contains(each.getBsonType())))) {
            return false; // such as a pattern, which a filter would take for one
        }
        values.put(new BsonDocument("v", value).toJson(), value);
        return true;
    }
}
