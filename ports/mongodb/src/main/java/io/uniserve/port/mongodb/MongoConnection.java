package io.uniserve.port.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.api.EngineErrorMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/**
 * Connection of an engine instance to its MongoDB server, with a database of its own that ends with it. Without {@link #URI} the server is
 * mongo-java-server in this process, which is not MongoDB: it keeps documents in memory and has a part of the language. Thread-safe.
 */
final class MongoConnection implements AutoCloseable {
    /** Setting: address of the MongoDB server. */
    static final String URI = "uri";

    private static final int MAJOR_VERSION_MIN = 5;
    private static final long SELECTION_TIMEOUT_MS = 10_000;
    private static final String DATABASE_PREFIX = "uniserve_";

    /** Errors of a user's command have a code; others are faults of the server or the connection. */
    static final EngineErrorMapper MONGODB = new EngineErrorMapper("MongoDB", MongoConnection::code);

    /** Open connections, for merges on behalf of planners, which belong to no instance. */
    private static final ConcurrentLinkedDeque<MongoConnection> OPEN = new ConcurrentLinkedDeque<>();

    private final @Nullable MongoServer embedded;
    private final MongoClient client;
    private final MongoDatabase database;

    private MongoConnection(@Nullable MongoServer embedded, String uri) {
        this.embedded = embedded;
        this.client = MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(uri))
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(SELECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS))
                // A MongoDB server that dies and restarts must not come back without documents that an actor has.
                .writeConcern(embedded == null ? WriteConcern.JOURNALED : WriteConcern.ACKNOWLEDGED)
                .build());
        this.database = client.getDatabase(
                DATABASE_PREFIX + UUID.randomUUID().toString().replace("-", ""));
    }

    /** Connects by the settings, or starts the embedded server. */
    static MongoConnection open(Map<String, String> settings) {
        String uri = settings.get(URI);
        MongoConnection opened = uri == null ? startEmbedded() : connect(uri);
        OPEN.addFirst(opened);
        return opened;
    }

    private static MongoConnection startEmbedded() {
        MongoServer server = new MongoServer(new MemoryBackend());
        return new MongoConnection(server, server.bindAndGetConnectionString());
    }

    private static MongoConnection connect(String uri) {
        MongoConnection connected;
        try {
            connected = new MongoConnection(null, uri);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "mongodb." + URI + " is no connection string: " + e.getMessage()
                            + "; use mongodb://HOST:PORT of the server beside this one",
                    e);
        }
        try {
            MONGODB.run("read the version of the server", connected::checkVersion);
        } catch (UniserveException e) {
            connected.client.close();
            throw e;
        }
        return connected;
    }

    private void checkVersion() {
        BsonDocument info = BsonDocument.parse(database.runCommand(new BsonDocument("buildInfo", new BsonInt32(1)))
                .toJson());
        int major = info.getArray("versionArray").get(0).asNumber().intValue();
        if (major < MAJOR_VERSION_MIN) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "the MongoDB server at mongodb." + URI + " has version "
                            + info.getString("version").getValue() + "; use " + MAJOR_VERSION_MIN + " or later");
        }
    }

    /** A connection of this process, for a merge. */
    static MongoConnection any() {
        MongoConnection open = OPEN.peekFirst();
        if (open == null) {
            throw UniserveException.unsupported("a MongoDB command in a process without a server of port mongodb;"
                    + " send the query to a server, as clients do by default");
        }
        return open;
    }

    MongoDatabase database() {
        return database;
    }

    boolean isEmbedded() {
        return embedded != null;
    }

    /** Ends the connection and drops its database. */
    @Override
    public void close() {
        if (!OPEN.remove(this)) {
            return;
        }
        try {
            MONGODB.run("drop a database", database::drop);
        } finally {
            client.close();
            if (embedded != null) {
                embedded.shutdownNow();
            }
        }
    }

    private static Optional<ErrorCode> code(Throwable failure) {
        if (failure instanceof MongoCommandException || failure instanceof MongoWriteException) {
            int code = ((MongoException) failure).getCode();
            return Optional.of(
                    switch (code) {
                        case 50, 262 -> ErrorCode.DEADLINE_EXCEEDED; // MaxTimeMSExpired, ExceededTimeLimit
                        case 59, 115, 168, 15952, 40324 -> ErrorCode.UNSUPPORTED; // no such command, stage or operator
                        case 146, 292 -> ErrorCode.RESOURCE_EXHAUSTED; // ExceededMemoryLimit
                        default -> ErrorCode.INVALID_ARGUMENT;
                    });
        }
        return failure instanceof org.bson.BsonInvalidOperationException
                        || failure instanceof org.bson.BsonSerializationException
                        || failure instanceof org.bson.json.JsonParseException
                ? Optional.of(ErrorCode.INVALID_ARGUMENT)
                : Optional.empty();
    }
}
