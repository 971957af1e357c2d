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
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.RawBsonDocument;
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
    private static final int DATABASES_MAX = 1_000;
    private static final int DUPLICATE_KEY = 11000;

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

    private MongoConnection(@Nullable MongoServer embedded, MongoClient client, MongoDatabase database) {
        this.embedded = embedded;
        this.client = client;
        this.database = database;
    }

    /** Connects by the settings, or starts the embedded server. */
    static MongoConnection open(Map<String, String> settings) {
        String uri = settings.get(URI);
        MongoConnection opened = uri == null ? startEmbedded() : connect(null, uri);
        OPEN.addFirst(opened);
        LOG.info(
                "documents are in database {} of {}",
                opened.database.getName(),
                uri == null ? "mongo-java-server" : URI);
        return opened;
    }

    private static MongoConnection startEmbedded() {
        MongoServer server = new MongoServer(new MemoryBackend());
        return connect(server, server.bindAndGetConnectionString());
    }

    private static MongoConnection connect(@Nullable MongoServer embedded, String uri) {
        MongoClient client = client(uri, embedded == null ? WriteConcern.JOURNALED : WriteConcern.ACKNOWLEDGED);
        try {
            return MONGODB.call("claim a database", () -> {
                checkVersion(client);
                return new MongoConnection(embedded, client, claim(client));
            });
        } catch (UniserveException e) {
            client.close();
            if (embedded != null) {
                embedded.shutdownNow();
            }
            throw e;
        }
    }

    /** @param writes a MongoDB server that dies and restarts must not come back without documents that an actor has */
    private static MongoClient client(String uri, WriteConcern writes) {
        try {
            return MongoClients.create(MongoClientSettings.builder()
                    .applyConnectionString(new ConnectionString(uri))
                    .applyToClusterSettings(
                            cluster -> cluster.serverSelectionTimeout(SELECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS))
                    .readPreference(ReadPreference.primary())
                    .writeConcern(writes)
                    .build());
        } catch (IllegalArgumentException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "mongodb." + URI + " is no connection string: " + e.getMessage()
                            + "; use mongodb://HOST:PORT of the server beside this one",
                    e);
        }
    }

    private static void checkVersion(MongoClient client) {
        RawBsonDocument info = client.getDatabase("admin")
                .runCommand(new BsonDocument("buildInfo", new BsonInt32(1)), RawBsonDocument.class);
        int major = info.getArray("versionArray").get(0).asNumber().intValue();
        if (major < MAJOR_VERSION_MIN) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "the MongoDB server at mongodb." + URI + " has version "
                            + info.getString("version").getValue() + "; use " + MAJOR_VERSION_MIN + " or later");
        }
    }

    /** Claims the first database that no other connection has: the server accepts one document of its id. */
    private static MongoDatabase claim(MongoClient client) {
        RawBsonDocument claim = RawBsonDocument.parse("{_id: 'owner'}");
        for (int number = 1; number <= DATABASES_MAX; number++) {
            MongoDatabase database = client.getDatabase(DATABASE_PREFIX + number);
            try {
                database.getCollection("owner", RawBsonDocument.class).insertOne(claim);
                return database;
            } catch (MongoWriteException e) {
                if (e.getCode() != DUPLICATE_KEY) {
                    throw e;
                }
            }
        }
        throw new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "the MongoDB server at mongodb." + URI + " has " + DATABASES_MAX + " databases " + DATABASE_PREFIX
                        + "N; drop those of servers that have crashed");
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

    /** Borrows this connection, which the caller has borrowed already, once more. */
    MongoConnection borrowAgain() {
        if (!use()) {
            throw new IllegalStateException("database " + database.getName() + " is released");
        }
        return this;
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
            case DUPLICATE_KEY -> Optional.of(ErrorCode.CONFLICT);
            case 50, 262 -> Optional.of(ErrorCode.DEADLINE_EXCEEDED); // MaxTimeMSExpired, ExceededTimeLimit
            case 59, 115, 168, 15952, 40324 -> Optional.of(ErrorCode.UNSUPPORTED); // no such command, stage or operator
            case 146, 292 -> Optional.of(ErrorCode.RESOURCE_EXHAUSTED); // ExceededMemoryLimit
            case 14031 -> Optional.of(ErrorCode.DISK_FULL); // OutOfDiskSpace
            case 1, 6, 7, 8, 13, 18, 39, 89, 91, 189, 9001, 10107, 11600, 11602, 13435, 13436 -> Optional.empty();
            default -> Optional.of(ErrorCode.INVALID_ARGUMENT);
        };
    }
}
