package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.server.MongoConnection.MONGODB;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.uniserve.api.ActorView;
import io.uniserve.api.ContentDigest;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.port.mongodb.server.EmbeddedPatternValidator;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Base class of an actor and its views: the user's documents at one version. A stored document has the user's document, the version that
 * stored it, and the version that replaced or deleted it.
 */
abstract class MongoTable implements ActorView {
    /** Field of a stored document: the user's document. */
    static final String DOCUMENT = "d";
    /** Field of a stored document: the first version that has it. */
    static final String SINCE = "s";
    /** Field of a stored document: the first version that does not have it any more, or {@link #NOW}. */
    static final String UNTIL = "u";

    static final int NOW = Integer.MAX_VALUE;

    /** Types of ids that a look-up in the index finds. */
    private static final Set<BsonType> LOOKED_UP = EnumSet.of(
            BsonType.STRING,
            BsonType.INT32,
            BsonType.INT64,
            BsonType.OBJECT_ID,
            BsonType.DATE_TIME,
            BsonType.BINARY,
            BsonType.BOOLEAN);

    /** Documents between two checks of the deadline. */
    private static final int DOCUMENTS_PER_CHECK = 256;

    /** Reader of the documents of a version. */
    @FunctionalInterface
    interface Reading<T> {
        T read(MongoCollection<RawBsonDocument> collection, int version) throws Exception;
    }

    /** Runs the reading; the documents of its version stay meanwhile. */
    abstract <T> T read(String what, Reading<T> reading);

    /** Whether the documents are in the embedded server. */
    abstract boolean isEmbedded();

    /** Runs a pipeline on the documents, up to the limit of an actor's answer. */
    BsonRows aggregate(List<BsonDocument> stages, QueryOptions options, OperatorContext context) {
        BsonRows.Builder rows = new BsonRows.Builder();
        forEachResult(stages, options, context, rows::add);
        return rows.build();
    }

    /** Runs a pipeline on the documents, and passes each result to the consumer. */
    void forEachResult(
            List<BsonDocument> stages,
            QueryOptions options,
            OperatorContext context,
            Consumer<RawBsonDocument> consumer) {
        if (options.hasCollation() && isEmbedded()) {
            throw UniserveException.unsupported("MongoDB: field 'collation': the embedded server has none;"
                    + " set server.port-settings.mongodb.uri to a MongoDB server, or leave it out");
        }
        if (isEmbedded()) {
            stages.forEach(EmbeddedPatternValidator::check);
        }
        read("run a pipeline", (collection, version) -> {
            Optional<RawBsonDocument> current =
                    options.hasCollation() ? Optional.empty() : currentById(collection, version, stages);
            if (current.isPresent()) {
                consumer.accept(current.get());
                return 1;
            }
            StoredQuery query = StoredQuery.of(stages, range(version), options);
            int count = 0;
            try (MongoCursor<RawBsonDocument> cursor = query.run(collection, context.remainingMillis())) {
                while (cursor.hasNext()) {
                    consumer.accept(query.result(cursor.next()));
                    if (++count % DOCUMENTS_PER_CHECK == 0) {
                        context.checkActive();
                    }
                }
            }
            return count;
        });
    }

    /** Condition on the stored documents of a version. */
    static BsonDocument range(int version) {
        return new BsonDocument(SINCE, new BsonDocument("$lte", new BsonInt32(version)))
                .append(UNTIL, new BsonDocument("$gt", new BsonInt32(version)));
    }

    /**
     * The document of a pipeline that is only a filter by one id, if it is still current: a look-up in the index, which the embedded server
     * has for current documents only.
     */
    private static Optional<RawBsonDocument> currentById(
            MongoCollection<RawBsonDocument> collection, int version, List<BsonDocument> stages) {
        Optional<BsonDocument> filter =
                stages.size() == 1 ? StoredQuery.leading(stages, 0, "$match") : Optional.empty();
        BsonValue id = filter.filter(only -> only.size() == 1)
                .map(only -> only.getOrDefault("_id", BsonNull.VALUE))
                .orElse(BsonNull.VALUE);
        if (!LOOKED_UP.contains(id.getBsonType())) {
            return Optional.empty();
        }
        RawBsonDocument stored = collection
                .find(new BsonDocument(DOCUMENT + "._id", id).append(UNTIL, new BsonInt32(NOW)))
                .first();
        return stored == null || stored.getInt32(SINCE).getValue() > version
                ? Optional.empty()
                : Optional.of((RawBsonDocument) stored.getDocument(DOCUMENT));
    }

    /** Consumer of documents; its IOException is one of the disk. */
    @FunctionalInterface
    interface DocumentConsumer {
        void accept(RawBsonDocument document) throws IOException;
    }

    /** Passes each document of the version to the consumer. */
    final void forEach(String what, DocumentConsumer consumer) {
        read(what, (collection, version) -> {
            StoredQuery query = StoredQuery.of(List.of(), range(version), QueryOptions.NONE);
            try (MongoCursor<RawBsonDocument> cursor = query.run(collection, Limits.DEADLINE_MS_MAX)) {
                while (cursor.hasNext()) {
                    consumer.accept(query.result(cursor.next()));
                }
            }
            return version;
        });
    }

    @Override
    public byte[] digest() {
        ContentDigest digest = new ContentDigest();
        forEach(
                "read documents",
                document -> BsonRows.write(
                        document,
                        (array, offset, length) -> digest.add(Arrays.copyOfRange(array, offset, offset + length))));
        return digest.toBytes();
    }

    /** Calls the engine and translates its failures. */
    static <T> T call(String what, Callable<T> work) {
        return MONGODB.call(what, work);
    }
}
