package io.uniserve.port.mongodb.server;

import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claim of a database: a document of fixed id, which the server accepts once. Its token is new with each claim, so a server that has lost its
 * data does not hold it. The owner renews it; one that is not renewed for {@link #EXPIRY_MS} of the server's clock may be taken over.
 * Thread-safe.
 */
public final class DatabaseClaim {
    /** Age at which another connection may take a database over, after a crash of its owner. */
    static final long EXPIRY_MS = 600_000;

    private static final String DATABASE_PREFIX = "uniserve_";
    private static final int DATABASES_MAX = 1_000;
    private static final String COLLECTION = "owner";
    private static final String TOKEN = "token";
    private static final String RENEWED = "renewed";

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseClaim.class);

    private final MongoDatabase database;
    private final String token;

    private DatabaseClaim(MongoDatabase database, String token) {
        this.database = database;
        this.token = token;
    }

    /** Claims the first database that no other connection has. */
    static DatabaseClaim acquire(MongoClient client) {
        return acquire(client, EXPIRY_MS);
    }

    static DatabaseClaim acquire(MongoClient client, long expiryMs) {
        String token = new ObjectId().toHexString();
        for (int number = 1; number <= DATABASES_MAX; number++) {
            DatabaseClaim claim = new DatabaseClaim(client.getDatabase(DATABASE_PREFIX + number), token);
            if (claim.insert() || claim.takeOver(expiryMs)) {
                claim.renew();
                return claim;
            }
        }
        throw new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "the MongoDB server at mongodb." + MongoConnection.URI + " has " + DATABASES_MAX + " databases "
                        + DATABASE_PREFIX + "N of other servers; use another MongoDB server");
    }

    private MongoCollection<RawBsonDocument> owners() {
        return database.getCollection(COLLECTION, RawBsonDocument.class);
    }

    private static BsonDocument owner() {
        return new BsonDocument("_id", new BsonString(COLLECTION));
    }

    private BsonDocument mine() {
        return owner().append(TOKEN, new BsonString(token));
    }

    private boolean insert() {
        try {
            owners().insertOne(new RawBsonDocument(mine(), new BsonDocumentCodec()));
            return true;
        } catch (MongoWriteException e) {
            if (e.getCode() != MongoErrorClassifier.DUPLICATE_KEY) {
                throw e;
            }
            return false;
        }
    }

    /** Takes over a claim that has not been renewed, and drops what its owner left. The server lets one connection replace the token. */
    private boolean takeOver(long expiryMs) {
        RawBsonDocument found = owners().find(owner()).first();
        if (found == null || !found.isDateTime(RENEWED) || serverMillis() - renewed(found) < expiryMs) {
            return false;
        }
        BsonDateTime later = new BsonDateTime(renewed(found) + 1);
        BsonDocument unchanged =
                owner().append(TOKEN, found.get(TOKEN)).append(RENEWED, new BsonDocument("$lt", later));
        BsonDocument change = new BsonDocument("$set", new BsonDocument(TOKEN, new BsonString(token)));
        if (owners().updateOne(unchanged, change).getMatchedCount() == 0) {
            return false;
        }
        renew();
        for (String name : database.listCollectionNames()) {
            if (!name.equals(COLLECTION)) {
                database.getCollection(name).drop();
            }
        }
        LOG.info("database {}: taken over from a server that has ended without dropping it", name());
        return true;
    }

    private static long renewed(RawBsonDocument claim) {
        return claim.getDateTime(RENEWED).getValue();
    }

    private long serverMillis() {
        return database.runCommand(new BsonDocument("isMaster", new BsonInt32(1)), RawBsonDocument.class)
                .getDateTime("localTime")
                .getValue();
    }

    /** Records the server's time. False if the server does not hold this claim. */
    boolean renew() {
        BsonDocument now = new BsonDocument("$currentDate", new BsonDocument(RENEWED, BsonBoolean.TRUE));
        return owners().withWriteConcern(WriteConcern.ACKNOWLEDGED)
                        .updateOne(mine(), now)
                        .getMatchedCount()
                > 0;
    }

    /** True if the server holds this claim: it has not lost the database since. */
    boolean isHeld() {
        return Optional.ofNullable(owners().find(mine()).first()).isPresent();
    }

    /** Drops the database, unless another connection has claimed it since. */
    void release() {
        if (isHeld()) {
            database.drop();
        } else {
            LOG.warn("database {}: not dropped, because its claim is gone", name());
        }
    }

    public MongoDatabase database() {
        return database;
    }

    public String name() {
        return database.getName();
    }

    /** Text that no other claim has. */
    String token() {
        return token;
    }
}
