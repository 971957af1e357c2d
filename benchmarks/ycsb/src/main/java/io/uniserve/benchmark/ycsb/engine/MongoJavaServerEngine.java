package io.uniserve.benchmark.ycsb.engine;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Peer of the MongoDB port: mongo-java-server, which is not MongoDB, in this process, with the driver of MongoDB. */
final class MongoJavaServerEngine implements BareEngine {
    private static final String KEY = "_id";

    private final MongoServer server = new MongoServer(new MemoryBackend());
    private final MongoClient client = MongoClients.create(server.bindAndGetConnectionString());
    private final MongoCollection<BsonDocument> collection =
            client.getDatabase("ycsb").getCollection("usertable", BsonDocument.class);
    private boolean empty = true;

    @Override
    public String name() {
        return "mongo-java-server (not MongoDB)";
    }

    @Override
    public void put(List<Document> rows) {
        List<WriteModel<BsonDocument>> writes = new ArrayList<>(rows.size());
        List<BsonDocument> inserted = new ArrayList<>();
        for (Document row : rows) {
            BsonDocument document = bson(row);
            if (empty) {
                inserted.add(document);
            } else {
                writes.add(new ReplaceOneModel<>(id(row), document, new ReplaceOptions().upsert(true)));
            }
        }
        if (empty) {
            collection.insertMany(inserted);
            empty = false;
        } else {
            collection.bulkWrite(writes);
        }
    }

    @Override
    public void set(Document row) {
        BsonDocument fields = bson(row);
        fields.remove(KEY);
        collection.updateOne(id(row), new BsonDocument("$set", fields));
    }

    @Override
    public void delete(List<Document> rows) {
        collection.bulkWrite(rows.stream()
                .map(row -> new DeleteOneModel<BsonDocument>(id(row)))
                .toList());
    }

    @Override
    public void publish() {
        // Every change is visible at once.
    }

    @Override
    public List<Document> read(String key, List<String> fields) {
        return find(new BsonDocument(KEY, new BsonString(key)), 1, fields);
    }

    @Override
    public List<Document> scan(String from, int limit, List<String> fields) {
        return find(new BsonDocument(KEY, new BsonDocument("$gte", new BsonString(from))), limit, fields);
    }

    private List<Document> find(BsonDocument filter, int limit, List<String> fields) {
        BsonDocument projection = new BsonDocument();
        fields.forEach(field -> projection.put(field, new BsonInt32(1)));
        List<Document> documents = new ArrayList<>();
        var found = collection.find(filter).projection(projection).batchSize(limit + 1);
        for (BsonDocument document : limit == 1
                ? found
                : found.sort(new BsonDocument(KEY, new BsonInt32(1))).limit(limit)) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            document.forEach((name, value) -> values.put(name, value.asString().getValue()));
            documents.add(new Document(KEY, values));
        }
        return documents;
    }

    private static BsonDocument id(Document row) {
        return new BsonDocument(KEY, new BsonString(DocumentProjection.key(row)));
    }

    private static BsonDocument bson(Document row) {
        BsonDocument document = id(row);
        row.fields().forEach((name, value) -> {
            BsonValue unused =
                    document.put(name.equals(row.keyField()) ? KEY : name, new BsonString(String.valueOf(value)));
        });
        return document;
    }

    @Override
    public boolean readsInline() {
        return false;
    }

    @Override
    public void close() {
        client.close();
        server.shutdownNow();
    }
}
