package io.uniserve.port.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
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
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger LOG = LoggerFactory.getLogger(MongoConnection.class);

    private final @Nullable MongoServer embedded;
    private final MongoClient client;
    private final MongoDatabase database;
    private final AtomicLong names = new AtomicLong();
    private int users = 1;

    private MongoConnection(@Nullable MongoServer embedded, String uri) {
        this.embedded = embedded;
        this.client = MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(uri))
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(SELECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS))
                // A MongoDB server that dies and restarts must not come back without documents that an actor has.
                .readPreference(ReadPreference.primary())
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
        LOG.info(
                "documents are in database {} of {}",
                opened.database.getName(),
                uri == null ? "mongo-java-server" : URI);
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

    /**
     * Borrows a connection of this process, for the merges of one query. It stays open until {@link #release}, also if its engine instance
     * is closed meanwhile.
     */
    static MongoConnection borrow() {
        for (MongoConnection open : OPEN) {
            if (open.use()) {
                return open;
            }
        }
        throw UniserveException.unsupported("a MongoDB command in a process without a server of port mongodb;"
                + " send the query to a server, as clients do by default");
    }

    private synchronized boolean use() {
        if (users == 0) {
            return false;
        }
        users++;
        return true;
    }

    /** Returns a borrowed connection. The last user drops the database and disconnects. */
    void release() {
        synchronized (this) {
            users--;
            if (users > 0) {
                return;
            }
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

    MongoDatabase database() {
        return database;
    }

    /** Returns a name that no collection of this database has had. */
    String newName(String kind) {
        return kind + "_" + names.incrementAndGet();
    }

    boolean isEmbedded() {
        return embedded != null;
    }

    /** Ends the instance's own use of the connection. Idempotent. */
    @Override
    public void close() {
        if (OPEN.remove(this)) {
            release();
        }
    }

    private static Optional<ErrorCode> code(Throwable failure) {
        if (failure instanceof MongoExecutionTimeoutException) {
            return Optional.of(ErrorCode.DEADLINE_EXCEEDED);
        }
        if (failure instanceof MongoBulkWriteException bulk
                && !bulk.getWriteErrors().isEmpty()) {
            return codeOf(bulk.getWriteErrors().get(0).getCode());
        }
        if (failure instanceof MongoCommandException || failure instanceof MongoWriteException) {
            return codeOf(((MongoException) failure).getCode());
        }
        return failure instanceof BsonInvalidOperationException
                        || failure instanceof BsonSerializationException
                        || failure instanceof JsonParseException
                ? Optional.of(ErrorCode.INVALID_ARGUMENT)
                : Optional.empty();
    }

    /** Empty for faults of the server, which a command does not cause. */
    private static Optional<ErrorCode> codeOf(int code) {
        return switch (code) {
            case 11000 -> Optional.of(ErrorCode.CONFLICT); // DuplicateKey
            case 50, 262 -> Optional.of(ErrorCode.DEADLINE_EXCEEDED); // MaxTimeMSExpired, ExceededTimeLimit
            case 59, 115, 168, 15952, 40324 -> Optional.of(ErrorCode.UNSUPPORTED); // no such command, stage or operator
            case 146, 292 -> Optional.of(ErrorCode.RESOURCE_EXHAUSTED); // ExceededMemoryLimit
            case 14031 -> Optional.of(ErrorCode.DISK_FULL); // OutOfDiskSpace
            case 1, 6, 7, 8, 13, 18, 39, 89, 91, 189, 9001, 10107, 11600, 11602, 13435, 13436 -> Optional.empty();
            default -> Optional.of(ErrorCode.INVALID_ARGUMENT);
        };
    }
}
