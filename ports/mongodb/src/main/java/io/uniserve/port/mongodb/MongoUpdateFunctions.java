package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.MongoTable.call;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Update functions of the MongoDB port. Rows are checked before they are logged, against all updates before them. An update by filter runs in
 * the engine, on a temporary collection of the documents that it finds, so every operator has the engine's meaning.
 */
final class MongoUpdateFunctions {
    /** Maximum of a document: MongoDB's limit without the fields of a stored document. */
    static final int DOCUMENT_BYTES_MAX = (16 << 20) - 64;

    private static final Set<String> UPDATE_FIELDS = Set.of("_id", "q", "u", "upsert", "multi");
    private static final Set<String> DELETE_MANY_FIELDS = Set.of("q");

    /** Stores documents; those with the same id are replaced. */
    static final EventualUpdate<MongoActor, Document> PUT = new Each("mongodb.put@1", false) {
        @Override
        void check(MongoActor actor, Document row) {
            document(row);
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            Map<BsonValue, BsonDocument> last = new LinkedHashMap<>();
            for (Document row : rows) {
                BsonDocument document = document(row);
                last.remove(idOf(row));
                last.put(idOf(row), document);
            }
            actor.put(last.values());
        }
    };

    /** Stores new documents; an id that exists is a conflict. */
    static final EventualUpdate<MongoActor, Document> INSERT = new Each("mongodb.insert@1", true) {
        @Override
        public void validate(MongoActor actor, List<Document> rows) {
            Set<BsonValue> before = new HashSet<>();
            for (Document row : rows) {
                document(row);
                BsonValue id = idOf(row);
                if (!before.add(id) || actor.hasLive(id)) {
                    throw new UniserveException(
                            ErrorCode.CONFLICT,
                            "MongoDB: a document with _id " + id + " exists (DuplicateKey 11000): use " + PUT.id()
                                    + " to replace it, or another _id");
                }
            }
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            PUT.update(actor, new UpdateContext(0), rows);
        }
    };

    /** Deletes documents by id; other fields are ignored. */
    static final EventualUpdate<MongoActor, Document> DELETE = new Each("mongodb.delete@1", false) {
        @Override
        void check(MongoActor actor, Document row) {
            idOf(row);
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            actor.end(rows.stream().map(MongoUpdateFunctions::idOf).distinct().toList());
        }
    };

    /**
     * Updates documents as MongoDB's command {@code update}: {@code q}, {@code u}, {@code upsert}. With {@code _id} it concerns one
     * document; without, sent to every actor, all that the filter finds.
     */
    static final EventualUpdate<MongoActor, Document> UPDATE = new Each("mongodb.update@1", true) {
        @Override
        void check(MongoActor actor, Document row) {
            changed(actor, row);
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            rows.forEach(row -> actor.put(changed(actor, row)));
        }
    };

    /** Deletes the documents that the filter {@code q} finds; for every actor. */
    static final EventualUpdate<MongoActor, Document> DELETE_MANY = new Each("mongodb.delete-many@1", true) {
        @Override
        void check(MongoActor actor, Document row) {
            filter(row, DELETE_MANY_FIELDS);
            actor.findLive(filter(row, DELETE_MANY_FIELDS));
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            for (Document row : rows) {
                actor.end(actor.findLive(filter(row, DELETE_MANY_FIELDS)).stream()
                        .map(found -> found.get("_id"))
                        .toList());
            }
        }
    };

    static final List<EventualUpdate<MongoActor, Document>> ALL = List.of(PUT, INSERT, DELETE, UPDATE, DELETE_MANY);

    private MongoUpdateFunctions() {}

    /** Update function whose rows are checked and applied in their order. */
    private abstract static class Each implements EventualUpdate<MongoActor, Document> {
        private final String id;
        private final boolean readsActor;

        Each(String id, boolean readsActor) {
            this.id = id;
            this.readsActor = readsActor;
        }

        @Override
        public final String id() {
            return id;
        }

        @Override
        public final Class<MongoActor> actorType() {
            return MongoActor.class;
        }

        @Override
        public final Codec<Document> rows() {
            return Document.CODEC;
        }

        @Override
        public final boolean readsActor(Document row) {
            return readsActor;
        }

        @Override
        public final boolean isConditional(Document row) {
            return readsActor;
        }

        @Override
        public void validate(MongoActor actor, List<Document> rows) {
            rows.forEach(row -> check(actor, row));
        }

        @Override
        public final void update(MongoActor actor, UpdateContext context, List<Document> rows) {
            apply(actor, rows);
        }

        /** Checks a row. */
        void check(MongoActor actor, Document row) {}

        abstract void apply(MongoActor actor, List<Document> rows);
    }

    /** The row as a document to store. */
    private static BsonDocument document(Document row) {
        BsonValue id = idOf(row);
        BsonDocument document = DocumentConverter.toBson(row);
        for (String name : document.keySet()) {
            if (name.startsWith("$")) {
                throw invalid("document " + id + " has the field \"" + name
                        + "\": names that begin with $ are operators; use another name");
            }
        }
        int size = BsonRows.encode(document).length;
        if (size > DOCUMENT_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "MongoDB: document " + id + " has " + size + " bytes of BSON, at most " + DOCUMENT_BYTES_MAX
                            + " (BSONObjectTooLarge 10334): split it");
        }
        return document;
    }

    private static BsonValue idOf(Document row) {
        Object id = row.fields().get("_id");
        if (!(id instanceof String) && !(id instanceof Long)) {
            throw invalid("document's _id "
                    + (id == null ? "is missing" : "is a " + id.getClass().getSimpleName())
                    + "; give it a text or a whole number");
        }
        row.partitionKey(); // refuses an empty or too long text
        return DocumentConverter.value("_id", id);
    }

    private static BsonDocument filter(Document row, Set<String> fields) {
        for (String name : row.fields().keySet()) {
            if (!fields.contains(name)) {
                throw invalid("update has the field \"" + name + "\"; known are " + String.join(", ", fields));
            }
        }
        BsonDocument filter =
                DocumentConverter.document("filter q", row.fields().get("q"));
        CommandValidator.checkOperators(filter, true);
        return filter;
    }

    /** The documents that an update changes or adds, as they are afterwards. */
    private static List<RawBsonDocument> changed(MongoActor actor, Document row) {
        BsonDocument filter = filter(row, UPDATE_FIELDS);
        @Nullable Object change = row.fields().get("u");
        boolean one = row.fields().containsKey("_id");
        boolean upsert = Boolean.TRUE.equals(row.fields().get("upsert"));
        if (one) {
            BsonValue id = idOf(row);
            if (filter.containsKey("_id") && !filter.get("_id").equals(id)) {
                throw invalid("filter q has another _id than the row; give both the same, or leave it out of q");
            }
            filter.put("_id", id);
        } else if (!Boolean.TRUE.equals(row.fields().get("multi"))) {
            throw invalid("update without _id changes one document that no key determines (ShardKeyNotFound 61):"
                    + " give the row its _id, or \"multi\": true and send it to every actor");
        } else if (upsert) {
            throw invalid("update with upsert needs the row's _id (ShardKeyNotFound 61): give it");
        }
        if (!(change instanceof Map<?, ?>)) {
            throw invalid("update u is missing or is not a document; pipelines as updates are not supported");
        }
        BsonDocument update = DocumentConverter.document("update u", change);
        CommandValidator.checkOperators(update, true);
        boolean operators = update.keySet().stream().anyMatch(name -> name.startsWith("$"));
        if (!operators && !one) {
            throw invalid("update u replaces whole documents, which multi does not permit (FailedToParse 9):"
                    + " use operators such as $set");
        }
        List<RawBsonDocument> found = actor.findLive(filter);
        return found.isEmpty() && !upsert ? List.of() : run(actor, found, filter, update, operators, upsert);
    }

    /** Runs an update in the engine on copies of the documents. */
    private static List<RawBsonDocument> run(
            MongoActor actor,
            List<RawBsonDocument> found,
            BsonDocument filter,
            BsonDocument update,
            boolean operators,
            boolean upsert) {
        return call("update documents", () -> {
            MongoCollection<RawBsonDocument> copies =
                    actor.connection().database().getCollection("update_" + UUID.randomUUID(), RawBsonDocument.class);
            try {
                if (!found.isEmpty()) {
                    copies.insertMany(found);
                }
                if (operators) {
                    copies.updateMany(filter, update, new com.mongodb.client.model.UpdateOptions().upsert(upsert));
                } else {
                    copies.replaceOne(
                            filter,
                            new RawBsonDocument(BsonRows.encode(update)),
                            new com.mongodb.client.model.ReplaceOptions().upsert(upsert));
                }
                List<RawBsonDocument> changed = new ArrayList<>();
                try (MongoCursor<RawBsonDocument> cursor = copies.find().iterator()) {
                    cursor.forEachRemaining(changed::add);
                }
                return changed;
            } finally {
                copies.drop();
            }
        });
    }

    private static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, "MongoDB: " + message);
    }
}
