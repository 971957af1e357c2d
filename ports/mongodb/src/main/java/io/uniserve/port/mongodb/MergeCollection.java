package io.uniserve.port.mongodb;

import static io.uniserve.port.mongodb.MongoTable.call;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * Temporary collection of actors' partial results in an engine of this process. The merging half of a command runs on it, so that types,
 * their order, NaN, decimals, null and arrays have the engine's own meaning. Closing it drops the collection.
 */
final class MergeCollection implements AutoCloseable {
    private static final int BATCH_DOCUMENTS = 10_000;

    private final MongoDatabase database = MongoConnection.any().database();
    private final String name = "merge_" + UUID.randomUUID().toString().replace("-", "");
    private final MongoCollection<RawBsonDocument> collection = database.getCollection(name, RawBsonDocument.class);

    /** Creates a collection for stages: documents are results of pipelines, whose ids may be equal or missing. */
    static MergeCollection ofResults(List<RawBsonDocument> documents) {
        return new MergeCollection().fill(wrapped(documents));
    }

    /** Creates a collection for {@link #find}: documents are whole, with distinct ids. */
    static MergeCollection ofDocuments(List<RawBsonDocument> documents) {
        return new MergeCollection().fill(documents);
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

    /** Runs stages on the documents. */
    List<RawBsonDocument> aggregate(List<BsonDocument> stages) {
        List<Bson> all = new ArrayList<>();
        all.add(new BsonDocument(
                "$replaceRoot", new BsonDocument("newRoot", new BsonString("$" + MongoTable.DOCUMENT))));
        all.addAll(stages);
        return call("merge answers", () -> {
            List<RawBsonDocument> merged = new ArrayList<>();
            try (MongoCursor<RawBsonDocument> cursor =
                    collection.aggregate(all).allowDiskUse(true).iterator()) {
                cursor.forEachRemaining(merged::add);
            }
            return merged;
        });
    }

    /** Runs the engine's own command {@code find} with a filter and a projection; the order of documents stays. */
    List<RawBsonDocument> find(BsonDocument filter, BsonDocument projection) {
        return call("merge answers", () -> {
            List<RawBsonDocument> found = new ArrayList<>();
            collection.find(filter).projection(projection).forEach(found::add);
            return found;
        });
    }

    /** Distinct values of a field, as the engine's command. */
    BsonArray distinct(String key) {
        BsonDocument command = new BsonDocument("distinct", new BsonString(name))
                .append("key", new BsonString(MongoTable.DOCUMENT + "." + key));
        // The driver's own method returns null for a null among the values.
        return call(
                "merge answers",
                () -> database.runCommand(command, RawBsonDocument.class).getArray("values"));
    }

    @Override
    public void close() {
        call("drop a collection", () -> {
            collection.drop();
            return name;
        });
    }
}
