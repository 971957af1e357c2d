package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.MongoTable.call;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.UpdateOptions;
import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonNull;
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
    static final EventualUpdate<MongoActor, Document> PUT = new RowUpdate("mongodb.put@1", false) {
        @Override
        void check(MongoActor actor, Document row) {
            checkDocument(actor, document(row));
            checkOwner(actor, row);
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            put(actor, rows);
        }
    };

    /** Stores new documents; an id that exists is a conflict. */
    static final EventualUpdate<MongoActor, Document> INSERT = new RowUpdate("mongodb.insert@1", true) {
        @Override
        public void validate(MongoActor actor, List<Document> rows) {
            Set<BsonValue> before = new HashSet<>();
            PUT.validate(actor, rows);
            for (Document row : rows) {
                BsonValue id = idOf(row);
                if (!before.add(id) || actor.live(id).isPresent()) {
                    throw new UniserveException(
                            ErrorCode.CONFLICT,
                            "MongoDB: a document with _id " + json(id) + " exists (DuplicateKey 11000): use " + PUT.id()
                                    + " to replace it, or another _id");
                }
            }
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            put(actor, rows);
        }
    };

    /** Deletes documents by id; other fields are ignored. */
    static final EventualUpdate<MongoActor, Document> DELETE = new RowUpdate("mongodb.delete@1", false) {
        @Override
        void check(MongoActor actor, Document row) {
            checkOwner(actor, row);
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
    static final EventualUpdate<MongoActor, Document> UPDATE = new RowUpdate("mongodb.update@1", true) {
        @Override
        public void validate(MongoActor actor, List<Document> rows) {
            Map<BsonValue, RawBsonDocument> before = new HashMap<>();
            for (Document row : rows) {
                if (rows.size() > 1 && !row.fields().containsKey("_id")) {
                    throw invalid(
                            "update by a filter of all documents is not the only row of its update: send it alone");
                }
                updatedDocuments(actor, row, before)
                        .forEach(document -> before.put(document.get("_id", BsonNull.VALUE), document));
            }
        }

        @Override
        void apply(MongoActor actor, List<Document> rows) {
            rows.forEach(row -> actor.put(updatedDocuments(actor, row, Map.of())));
        }
    };

    /** Deletes the documents that the filter {@code q} finds; for every actor. */
    static final EventualUpdate<MongoActor, Document> DELETE_MANY = new RowUpdate("mongodb.delete-many@1", true) {
        @Override
        void check(MongoActor actor, Document row) {
            actor.findLive(filter(row, DELETE_MANY_FIELDS)); // the engine refuses wrong operators
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
    private abstract static class RowUpdate implements EventualUpdate<MongoActor, Document> {
        private final String id;
        private final boolean readsActor;

        RowUpdate(String id, boolean readsActor) {
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

    /** Stores the rows; of several with one id the last counts. */
    private static void put(MongoActor actor, List<Document> rows) {
        Map<BsonValue, BsonDocument> last = new LinkedHashMap<>();
        for (Document row : rows) {
            BsonValue id = idOf(row);
            last.remove(id);
            last.put(id, document(row));
        }
        actor.put(last.values());
    }

    /** The row as a document to store, _id first as in MongoDB. */
    private static BsonDocument document(Document row) {
        BsonDocument document = new BsonDocument("_id", idOf(row));
        DocumentConverter.toBson(row).forEach(document::putIfAbsent);
        for (String name : document.keySet()) {
            if (name.startsWith("$")) {
                throw invalid("document " + json(idOf(row)) + " has the field \"" + name
                        + "\": names that begin with $ are operators; use another name");
            }
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
        return filter.clone();
    }

    /**
     * The documents that an update changes or adds, as they are afterwards.
     *
     * @param before documents as earlier rows of the same update leave them, by id
     */
    private static List<RawBsonDocument> updatedDocuments(
            MongoActor actor, Document row, Map<BsonValue, RawBsonDocument> before) {
        BsonDocument filter = filter(row, UPDATE_FIELDS);
        @Nullable Object change = row.fields().get("u");
        boolean one = row.fields().containsKey("_id");
        boolean upsert = Boolean.TRUE.equals(row.fields().get("upsert"));
        if (!one && !Boolean.TRUE.equals(row.fields().get("multi"))) {
            throw invalid("update without _id changes one document that no key determines (ShardKeyNotFound 61):"
                    + " give the row its _id, or \"multi\": true and send it to every actor");
        }
        if (!one && upsert) {
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
        List<RawBsonDocument> candidates = one ? candidate(actor, row, filter, before) : actor.findLive(filter);
        List<RawBsonDocument> updated = runOnCopies(actor, candidates, filter, update, operators, upsert);
        Set<BsonValue> ids = new HashSet<>();
        candidates.forEach(document -> ids.add(document.get("_id", BsonNull.VALUE)));
        if (one) {
            ids.add(idOf(row));
        }
        for (RawBsonDocument document : updated) {
            if (!ids.contains(document.get("_id", BsonNull.VALUE))) {
                throw invalid("update u sets another _id (ImmutableField 66): leave it out");
            }
            checkDocument(actor, document);
        }
        updated.removeAll(new HashSet<>(candidates)); // documents that the update leaves as they are
        return updated;
    }

    /** The document with the row's id, which the filter then names; none if it does not exist. */
    private static List<RawBsonDocument> candidate(
            MongoActor actor, Document row, BsonDocument filter, Map<BsonValue, RawBsonDocument> before) {
        BsonValue id = idOf(row);
        checkOwner(actor, row);
        if (filter.containsKey("_id") && !id.equals(filter.get("_id"))) {
            throw invalid("filter q has another _id than the row; give both the same, or leave it out of q");
        }
        filter.put("_id", id);
        RawBsonDocument earlier = before.get(id);
        return earlier == null ? actor.live(id).stream().toList() : List.of(earlier);
    }

    /** Runs an update in the engine on copies of the documents. An upsert beside a document with its id is a conflict. */
    private static List<RawBsonDocument> runOnCopies(
            MongoActor actor,
            List<RawBsonDocument> documents,
            BsonDocument filter,
            BsonDocument update,
            boolean operators,
            boolean upsert) {
        return call("update documents", () -> {
            MongoCollection<RawBsonDocument> copies = actor.connection()
                    .database()
                    .getCollection(actor.connection().newName("update"), RawBsonDocument.class);
            try {
                if (!documents.isEmpty()) {
                    copies.insertMany(documents);
                }
                if (operators) {
                    copies.updateMany(filter, update, new UpdateOptions().upsert(upsert));
                } else {
                    RawBsonDocument replacement = new RawBsonDocument(BsonRows.encode(update));
                    copies.replaceOne(filter, replacement, new ReplaceOptions().upsert(upsert));
                }
                List<RawBsonDocument> updated = new ArrayList<>();
                try (MongoCursor<RawBsonDocument> cursor = copies.find().iterator()) {
                    cursor.forEachRemaining(updated::add);
                }
                return updated;
            } finally {
                actor.connection().drop(copies);
            }
        });
    }

    /** The row's _id decides its actor; another actor would keep a second document with that _id. */
    private static void checkOwner(MongoActor actor, Document row) {
        BsonValue id = idOf(row);
        if (!row.keyField().equals("_id") || !actor.owns(row)) {
            throw invalid("document " + json(id) + " does not belong to this actor:"
                    + " make the row a Document with key field _id, and do not send it to every actor");
        }
    }

    /** Checks a document as it will be stored. */
    private static void checkDocument(MongoActor actor, BsonDocument document) {
        int size = document instanceof RawBsonDocument raw
                ? raw.getByteBuffer().remaining()
                : BsonRows.encode(document).length;
        if (size > DOCUMENT_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "MongoDB: document " + json(document.get("_id", BsonNull.VALUE)) + " has " + size
                            + " bytes of BSON, at most " + DOCUMENT_BYTES_MAX
                            + " (BSONObjectTooLarge 10334): split it");
        }
        if (actor.connection().isEmbedded()) {
            CommandValidator.checkPlainValues(document);
        }
    }

    private static String json(BsonValue id) {
        String text = new BsonDocument("v", id).toJson();
        return text.substring("{\"v\": ".length(), text.length() - 1);
    }

    private static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, "MongoDB: " + message);
    }
}
