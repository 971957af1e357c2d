package io.uniserve.port.mongodb;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * MongoDB's commands that write, as rows of {@link MongoWrite#FUNCTION} for an update that goes to every actor. The rows of one command are
 * one update: of an atomic table all of them happen or none, and in their order, so {@code ordered: false} has no effect. Stateless.
 *
 * <pre>{@code
 * BsonDocument command = BsonDocument.parse("{update: 'films', updates: [{q: {year: 1960}, u: {$inc: {n: 1}}, multi: true}]}");
 * client.table("films").update(MongoWrite.FUNCTION, MongoWrite.CODEC, WriteCommand.parse("films", command)).everywhere().run().orThrow();
 * }</pre>
 */
public final class WriteCommand {
    /**
     * Update function for {@link #out}: the client never sends its rows in several updates, of which each would delete the documents of the
     * one before.
     */
    public static final String OUT_FUNCTION = "mongodb.replace@1";

    private static final Set<String> IGNORED = Set.of("ordered", "comment", "$db", "writeConcern");

    /** Fields of the operations of a bulk write. */
    private static final Map<String, Set<String>> OPERATIONS = Map.of(
            "insertOne", Set.of("document"),
            "updateOne", Set.of("filter", "update", "upsert", "arrayFilters"),
            "updateMany", Set.of("filter", "update", "upsert", "arrayFilters"),
            "replaceOne", Set.of("filter", "replacement", "upsert"),
            "deleteOne", Set.of("filter"),
            "deleteMany", Set.of("filter"));

    private WriteCommand() {}

    /**
     * Returns the writes of {@code insert}, {@code update}, {@code delete}, or of {@code bulkWrite} with the operations of MongoDB's drivers
     * in {@code ops}. A document to insert without an _id gets an ObjectId.
     *
     * @param table the table that gets the update, which the command must name
     * @throws UniserveException INVALID_ROW or UNSUPPORTED, which names the field and the remedy
     */
    public static List<MongoWrite> parse(String table, BsonDocument command) {
        String name = command.isEmpty() ? "" : command.getFirstKey();
        if (!command.isEmpty() && !new BsonString(table).equals(command.get(name))) {
            throw MongoWrite.invalid("command " + name + " names collection " + command.get(name)
                    + " (InvalidNamespace 73), but the update is for table " + table + ": name that table");
        }
        List<MongoWrite> writes = new ArrayList<>();
        switch (name) {
            case "insert" ->
                statements(command, name, "documents")
                        .forEach(document -> writes.add(MongoWrite.insert(withId(document))));
            case "update" -> statements(command, name, "updates").forEach(each -> writes.add(update(each)));
            case "delete" -> statements(command, name, "deletes").forEach(each -> writes.add(delete(each)));
            case "bulkWrite" -> statements(command, name, "ops").forEach(each -> writes.add(operation(each)));
            default ->
                throw UniserveException.unsupported("MongoDB: command " + (name.isEmpty() ? "without a name" : name)
                        + " (CommandNotFound 59): use insert, update, delete or bulkWrite");
        }
        return writes.stream().map(MongoWrite::forEveryActor).toList();
    }

    /** Returns the writes of stage {@code $out}, for {@link #OUT_FUNCTION}: the documents replace all that the table has. */
    public static List<MongoWrite> out(List<BsonDocument> documents) {
        List<MongoWrite> writes = new ArrayList<>(List.of(MongoWrite.deleteMany(new BsonDocument())));
        documents.forEach(
                document -> writes.add(MongoWrite.insert(withId(document)).forEveryActor()));
        return writes;
    }

    /**
     * Returns the writes of stage {@code $merge} on _id.
     *
     * @param whenMatched replace, merge, keepExisting or fail
     * @param whenNotMatched insert or discard
     * @throws UniserveException UNSUPPORTED for other values
     */
    public static List<MongoWrite> merge(List<BsonDocument> documents, String whenMatched, String whenNotMatched) {
        boolean inserts = switch (whenNotMatched) {
            case "insert" -> true;
            case "discard" -> false;
            default -> throw unsupported("whenNotMatched \"" + whenNotMatched + "\" of $merge", "insert or discard");
        };
        if (whenMatched.equals("fail") && !inserts) {
            throw unsupported("whenMatched \"fail\" with whenNotMatched \"discard\" of $merge", "another pair");
        }
        return documents.stream()
                .map(WriteCommand::withId)
                .map(document -> merge(document, whenMatched, inserts))
                .toList();
    }

    private static MongoWrite merge(BsonDocument document, String whenMatched, boolean inserts) {
        BsonValue id = DocumentKey.idOf(document);
        BsonDocument fields = new BsonDocument();
        fields.putAll(document);
        fields.remove("_id");
        return switch (whenMatched) {
            case "replace" ->
                inserts
                        ? MongoWrite.put(document)
                        : MongoWrite.update(id, new BsonDocument(), fields, false, List.of());
            case "merge" -> set(id, "$set", fields, inserts);
            case "keepExisting" -> set(id, "$setOnInsert", fields, inserts);
            case "fail" -> MongoWrite.insert(document);
            default ->
                throw unsupported(
                        "whenMatched \"" + whenMatched + "\" of $merge", "replace, merge, keepExisting or fail");
        };
    }

    /** With an operator on no fields an update has no effect but the upsert, for which the _id stands. */
    private static MongoWrite set(BsonValue id, String operator, BsonDocument fields, boolean upsert) {
        for (String name : fields.keySet()) {
            if (name.contains(".") || name.startsWith("$")) {
                throw unsupported(
                        "field \"" + name + "\" of a document of $merge, which is a path,", "other names, or replace");
            }
        }
        BsonDocument update = fields.isEmpty()
                ? new BsonDocument("$setOnInsert", new BsonDocument("_id", id))
                : new BsonDocument(operator, fields);
        return MongoWrite.update(id, new BsonDocument(), update, upsert, List.of());
    }

    private static BsonDocument withId(BsonDocument document) {
        if (document.containsKey("_id")) {
            return document;
        }
        BsonDocument identified = new BsonDocument("_id", new BsonObjectId());
        identified.putAll(document);
        return identified;
    }

    private static List<BsonDocument> statements(BsonDocument command, String name, String field) {
        for (String each : command.keySet()) {
            if (!each.equals(name) && !each.equals(field) && !IGNORED.contains(each)) {
                throw unsupported(
                        "field '" + each + "' of command " + name,
                        field + ", "
                                + String.join(
                                        ", ",
                                        IGNORED.stream()
                                                .sorted(CodePoints.ORDER)
                                                .toList()));
            }
        }
        return SplitPipeline.documents(field, command.getOrDefault(field, BsonNull.VALUE));
    }

    private static UniserveException unsupported(String what, String remedy) {
        return UniserveException.unsupported("MongoDB: " + what + ": use " + remedy);
    }

    private static MongoWrite operation(BsonDocument operation) {
        String name = operation.size() == 1 ? operation.getFirstKey() : "";
        if (!OPERATIONS.containsKey(name)) {
            throw unsupported(
                    "an operation of bulkWrite with the fields " + operation.keySet(),
                    "one field of "
                            + OPERATIONS.keySet().stream()
                                    .sorted(CodePoints.ORDER)
                                    .toList());
        }
        BsonDocument body = document(operation, name);
        checkKnown(body, OPERATIONS.getOrDefault(name, Set.of()));
        if (name.equals("insertOne")) {
            return MongoWrite.insert(withId(document(body, "document")));
        }
        BsonDocument filter = document(body, "filter");
        List<BsonDocument> arrayFilters = arrayFilters(body);
        return switch (name) {
            case "updateOne" ->
                MongoWrite.update(id(filter), withoutId(filter), operators(body), flag(body, "upsert"), arrayFilters);
            case "replaceOne" ->
                MongoWrite.update(id(filter), withoutId(filter), replacement(body), flag(body, "upsert"), arrayFilters);
            case "updateMany" -> updateMany(filter, operators(body), flag(body, "upsert"), arrayFilters);
            case "deleteOne" -> MongoWrite.delete(id(filter), withoutId(filter));
            case "deleteMany" -> MongoWrite.deleteMany(filter);
            default ->
                throw unsupported(
                        "operation " + name + " of bulkWrite",
                        "insertOne, updateOne, replaceOne, updateMany, deleteOne or deleteMany");
        };
    }

    private static MongoWrite update(BsonDocument statement) {
        checkKnown(statement, Set.of("q", "u", "upsert", "multi", "arrayFilters"));
        BsonDocument filter = document(statement, "q");
        BsonValue change = change(statement, "u");
        return flag(statement, "multi")
                ? updateMany(filter, change, flag(statement, "upsert"), arrayFilters(statement))
                : MongoWrite.update(
                        id(filter), withoutId(filter), change, flag(statement, "upsert"), arrayFilters(statement));
    }

    private static MongoWrite updateMany(
            BsonDocument filter, BsonValue change, boolean upsert, List<BsonDocument> arrayFilters) {
        if (upsert) {
            throw unsupported(
                    "upsert of many documents (ShardKeyNotFound 61)", "an update of one, with its _id in the filter");
        }
        return MongoWrite.updateMany(filter, change, arrayFilters);
    }

    private static MongoWrite delete(BsonDocument statement) {
        checkKnown(statement, Set.of("q", "limit"));
        BsonDocument filter = document(statement, "q");
        BsonValue limit = statement.getOrDefault("limit", BsonNull.VALUE);
        if (!limit.isNumber()
                || limit.asNumber().doubleValue() != 0 && limit.asNumber().doubleValue() != 1) {
            throw MongoWrite.invalid("field 'limit' of a delete must be 0 for all or 1 (FailedToParse 9)");
        }
        return limit.asNumber().intValue() == 0
                ? MongoWrite.deleteMany(filter)
                : MongoWrite.delete(id(filter), withoutId(filter));
    }

    private static void checkKnown(BsonDocument statement, Set<String> known) {
        for (String field : statement.keySet()) {
            if (!known.contains(field)) {
                throw unsupported(
                        "field '" + field + "' of a statement",
                        String.join(
                                ", ", known.stream().sorted(CodePoints.ORDER).toList()));
            }
        }
    }

    /** The _id that a filter demands. */
    private static BsonValue id(BsonDocument filter) {
        return DocumentKey.only(filter)
                .orElseThrow(() -> MongoWrite.invalid("a write of one document has no _id in its filter "
                        + filter.toJson() + " (ShardKeyNotFound 61): give it, or write all that the filter finds"));
    }

    private static BsonDocument withoutId(BsonDocument filter) {
        BsonDocument rest = new BsonDocument();
        rest.putAll(filter);
        rest.remove("_id");
        return rest;
    }

    private static BsonDocument document(BsonDocument body, String field) {
        BsonValue value = body.getOrDefault(field, BsonNull.VALUE);
        if (!value.isDocument()) {
            throw MongoWrite.invalid("field '" + field + "' of a write must be a document (TypeMismatch 14)");
        }
        return value.asDocument();
    }

    private static BsonValue change(BsonDocument body, String field) {
        BsonValue value = body.getOrDefault(field, BsonNull.VALUE);
        if (!value.isDocument() && !value.isArray()) {
            throw MongoWrite.invalid(
                    "field '" + field + "' of a write must be a document or an array of stages (TypeMismatch 14)");
        }
        return value;
    }

    /** The change of updateOne and updateMany, which cannot be a whole document. */
    private static BsonValue operators(BsonDocument body) {
        BsonValue change = change(body, "update");
        boolean stages = change.isArray() && !change.asArray().isEmpty();
        if (!stages && (change.isArray() || change.asDocument().isEmpty() || !isOperator(change.asDocument()))) {
            throw MongoWrite.invalid("field 'update' has no operators; give it some, such as $set, or use replaceOne");
        }
        return change;
    }

    private static BsonDocument replacement(BsonDocument body) {
        BsonDocument replacement = document(body, "replacement");
        if (!replacement.isEmpty() && isOperator(replacement)) {
            throw MongoWrite.invalid("field 'replacement' has operators; give it fields, or use updateOne");
        }
        return replacement;
    }

    private static boolean isOperator(BsonDocument change) {
        return change.getFirstKey().startsWith("$");
    }

    private static boolean flag(BsonDocument body, String field) {
        BsonValue value = body.getOrDefault(field, BsonNull.VALUE);
        if (!value.isNull() && !value.isBoolean()) {
            throw MongoWrite.invalid("field '" + field + "' of a write must be true or false (TypeMismatch 14)");
        }
        return value.isBoolean() && value.asBoolean().getValue();
    }

    private static List<BsonDocument> arrayFilters(BsonDocument body) {
        return body.containsKey("arrayFilters")
                ? SplitPipeline.documents("arrayFilters", body.getOrDefault("arrayFilters", BsonNull.VALUE))
                : List.of();
    }
}
