package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.MongoTable.call;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.UpdateOptions;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import io.uniserve.port.mongodb.server.MongoConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Update of documents by the engine, on a temporary collection of copies, so that every operator has the engine's meaning and all replicas
 * compute the same. Stateless.
 */
final class DocumentUpdate {
    /** Stages that MongoDB permits in an update. */
    private static final Set<String> STAGES =
            Set.of("$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith");

    private DocumentUpdate() {}

    /** The documents that the filter finds. */
    static List<BsonDocument> matching(MongoConnection connection, List<BsonDocument> documents, BsonDocument filter) {
        if (documents.isEmpty() || filter.isEmpty()) {
            return documents;
        }
        return onCopies(connection, documents, copies -> copies.find(filter));
    }

    /**
     * Returns documents among which are all that the update changes or adds, as they are afterwards.
     *
     * @param filter filter of the write; with an _id for a write of one document
     */
    static List<BsonDocument> run(
            MongoConnection connection, List<BsonDocument> documents, BsonDocument filter, MongoWrite write) {
        BsonValue change = write.change();
        if (change.isArray()) {
            return runStages(connection, documents, filter, write);
        }
        if (!change.isDocument()) {
            throw MongoWrite.invalid(
                    "update u is missing or is not a document or an array of stages; give it operators");
        }
        BsonDocument update = change.asDocument();
        long named =
                update.keySet().stream().filter(name -> name.startsWith("$")).count();
        if (named > 0 && named < update.size()) {
            throw MongoWrite.invalid(
                    "update u has operators beside fields (FailedToParse 9): put the fields into $set");
        }
        boolean operators = named > 0;
        if (!operators && write.isMany()) {
            throw MongoWrite.invalid("update u replaces whole documents, which multi does not permit (FailedToParse 9):"
                    + " use operators such as $set");
        }
        if (!operators) {
            return replace(connection, documents, filter, update, write);
        }
        Optional<BsonDocument> plain = write.isMany() ? Optional.empty() : setPresentFields(documents, filter, update);
        if (plain.isPresent()) {
            return List.of(plain.get());
        }
        return onCopies(connection, documents, copies -> {
            UpdateOptions options = new UpdateOptions().upsert(write.isUpsert());
            if (!write.arrayFilters().isEmpty()) {
                options.arrayFilters(write.arrayFilters());
            }
            copies.updateMany(filter, update, options);
            return copies.find();
        });
    }

    /** Replaces the one document. It keeps its _id. */
    private static List<BsonDocument> replace(
            MongoConnection connection,
            List<BsonDocument> documents,
            BsonDocument filter,
            BsonDocument replacement,
            MongoWrite write) {
        List<BsonDocument> found = filter.size() == 1 ? documents : matching(connection, documents, filter);
        if (found.isEmpty() && !write.isUpsert()) {
            return List.of();
        }
        if (found.isEmpty()) {
            checkNone(documents, write);
        }
        BsonDocument replaced = new BsonDocument("_id", found.isEmpty() ? write.id() : DocumentKey.idOf(found.get(0)));
        replacement.forEach(replaced::putIfAbsent);
        boolean same = !replacement.containsKey("_id")
                || DocumentKey.ofDocument(replacement).equals(DocumentKey.ofDocument(replaced));
        if (!same) {
            throw MongoWrite.invalid("update u sets another _id (ImmutableField 66): leave it out");
        }
        return List.of(replaced);
    }

    /** Checks that an upsert makes no second document of its _id. */
    private static void checkNone(List<BsonDocument> documents, MongoWrite write) {
        if (!documents.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.CONFLICT,
                    "MongoDB: upsert beside the document with _id " + MongoWrite.json(write.id())
                            + ", which filter q does not find (duplicate key 11000): use a filter that finds it");
        }
    }

    /** The result of {@code $set} on fields that one document has already, which needs no engine. */
    private static Optional<BsonDocument> setPresentFields(
            List<BsonDocument> documents, BsonDocument filter, BsonDocument update) {
        boolean only = documents.size() == 1
                && filter.size() == 1
                && filter.containsKey("_id")
                && update.size() == 1
                && update.isDocument("$set");
        if (!only) {
            return Optional.empty();
        }
        BsonDocument updated = new BsonDocument();
        updated.putAll(documents.get(0));
        for (var field : update.getDocument("$set").entrySet()) {
            String name = field.getKey();
            if (name.equals("_id") || name.startsWith("$") || name.indexOf('.') >= 0 || !updated.containsKey(name)) {
                return Optional.empty();
            }
            updated.put(name, field.getValue());
        }
        return Optional.of(updated);
    }

    /** An update by stages is a pipeline on the documents that the filter finds. */
    private static List<BsonDocument> runStages(
            MongoConnection connection, List<BsonDocument> documents, BsonDocument filter, MongoWrite write) {
        List<BsonDocument> stages = SplitPipeline.checkLength(SplitPipeline.documents("update u", write.change()));
        for (BsonDocument stage : stages) {
            if (!STAGES.contains(SplitPipeline.name(stage))) {
                throw UniserveException.unsupported("MongoDB: stage " + SplitPipeline.name(stage)
                        + " in an update (InvalidOptions 72): use "
                        + String.join(
                                ", ", STAGES.stream().sorted(CodePoints.ORDER).toList()));
            }
        }
        if (!write.arrayFilters().isEmpty()) {
            throw MongoWrite.invalid("arrayFilters beside an update by stages (FailedToParse 9): leave them out");
        }
        List<BsonDocument> found = matching(connection, documents, filter);
        if (found.isEmpty() && write.isUpsert()) {
            checkNone(documents, write);
            BsonDocument insert = new BsonDocument("$setOnInsert", new BsonDocument("_id", write.id()));
            found = onCopies(connection, List.of(), copies -> {
                copies.updateOne(filter, insert, new UpdateOptions().upsert(true)); // with the filter's equalities
                return copies.find();
            });
        }
        return found.isEmpty()
                ? found
                : withIds(found, onCopies(connection, found, copies -> copies.aggregate(stages)));
    }

    /** Gives each result the _id of its document, which is at the same index. A result with another _id is refused. */
    private static List<BsonDocument> withIds(List<BsonDocument> documents, List<BsonDocument> results) {
        List<BsonDocument> identified = new ArrayList<>(results.size());
        for (int i = 0; i < documents.size(); i++) {
            BsonDocument result = results.get(i);
            boolean same = !result.containsKey("_id")
                    || DocumentKey.ofDocument(result)
                            .canonical()
                            .equals(DocumentKey.ofDocument(documents.get(i)).canonical());
            if (!same) {
                throw MongoWrite.invalid("update u sets another _id (ImmutableField 66): leave it out");
            }
            BsonDocument first = new BsonDocument("_id", DocumentKey.idOf(documents.get(i)));
            result.forEach(first::putIfAbsent);
            identified.add(first);
        }
        return identified;
    }

    private static List<BsonDocument> onCopies(
            MongoConnection connection,
            List<BsonDocument> documents,
            Function<MongoCollection<RawBsonDocument>, MongoIterable<RawBsonDocument>> work) {
        List<RawBsonDocument> encoded = documents.stream().map(BsonRows::raw).toList();
        return call("update documents", () -> {
            MongoCollection<RawBsonDocument> copies =
                    connection.database().getCollection(connection.newName("update"), RawBsonDocument.class);
            try {
                if (!encoded.isEmpty()) {
                    copies.insertMany(encoded);
                }
                List<BsonDocument> results = new ArrayList<>();
                try (MongoCursor<RawBsonDocument> cursor = work.apply(copies).iterator()) {
                    cursor.forEachRemaining(results::add);
                }
                return results;
            } finally {
                connection.drop(copies);
            }
        });
    }
}
