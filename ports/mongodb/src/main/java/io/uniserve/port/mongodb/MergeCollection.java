package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.MongoTable.call;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.MongoIterable;
import io.uniserve.api.QueryCancellation;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.port.mongodb.server.DatabaseClaim;
import io.uniserve.port.mongodb.server.EmbeddedPatternValidator;
import io.uniserve.port.mongodb.server.MongoConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * Temporary collection of actors' partial results in an engine of this process. The merging half of a command runs on it, so that types,
 * their order, NaN, decimals, null and arrays have the engine's own meaning. Reads fail if the server has lost the database. Closing it
 * drops the collection.
 */
final class MergeCollection implements AutoCloseable {
    private static final int BATCH_DOCUMENTS = 10_000;

    private final MongoConnection connection;
    private final DatabaseClaim claim;
    private final MongoDatabase database;
    private final QueryCancellation life;
    private final String name;
    private final MongoCollection<RawBsonDocument> collection;

    private MergeCollection(MongoConnection connection, QueryCancellation life) {
        this.connection = connection;
        this.claim = connection.claim();
        this.database = claim.database();
        this.life = life;
        this.name = connection.newName("merge");
        this.collection = database.getCollection(name, RawBsonDocument.class);
    }

    /** Creates a collection for stages: documents are results of pipelines, whose ids may be equal or missing. */
    static MergeCollection ofResults(QueryCancellation life, List<RawBsonDocument> documents) {
        return new MergeCollection(MongoConnection.borrow(), life).fill(wrapped(documents));
    }

    /** Creates a collection for {@link #find}: documents are whole, with distinct ids. */
    static MergeCollection ofDocuments(QueryCancellation life, List<RawBsonDocument> documents) {
        return new MergeCollection(MongoConnection.borrow(), life).fill(documents);
    }

    /** Creates a collection of whole documents in the same database, so that stages on this one can read it. */
    MergeCollection beside(List<RawBsonDocument> documents) {
        return new MergeCollection(connection.borrowAgain(), life).fill(documents);
    }

    private MergeCollection fill(List<RawBsonDocument> documents) {
        try {
            call("merge answers", () -> {
                database.createCollection(name);
                for (int from = 0; from < documents.size(); from += BATCH_DOCUMENTS) {
                    collection.insertMany(documents.subList(from, Math.min(documents.size(), from + BATCH_DOCUMENTS)));
                }
                return name;
            });
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static List<RawBsonDocument> wrapped(List<RawBsonDocument> documents) {
        List<RawBsonDocument> all = new ArrayList<>(documents.size());
        documents.forEach(document ->
                all.add(new RawBsonDocument(BsonRows.encode(new BsonDocument(MongoTable.DOCUMENT, document)))));
        return all;
    }

    String name() {
        return name;
    }

    /** Lets joins find documents by a field. The embedded server has no such indexes and scans. */
    void index(String field) {
        if (!connection.isEmbedded()) {
            call("index merged documents", () -> collection.createIndex(new BsonDocument(field, new BsonInt32(1))));
        }
    }

    /** Runs stages on the documents. */
    List<RawBsonDocument> aggregate(List<BsonDocument> stages, QueryOptions options) {
        if (connection.isEmbedded()) {
            stages.forEach(EmbeddedPatternValidator::check);
        }
        List<Bson> all = new ArrayList<>();
        all.add(new BsonDocument(
                "$replaceRoot", new BsonDocument("newRoot", new BsonString("$" + MongoTable.DOCUMENT))));
        all.addAll(stages);
        return call(
                "merge answers",
                () -> collect(collection
                        .aggregate(all)
                        .collation(options.parsedCollation())
                        .maxTime(remainingMillis(), TimeUnit.MILLISECONDS)
                        .allowDiskUse(true)));
    }

    private List<RawBsonDocument> collect(MongoIterable<RawBsonDocument> results) {
        List<RawBsonDocument> collected = new ArrayList<>();
        long bytes = 0;
        try (MongoCursor<RawBsonDocument> cursor = results.iterator()) {
            while (cursor.hasNext()) {
                RawBsonDocument next = cursor.next();
                bytes += next.getByteBuffer().remaining();
                if (bytes > Limits.RESULT_BYTES_PER_QUERY_MAX) {
                    throw new UniserveException(
                            ErrorCode.TOO_LARGE,
                            "MongoDB: the answer has more than " + Limits.RESULT_BYTES_PER_QUERY_MAX
                                    + " bytes: use a limit, a projection, or a pipeline that returns less");
                }
                if (life.remainingNanos() <= 0) {
                    throw new UniserveException(
                            ErrorCode.DEADLINE_EXCEEDED, "MongoDB: the deadline is over while results are merged");
                }
                collected.add(next);
            }
        }
        connection.verify(claim);
        return collected;
    }

    private long remainingMillis() {
        return Math.max(1, life.remainingNanos() / 1_000_000);
    }

    /** Runs the engine's own command {@code find}. */
    List<RawBsonDocument> find(BsonDocument filter, BsonDocument sort, BsonDocument projection, QueryOptions options) {
        return call(
                "merge answers",
                () -> collect(collection
                        .find(filter)
                        .sort(sort)
                        .projection(projection)
                        .collation(options.parsedCollation())
                        .maxTime(remainingMillis(), TimeUnit.MILLISECONDS)));
    }

    /** Distinct values of a field, as the engine's command. */
    BsonArray distinct(String key, QueryOptions options) {
        BsonDocument command = new BsonDocument("distinct", new BsonString(name))
                .append("key", new BsonString(MongoTable.DOCUMENT + "." + key));
        if (options.hasCollation()) {
            command.append("collation", options.collation());
        }
        if (!connection.isEmbedded()) {
            command.append("maxTimeMS", new BsonInt64(remainingMillis()));
        }
        // The driver's own method returns null for a null among the values.
        BsonArray values = call(
                "merge answers",
                () -> database.runCommand(command, RawBsonDocument.class).getArray("values"));
        connection.verify(claim);
        return values;
    }

    @Override
    public void close() {
        try {
            connection.drop(collection);
        } finally {
            connection.release();
        }
    }
}
