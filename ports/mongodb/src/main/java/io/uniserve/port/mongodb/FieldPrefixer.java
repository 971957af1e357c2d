package io.uniserve.port.mongodb;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Rewriter of filters and sorts on users' documents to those on stored documents, which have the user's document in a field. So the
 * engine's indexes apply. Stateless.
 */
final class FieldPrefixer {
    private static final Set<String> COMBINING = Set.of("$and", "$or", "$nor");

    private FieldPrefixer() {}

    /** Returns the filter on stored documents; empty if a part of it has no such form, as {@code $expr}. */
    static Optional<BsonDocument> filter(BsonDocument filter) {
        BsonDocument stored = new BsonDocument();
        for (Map.Entry<String, BsonValue> part : filter.entrySet()) {
            String name = part.getKey();
            if (COMBINING.contains(name) && part.getValue().isArray()) {
                BsonArray all = new BsonArray();
                for (BsonValue each : part.getValue().asArray()) {
                    Optional<BsonDocument> inner = each.isDocument() ? filter(each.asDocument()) : Optional.empty();
                    if (inner.isEmpty()) {
                        return Optional.empty();
                    }
                    all.add(inner.get());
                }
                stored.put(name, all);
            } else if (name.startsWith("$")) {
                return Optional.empty();
            } else {
                stored.put(MongoTable.DOCUMENT + "." + name, part.getValue());
            }
        }
        return Optional.of(stored);
    }

    /** Returns the sort on stored documents; empty for a sort by something else than fields. */
    static Optional<BsonDocument> sort(BsonDocument sort) {
        BsonDocument stored = new BsonDocument();
        for (Map.Entry<String, BsonValue> part : sort.entrySet()) {
            if (part.getKey().startsWith("$") || !part.getValue().isNumber()) {
                return Optional.empty();
            }
            stored.put(MongoTable.DOCUMENT + "." + part.getKey(), part.getValue());
        }
        return Optional.of(stored);
    }
}
