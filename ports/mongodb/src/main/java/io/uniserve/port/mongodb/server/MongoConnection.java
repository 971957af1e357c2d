package io.uniserve.port.mongodb.server;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineErrorMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connection of an engine instance to its server, with a claimed database that ends with it. If the server loses the database, the connection
 * claims another one; what was read or written with the lost claim is void. Thread-safe.
 */
public final class MongoConnection implements AutoCloseable {
    /** Setting: address of the MongoDB server. */
    public static final String URI = "uri";

    public static final int MAJOR_VERSION_MIN = 5;
    private static final long SELECTION_TIMEOUT_MS = 10_000;
    private static final long MAINTENANCE_MS = 5_000;

    /** Errors of a user's command have a code; others are faults of the server or the connection. */
    public static final EngineErrorMapper MONGODB = new EngineErrorMapper("MongoDB", MongoErrorClassifier::code);

    /** Open connections, for merges on behalf of planners, which belong to no instance. */
    private static final ConcurrentLinkedDeque<MongoConnection> OPEN = new ConcurrentLinkedDeque<>();

    private static final Logger LOG = LoggerFactory.getLogger(MongoConnection.class);

    private final MongoServerHandle server;
    private final MongoClient client;
    private final AtomicLong names = new AtomicLong();
    private final String token = new ObjectId().toHexString();
    private final Queue<MongoCollection<?>> undropped = new ConcurrentLinkedQueue<>();
    private volatile DatabaseClaim claim;
    private volatile boolean closing;
    private int users = 1;

    private MongoConnection(MongoServerHandle server, MongoClient client, DatabaseClaim claim) {
        this.server = server;
        this.client = client;
        this.claim = claim;
    }

    /** Connects by the settings, or starts a server. */
    public static MongoConnection open(EngineContext context) {
        MongoConnection opened = connect(server(context));
        OPEN.addFirst(opened);
        LOG.info("documents are in database {} of {}", opened.claim.name(), opened.server.name());
        return opened;
    }

    private static MongoServerHandle server(EngineContext context) {
        Map<String, String> settings = context.settings();
        String uri = settings.get(URI);
        if (uri != null) {
            return new MongoServerHandle.External(uri);
        }
        String searchPath = System.getenv().getOrDefault("PATH", "");
        Optional<MongodExecutable> program = MongodExecutable.find(settings, searchPath);
        if (program.isPresent()) {
            return MongodProcess.start(program.get(), context.scratch().resolve("mongod"));
        }
        LOG.warn(
                "documents are in mongo-java-server, which is not MongoDB: it keeps them in memory and has a part of"
                        + " MongoDB's language. Set mongodb.{} to a MongoDB server, or put mongod on the PATH",
                URI);
        return MongoServerHandle.Embedded.start();
    }

    private static MongoConnection connect(MongoServerHandle server) {
        MongoClient client = null;
        try {
            MongoClient connecting = client(server);
            client = connecting;
            MongoConnection opened = MONGODB.call("claim a database", () -> {
                checkVersion(connecting);
                return new MongoConnection(server, connecting, DatabaseClaim.acquire(connecting));
            });
            if (!server.isEmbedded()) {
                opened.scheduleMaintenance();
            }
            return opened;
        } catch (UniserveException e) {
            if (client != null) {
                client.close();
            }
            server.close();
            throw e;
        }
    }

    /** A MongoDB server that dies and restarts, or changes its primary, must not come back without documents that an actor has. */
    private static MongoClient client(MongoServerHandle server) {
        try {
            return MongoClients.create(MongoClientSettings.builder()
                    .applyToClusterSettings(
                            cluster -> cluster.serverSelectionTimeout(SELECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS))
                    .applyConnectionString(new ConnectionString(server.uri()))
                    .readPreference(ReadPreference.primary())
                    .writeConcern(
                            server.isEmbedded() ? WriteConcern.ACKNOWLEDGED : WriteConcern.MAJORITY.withJournal(true))
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

    private void scheduleMaintenance() {
        DaemonThreads.delayed("mongodb-maintenance", MAINTENANCE_MS).execute(() -> {
            maintain();
            if (!closing) {
                scheduleMaintenance();
            }
        });
    }

    /** Renews the claim, and drops collections that could not be dropped while the server was down. */
    private void maintain() {
        try {
            if (closing || !isReachable()) {
                return;
            }
            DatabaseClaim held = claim;
            if (!held.renew()) {
                replace(held);
            }
            for (MongoCollection<?> next = undropped.poll(); next != null; next = undropped.poll()) {
                next.drop();
            }
        } catch (RuntimeException e) { // the driver throws several kinds; the next turn tries again
            LOG.warn("database {}: maintenance failed: {}", claim.name(), e.getMessage());
        }
    }

    private boolean isReachable() {
        return client.getClusterDescription().getServerDescriptions().stream().anyMatch(ServerDescription::isOk);
    }

    /**
     * Borrows a connection of this process, for the merges of one query. It stays open until {@link #release}, also if its engine instance
     * is closed meanwhile. Of several servers in this process, one that can be reached is taken.
     */
    public static MongoConnection borrow() {
        for (MongoConnection open : OPEN) {
            if (open.isReachable() && open.use()) {
                return open;
            }
        }
        for (MongoConnection open : OPEN) {
            if (open.use()) {
                return open;
            }
        }
        throw UniserveException.unsupported("a MongoDB command in a process without a server of port mongodb;"
                + " send the query to a server, as clients do by default");
    }

    /** Borrows this connection, which the caller has borrowed already, once more. */
    public MongoConnection borrowAgain() {
        if (!use()) {
            throw new IllegalStateException("database " + claim.name() + " is released");
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
    public void release() {
        synchronized (this) {
            users--;
            if (users > 0) {
                return;
            }
        }
        try {
            if (isReachable()) {
                MONGODB.run("drop a database", claim::release);
            } else {
                LOG.warn("database {}: not dropped, because {} does not answer", claim.name(), server.name());
            }
        } finally {
            client.close();
            server.close();
        }
    }

    /** The claim of the present database. */
    public DatabaseClaim claim() {
        return claim;
    }

    public MongoDatabase database() {
        return claim.database();
    }

    /**
     * Checks that the server holds this claim, so that nothing read before from its database was incomplete.
     *
     * @throws UniserveException UNAVAILABLE if not; the connection has another database then
     */
    public void verify(DatabaseClaim used) {
        if (!MONGODB.call("read a claim", used::isHeld)) {
            replace(used);
            throw lost("database " + used.name());
        }
    }

    private synchronized void replace(DatabaseClaim lost) {
        if (claim == lost && !closing) {
            claim = MONGODB.call("claim a database", () -> DatabaseClaim.acquire(client));
            LOG.error(
                    "database {}: lost by {}, which has lost its data, or it was dropped; documents return to database {}",
                    lost.name(),
                    server.name(),
                    claim.name());
        }
    }

    /** The failure of a call that needs what the server has lost. Another replica may have it. */
    public static UniserveException lost(String what) {
        return new UniserveException(
                ErrorCode.UNAVAILABLE,
                "MongoDB: " + what + " is lost, because the server was restarted without its data, or it was dropped;"
                        + " its documents return from Uniserve's log");
    }

    /** Returns a name that no collection of any connection has had. */
    public String newName(String kind) {
        return kind + "_" + names.incrementAndGet() + "_" + token;
    }

    /** Drops a collection. While the server is down, or this connection closes, that is left for later. */
    public void drop(MongoCollection<?> collection) {
        if (closing) {
            return; // with the database
        }
        if (isReachable()) {
            MONGODB.run("drop a collection", collection::drop);
        } else {
            undropped.add(collection);
        }
    }

    public boolean isEmbedded() {
        return server.isEmbedded();
    }

    /** Announces {@link #close}: collections are no longer dropped one by one. */
    public void startClosing() {
        closing = true;
    }

    /** Ends the instance's own use of the connection. Idempotent. */
    @Override
    public void close() {
        closing = true;
        if (OPEN.remove(this)) {
            release();
        }
    }
}
