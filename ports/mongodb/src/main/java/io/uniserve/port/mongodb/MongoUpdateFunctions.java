package io.uniserve.port.mongodb;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Update functions of the MongoDB port. Each turns its rows into {@link MongoWrite}s. Rows are checked before they are logged, against all
 * updates before them.
 */
final class MongoUpdateFunctions {
    /** Field of a row with the key that its _id has; {@code load} sends it for ids of Extended JSON. */
    private static final String KEY = "$key";

    private static final Set<String> UPDATE_FIELDS = Set.of("_id", "q", "u", "upsert", "multi", "arrayFilters", KEY);
    private static final Set<String> DELETE_MANY_FIELDS = Set.of("q");

    /** Writes of any kind. */
    static final EventualUpdate<MongoActor, MongoWrite> WRITE =
            new WriteFunction<>(MongoWrite.FUNCTION, MongoWrite.CODEC, MongoWrite::readsDocuments, write -> write);

    /** The same, for writes that replace all documents. */
    static final EventualUpdate<MongoActor, MongoWrite> REPLACE = new WriteFunction<>(
            WriteCommand.OUT_FUNCTION, MongoWrite.CODEC, MongoWrite::readsDocuments, write -> write);

    /** Stores documents; those with the same id are replaced. */
    static final EventualUpdate<MongoActor, Document> PUT =
            new WriteFunction<>("mongodb.put@1", Document.CODEC, row -> false, row -> MongoWrite.put(document(row)));

    /** Stores new documents; an id that exists is a conflict. */
    static final EventualUpdate<MongoActor, Document> INSERT = new WriteFunction<>(
            "mongodb.insert@1", Document.CODEC, row -> true, row -> MongoWrite.insert(document(row)));

    /** Deletes documents by id; other fields are ignored. */
    static final EventualUpdate<MongoActor, Document> DELETE = new WriteFunction<>(
            "mongodb.delete@1", Document.CODEC, row -> false, row -> MongoWrite.delete(idOf(row), new BsonDocument()));

    /**
     * Updates documents as MongoDB's command {@code update}: {@code q}, {@code u}, {@code upsert}. With {@code _id} it concerns one
     * document; without, sent to every actor, all that the filter finds.
     */
    static final EventualUpdate<MongoActor, Document> UPDATE =
            new WriteFunction<>("mongodb.update@1", Document.CODEC, row -> true, MongoUpdateFunctions::update);

    /** Deletes the documents that the filter {@code q} finds; for every actor. */
    static final EventualUpdate<MongoActor, Document> DELETE_MANY = new WriteFunction<>(
            "mongodb.delete-many@1",
            Document.CODEC,
            row -> true,
            row -> MongoWrite.deleteMany(filter(row, DELETE_MANY_FIELDS)));

    /** All functions; the first is the default of the command {@code load}. */
    static final List<EventualUpdate<MongoActor, ? extends Row>> ALL =
            List.of(PUT, WRITE, REPLACE, INSERT, DELETE, UPDATE, DELETE_MANY);

    private MongoUpdateFunctions() {}

    /**
     * Function whose rows become writes.
     *
     * @param reads whether the result for a row depends on documents that exist
     */
    private record WriteFunction<R extends Row>(
            String id, Codec<R> rows, Predicate<R> reads, Function<R, MongoWrite> conversion)
            implements EventualUpdate<MongoActor, R> {
        @Override
        public Class<MongoActor> actorType() {
            return MongoActor.class;
        }

        @Override
        public boolean readsActor(R row) {
            return reads.test(row);
        }

        @Override
        public boolean isConditional(R row) {
            return readsActor(row);
        }

        @Override
        public void validate(MongoActor actor, List<R> given) {
            PendingWrites unused = PendingWrites.of(actor, convert(given), true);
        }

        @Override
        public void update(MongoActor actor, UpdateContext context, List<R> given) {
            PendingWrites.of(actor, convert(given), false).apply();
        }

        private List<MongoWrite> convert(List<R> given) {
            return given.stream().map(conversion).toList();
        }
    }

    private static BsonDocument document(Document row) {
        BsonDocument document = new BsonDocument("_id", idOf(row));
        DocumentConverter.toBson(row).forEach(document::putIfAbsent);
        if (hasOwnKey(row)) {
            document.remove(KEY);
        }
        return document;
    }

    /** Whether the row has its key in a field of its own, because its _id is neither a text nor a whole number. */
    private static boolean hasOwnKey(Document row) {
        return row.keyField().equals(KEY);
    }

    private static BsonValue idOf(Document row) {
        Object id = row.fields().get("_id");
        if (hasOwnKey(row) && id != null) {
            return DocumentConverter.value("_id", id);
        }
        if (!(id instanceof String) && !(id instanceof Long)) {
            throw MongoWrite.invalid("document's _id "
                    + (id == null ? "is missing" : "is a " + id.getClass().getSimpleName())
                    + "; give it a text or a whole number, or use " + MongoWrite.FUNCTION);
        }
        row.partitionKey(); // refuses an empty or too long text
        return DocumentConverter.value("_id", id);
    }

    private static BsonDocument filter(Document row, Set<String> fields) {
        for (String name : row.fields().keySet()) {
            if (!fields.contains(name)) {
                throw MongoWrite.invalid("update has the field \"" + name + "\"; known are "
                        + String.join(
                                ", ", fields.stream().sorted(CodePoints.ORDER).toList()));
            }
        }
        return DocumentConverter.document("filter q", row.fields().get("q"));
    }

    private static boolean flag(Map<String, @Nullable Object> fields, String name) {
        Object value = fields.get(name);
        if (value != null && !(value instanceof Boolean)) {
            throw MongoWrite.invalid("field \"" + name + "\" of an update is " + value + "; use true or false");
        }
        return Boolean.TRUE.equals(value);
    }

    private static MongoWrite update(Document row) {
        BsonDocument filter = filter(row, UPDATE_FIELDS);
        Map<String, @Nullable Object> fields = row.fields();
        boolean one = fields.containsKey("_id");
        boolean upsert = flag(fields, "upsert");
        boolean multi = flag(fields, "multi");
        if (one && multi) {
            throw MongoWrite.invalid("update with _id concerns one document; leave out _id or multi");
        }
        if (!one && !multi) {
            throw MongoWrite.invalid(
                    "update without _id changes one document that no key determines (ShardKeyNotFound 61):"
                            + " give the row its _id, or \"multi\": true and send it to every actor");
        }
        if (!one && upsert) {
            throw MongoWrite.invalid("update with upsert needs the row's _id (ShardKeyNotFound 61): give it");
        }
        BsonValue change = DocumentConverter.value("update u", fields.get("u"));
        List<BsonDocument> arrayFilters = fields.containsKey("arrayFilters")
                ? SplitPipeline.documents(
                        "arrayFilters", DocumentConverter.value("arrayFilters", fields.get("arrayFilters")))
                : List.of();
        return one
                ? MongoWrite.update(idOf(row), filter, change, upsert, arrayFilters)
                : MongoWrite.updateMany(filter, change, arrayFilters);
    }
}
