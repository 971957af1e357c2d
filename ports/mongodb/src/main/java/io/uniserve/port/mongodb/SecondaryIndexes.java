package io.uniserve.port.mongodb;

import io.uniserve.api.extra.MutableOptions;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/**
 * Secondary indexes of a table, by its option {@link #OPTION}. Immutable.
 *
 * @param stored keys of each index, as paths of stored documents
 */
record SecondaryIndexes(List<BsonDocument> stored) {
    /** Table option: keys of the indexes, as a JSON array such as {@code [{"year": 1, "name": -1}]}. */
    static final String OPTION = "indexes";

    /** The option after a change. */
    static final String CHANGED = MutableOptions.mutableName(OPTION);

    private static final int COUNT_MAX = 62;

    /** Returns the table's indexes. Fails with INVALID_ARGUMENT if the option has a fault. */
    static SecondaryIndexes of(TableMeta meta) {
        String first = meta.options().getOrDefault(OPTION, "[]");
        String option = meta.options().getOrDefault(CHANGED, first);
        List<BsonDocument> indexes = new ArrayList<>();
        try {
            for (BsonValue each : BsonArray.parse(option)) {
                indexes.add(index(each.asDocument()));
            }
        } catch (RuntimeException e) { // the parser throws several kinds
            throw UniserveException.invalid("table option " + OPTION + " is " + option + ": " + e.getMessage()
                    + "; use an array of keys, such as [{\"year\": 1, \"name\": -1}]");
        }
        if (indexes.size() > COUNT_MAX) {
            throw UniserveException.invalid(
                    "table option " + OPTION + " has " + indexes.size() + " indexes, at most " + COUNT_MAX);
        }
        return new SecondaryIndexes(indexes);
    }

    private static BsonDocument index(BsonDocument keys) {
        if (keys.isEmpty()) {
            throw UniserveException.invalid("an index has no keys");
        }
        BsonDocument stored = new BsonDocument();
        for (Map.Entry<String, BsonValue> key : keys.entrySet()) {
            boolean ordered = key.getValue().isNumber()
                    && Math.abs(key.getValue().asNumber().intValue()) == 1;
            if (key.getKey().isEmpty() || key.getKey().startsWith("$") || !ordered) {
                throw UniserveException.invalid(
                        "key " + key.getKey() + ": " + key.getValue() + " is not a field with 1 or -1");
            }
            stored.put(MongoTable.DOCUMENT + "." + key.getKey(), key.getValue());
        }
        return stored;
    }

    /**
     * Checks that each index of several fields can have the document: at most one field of it has arrays on its way.
     *
     * @throws UniserveException INVALID_ROW if not
     */
    void check(BsonDocument document) {
        BsonDocument whole = new BsonDocument(MongoTable.DOCUMENT, document);
        for (BsonDocument index : stored) {
            Set<String> longest = Set.of();
            for (String path : index.keySet()) {
                Set<String> arrays = new TreeSet<>(CodePoints.ORDER);
                addArrays(arrays, whole, path.split("\\."), 0, "");
                if (!arrays.containsAll(longest) && !longest.containsAll(arrays)) {
                    throw MongoWrite.invalid("document " + MongoWrite.json(DocumentKey.idOf(document))
                            + " has arrays in two fields of index " + index.toJson()
                            + " (CannotIndexParallelArrays 171); give it one, or change the index");
                }
                longest = arrays.size() > longest.size() ? arrays : longest;
            }
        }
    }

    /** Adds the beginnings of a path at which the value has an array. */
    private static void addArrays(Set<String> arrays, BsonValue value, String[] path, int depth, String at) {
        if (value.isArray()) {
            arrays.add(at);
            value.asArray().stream()
                    .filter(BsonValue::isDocument)
                    .forEach(element -> addArrays(arrays, element, path, depth, at));
        } else if (value.isDocument()
                && depth < path.length
                && value.asDocument().containsKey(path[depth])) {
            BsonValue next = value.asDocument().getOrDefault(path[depth], BsonNull.VALUE);
            addArrays(arrays, next, path, depth + 1, at + "." + path[depth]);
        }
    }
}
