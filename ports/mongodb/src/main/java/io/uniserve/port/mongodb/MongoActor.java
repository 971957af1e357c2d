package io.uniserve.port.mongodb;

import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorUsage;
import io.uniserve.api.Row;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.api.extra.RowVersionTracker;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.port.mongodb.server.DatabaseClaim;
import io.uniserve.port.mongodb.server.MongoConnection;
import io.uniserve.port.mongodb.server.MongoErrorClassifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Actor of the MongoDB port: a collection of stored documents with versions. Prepared documents have the next version, which no reader
 * uses; publishing increments the version. So readers, views and a prepared update need no transactions of the server, which end after a
 * minute.
 */
final class MongoActor extends MongoTable implements RevocableActor<MongoTable> {
    private static final Logger LOG = LoggerFactory.getLogger(MongoActor.class);

    private static final String ID = DOCUMENT + "._id";

    /** Document without versions, which no query finds: a collection that the server has lost, or created anew, does not have it. */
    private static final BsonDocument MARKER = new BsonDocument("_id", new BsonString("marker"));

    /** Threshold for removal of dead documents: more than this, and more dead than live ones. */
    private static final int DEAD_DOCUMENTS_MIN = 1_000;

    private final MongoConnection connection;
    private final ActorContext context;
    private final SecondaryIndexes indexes;
    private final DatabaseClaim claim;
    private final String name;
    private final MongoCollection<RawBsonDocument> collection;
    private final RowVersionTracker versions = new RowVersionTracker();
    private final ReadWriteLock closing = new ReentrantReadWriteLock();
    private final AtomicLong live = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean closed;
    private final AtomicBoolean lost = new AtomicBoolean();
    /** Used on the thread of updates: changes since the last publish, and the documents that they ended. */
    private boolean changed;

    private long unpublishedLive;
    private long unpublishedBytes;
    private int removedThrough;
    private long ended;
    private long dead;

    MongoActor(MongoConnection connection, ActorContext context, String name, SecondaryIndexes indexes) {
        this.connection = connection;
        this.context = context;
        this.name = name;
        this.indexes = indexes;
        this.claim = connection.claim();
        this.collection = claim.database().getCollection(name, RawBsonDocument.class);
        try {
            write("create a collection", () -> create(indexes));
        } catch (UniserveException e) {
            try {
                connection.drop(collection);
            } catch (RuntimeException unreachable) {
                e.addSuppressed(unreachable);
            }
            throw e;
        }
    }

    private String create(SecondaryIndexes indexes) {
        claim.database().createCollection(name);
        collection.insertOne(new RawBsonDocument(BsonRows.encode(MARKER)));
        // The embedded server has unique indexes only. On MongoDB no index may have the field that a commit changes:
        // a scan of such an index can miss a document.
        if (connection.isEmbedded()) {
            collection.createIndex(keys(ID, UNTIL), new IndexOptions().unique(true));
        } else {
            collection.createIndex(keys(ID));
        }
        for (BsonDocument index : indexes.stored()) {
            collection.createIndex(index);
        }
        return name;
    }

    private static BsonDocument keys(String... fields) {
        BsonDocument keys = new BsonDocument();
        for (String field : fields) {
            keys.put(field, new BsonInt32(1));
        }
        return keys;
    }

    private static <T> T write(String what, Callable<T> work) {
        try {
            return call(what, work);
        } catch (UniserveException e) {
            throw MongoErrorClassifier.ofWrite(e);
        }
    }

    /** Loads a checkpoint into an empty actor. Fails with CORRUPT if it is damaged. */
    void restore(Path checkpoint) {
        MongoCheckpointFile.read(checkpoint, documents -> {
            insert(documents, versions.newest());
            live.addAndGet(documents.size());
        });
        unpublishedLive = live.get();
        unpublishedBytes = 0;
        changed = false;
    }

    /** Stores documents with distinct ids; existing ones with these ids are replaced. */
    void put(Collection<? extends BsonDocument> documents) {
        if (!documents.isEmpty()) {
            end(documents.stream().map(document -> document.get("_id")).toList());
            insert(documents, versions.newest() + 1);
            unpublishedLive += documents.size();
        }
    }

    /** Ends the documents with these ids. */
    void end(Collection<BsonValue> ids) {
        if (ids.isEmpty()) {
            return;
        }
        BsonInt32 next = new BsonInt32(versions.newest() + 1);
        BsonDocument set = new BsonDocument("$set", new BsonDocument(UNTIL, next));
        List<WriteModel<RawBsonDocument>> writes = new ArrayList<>(ids.size());
        for (BsonValue id : ids) {
            BsonDocument current = new BsonDocument(ID, exactly(id)).append(UNTIL, new BsonInt32(NOW));
            if (changed) { // a document of this version itself leaves no trace
                writes.add(new DeleteOneModel<>(current.clone().append(SINCE, next)));
            }
            writes.add(new UpdateOneModel<>(current, set));
        }
        changed = true;
        BulkWriteResult result = write("end documents", () -> collection.bulkWrite(writes));
        ended += result.getModifiedCount();
        unpublishedLive -= result.getModifiedCount() + result.getDeletedCount();
    }

    private void insert(Collection<? extends BsonDocument> documents, int version) {
        List<RawBsonDocument> stored = new ArrayList<>(documents.size());
        long size = 0;
        for (BsonDocument document : documents) {
            byte[] encoded = BsonRows.encode(new BsonDocument(SINCE, new BsonInt32(version))
                    .append(UNTIL, new BsonInt32(NOW))
                    .append(DOCUMENT, document));
            size += encoded.length;
            stored.add(new RawBsonDocument(encoded));
        }
        changed = true;
        write("insert documents", () -> collection.insertMany(stored));
        bytes.addAndGet(size);
        unpublishedBytes += size;
    }

    /** Condition for an id. The embedded server takes an empty document for a filter that finds all. */
    private static BsonValue exactly(BsonValue id) {
        return id.isDocument() ? new BsonDocument("$eq", id) : id;
    }

    /** The live document with this id, also one that is not published yet. */
    Optional<RawBsonDocument> live(BsonValue id) {
        return findLive(new BsonDocument("_id", exactly(id))).stream().findFirst();
    }

    /**
     * Live documents that the filter finds, also those that are not published yet.
     *
     * @throws UniserveException TOO_LARGE if they do not fit into memory
     */
    List<RawBsonDocument> findLive(BsonDocument filter) {
        StoredQuery query = StoredQuery.of(
                List.of(new BsonDocument("$match", filter)),
                new BsonDocument(UNTIL, new BsonInt32(NOW)),
                QueryOptions.NONE);
        return call("find documents", () -> {
            List<RawBsonDocument> found = new ArrayList<>();
            long size = 0;
            try (MongoCursor<RawBsonDocument> cursor = query.run(collection, Limits.DEADLINE_MS_MAX)) {
                while (cursor.hasNext()) {
                    RawBsonDocument next = query.result(cursor.next());
                    size += next.getByteBuffer().remaining();
                    if (size > Limits.RESULT_BYTES_PER_QUERY_MAX) {
                        throw new UniserveException(
                                ErrorCode.TOO_LARGE,
                                "MongoDB: the filter finds more than " + Limits.RESULT_BYTES_PER_QUERY_MAX
                                        + " bytes of documents of one actor: use several updates by narrower filters");
                    }
                    found.add(next);
                }
            }
            checkIntact();
            return found;
        });
    }

    /** Whether a row belongs to this actor. An actor outside of the table's numbers, as in a test of one actor, owns every row. */
    boolean owns(Row row) {
        return context.actor() >= context.meta().partitioner().actors() || context.owns(row);
    }

    /** Checks that the table's indexes can have the document. The embedded server has no indexes. */
    void checkIndexes(BsonDocument document) {
        if (!connection.isEmbedded()) {
            indexes.check(document);
        }
    }

    MongoConnection connection() {
        return connection;
    }

    /**
     * Checks that the server has kept the collection since its creation, so that nothing read or written before is missing.
     *
     * @throws UniserveException UNAVAILABLE if not
     */
    private void checkIntact() {
        if (!lost.get()
                && write("read a marker", () -> collection.find(MARKER).first()) == null
                && lost.compareAndSet(false, true)) {
            LOG.error("{}: lost by the MongoDB server; its documents return from Uniserve's log", name);
            connection.verify(claim);
        }
        if (lost.get()) {
            throw MongoConnection.lost("collection " + name);
        }
    }

    /** Prepared documents must be there before the update may commit. */
    @Override
    public void stage() {
        if (changed) {
            checkIntact();
        }
    }

    @Override
    public void publish() {
        if (!changed) {
            return;
        }
        checkIntact();
        versions.advance();
        changed = false;
        live.set(unpublishedLive);
        dead += ended;
        ended = 0;
        unpublishedBytes = 0;
        if (dead > Math.max(DEAD_DOCUMENTS_MIN, live.get()) && versions.oldest() > removedThrough) {
            removeDead();
        }
    }

    /** Removes documents that no reader needs. A failure is not one of the update; the next one tries again. */
    private void removeDead() {
        int oldest = versions.oldest();
        BsonDocument unneeded = new BsonDocument(UNTIL, new BsonDocument("$lte", new BsonInt32(oldest)));
        try {
            long removed = call(
                    "remove old documents",
                    () -> collection.deleteMany(unneeded).getDeletedCount());
            long all = Math.max(1, live.get() + dead);
            bytes.updateAndGet(size -> size - size / all * removed);
            dead -= removed;
            removedThrough = oldest;
        } catch (UniserveException e) {
            LOG.warn("{}: old documents stay: {}", name, e.getMessage());
        }
    }

    @Override
    public void revoke() {
        if (!changed) {
            return;
        }
        int next = versions.newest() + 1;
        write("revoke documents", () -> {
            collection.deleteMany(new BsonDocument(SINCE, new BsonInt32(next)));
            return collection.updateMany(
                    new BsonDocument(UNTIL, new BsonInt32(next)),
                    new BsonDocument("$set", new BsonDocument(UNTIL, new BsonInt32(NOW))));
        });
        changed = false;
        ended = 0;
        bytes.addAndGet(-unpublishedBytes);
        unpublishedBytes = 0;
        unpublishedLive = live.get();
    }

    @Override
    boolean isEmbedded() {
        return connection.isEmbedded();
    }

    @Override
    <T> T read(String what, Reading<T> reading) {
        int version = versions.acquire();
        try {
            return readAt(version, what, reading);
        } finally {
            versions.release(version);
        }
    }

    /** Reads the documents of a published version that is still kept. */
    private <T> T readAt(int version, String what, Reading<T> reading) {
        closing.readLock().lock();
        try {
            if (closed) {
                throw new UniserveException(ErrorCode.UNAVAILABLE, "collection " + name + " of an actor is closed");
            }
            T read = call(what, () -> reading.read(collection, version));
            checkIntact();
            return read;
        } finally {
            closing.readLock().unlock();
        }
    }

    @Override
    public MongoTable snapshot() {
        return new View();
    }

    boolean isClosed() {
        return closed;
    }

    /** The server's memory and disk are not known; the size of documents stands for both, as one of them has it. */
    @Override
    public ActorUsage usage() {
        if (lost.get() || connection.claim() != claim) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    MongoConnection.lost("collection " + name).reason());
        }
        return connection.isEmbedded()
                ? new ActorUsage(live.get(), bytes.get(), 0)
                : new ActorUsage(live.get(), 0, bytes.get());
    }

    @Override
    public void writeTo(Path directory) {
        MongoCheckpointFile.write(directory, this);
    }

    @Override
    public void destroy() {
        close();
    }

    /** Drops the collection: after a restart the host restores actors from checkpoints. */
    @Override
    public void close() {
        closing.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                connection.drop(collection);
            }
        } finally {
            closing.writeLock().unlock();
        }
    }

    /** View of a version, whose documents are kept while it is open. Several readers may use it concurrently. */
    private final class View extends MongoTable {
        private final int version = versions.acquire();
        private final long documents = live.get();
        private final long bytesBefore = bytes.get();
        private final AtomicBoolean released = new AtomicBoolean();

        @Override
        boolean isEmbedded() {
            return connection.isEmbedded();
        }

        @Override
        <T> T read(String what, Reading<T> reading) {
            return readAt(version, what, reading);
        }

        /** Documents that were replaced since are kept for this view. */
        @Override
        public ActorUsage usage() {
            return new ActorUsage(documents, Math.max(0, bytes.get() - bytesBefore), 0);
        }

        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                versions.release(version);
            }
        }
    }
}
