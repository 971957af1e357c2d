package io.uniserve.port.mongodb.pipeline;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** Fields that stages read, so that actors return no others. Stateless. */
final class FieldDependencies {
    /** Stages that pass documents on as they are. */
    private static final Set<String> PASSING = Set.of("$sort", "$skip", "$limit");

    /** Stages after which only their own results exist. */
    private static final Set<String> ENDING = Set.of("$group", "$sortByCount", "$bucket", "$bucketAuto", "$count");

    /** Variables that are the whole document. */
    private static final Set<String> WHOLE = Set.of("ROOT", "CURRENT");

    private FieldDependencies() {}

    /** Returns a stage that keeps the fields which the stages read; empty if they may read or return any field. */
    static Optional<BsonDocument> projection(List<BsonDocument> stages) {
        Set<String> fields = new TreeSet<>();
        for (BsonDocument stage : stages) {
            String name = stage.getFirstKey();
            BsonValue body = stage.getOrDefault(name, BsonNull.VALUE);
            if (name.equals("$sort")) {
                if (!body.isDocument() || !addSort(fields, body.asDocument())) {
                    return Optional.empty();
                }
            } else if (!PASSING.contains(name)) {
                return ENDING.contains(name) && addExpression(fields, body)
                        ? Optional.of(keeping(fields))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private static BsonDocument keeping(Set<String> fields) {
        BsonDocument kept = new BsonDocument("_id", new BsonInt32(fields.isEmpty() || fields.contains("_id") ? 1 : 0));
        fields.forEach(field -> kept.putIfAbsent(field, new BsonInt32(1)));
        return new BsonDocument("$project", kept);
    }

    private static boolean addSort(Set<String> fields, BsonDocument sort) {
        return sort.entrySet().stream().allMatch(key -> key.getValue().isNumber() && addPath(fields, key.getKey()));
    }

    /** Adds what an expression reads. Returns false if that may be any field. */
    private static boolean addExpression(Set<String> fields, BsonValue value) {
        if (value.isString()) {
            String text = value.asString().getValue();
            if (text.startsWith("$$")) {
                return !WHOLE.contains(text.substring(2).split("\\.", 2)[0]);
            }
            return !text.startsWith("$") || addPath(fields, text.substring(1));
        } else if (value.isDocument()) {
            BsonDocument document = value.asDocument();
            BsonValue sort = document.getOrDefault("sortBy", new BsonDocument()); // of $top and its like
            return sort.isDocument()
                    && addSort(fields, sort.asDocument())
                    && !document.containsKey("$getField")
                    && document.values().stream().allMatch(each -> addExpression(fields, each));
        }
        return !value.isArray() || value.asArray().stream().allMatch(each -> addExpression(fields, each));
    }

    private static boolean addPath(Set<String> fields, String path) {
        String first = path.split("\\.", 2)[0];
        if (first.isEmpty() || first.startsWith("$")) {
            return false;
        }
        fields.add(first);
        return true;
    }
}
