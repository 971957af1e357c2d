package io.uniserve.port.mongodb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.server.EmbeddedPatternValidator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Changes of an actor's documents by the writes of one update, each of which sees those before it. The same evaluation checks an update and
 * applies it. Not thread-safe.
 */
final class PendingWrites {
    /** Maximum of a document: MongoDB's limit without what a stored document and a result have beside it. */
    static final int DOCUMENT_BYTES_MAX = (16 << 20) - 1024;

    private static final int MANY_WRITES_MAX = 100;

    private final MongoActor actor;
    /** Whether the update is only checked. A replay of an applied update finds the documents of its inserts. */
    private final boolean checked;

    /** Last change of each document, by its key. */
    private final Map<String, Change> changes = new LinkedHashMap<>();

    private int manyWrites;

    /** @param document the document as it is afterwards; empty if it is deleted */
    private record Change(BsonValue id, Optional<RawBsonDocument> document) {}

    private PendingWrites(MongoActor actor, boolean checked) {
        this.actor = actor;
        this.checked = checked;
    }

    /**
     * Evaluates writes.
     *
     * @param checked whether an existing document is a conflict of an insert
     * @throws UniserveException INVALID_ROW, CONFLICT, TOO_LARGE or UNSUPPORTED, which names the document and the remedy
     */
    static PendingWrites of(MongoActor actor, List<MongoWrite> writes, boolean checked) {
        PendingWrites pending = new PendingWrites(actor, checked);
        writes.forEach(pending::add);
        return pending;
    }

    /** Applies the changes as the actor's next version. */
    void apply() {
        List<BsonValue> deleted = new ArrayList<>();
        List<BsonDocument> stored = new ArrayList<>();
        for (Change change : changes.values()) {
            change.document.ifPresentOrElse(stored::add, () -> deleted.add(change.id));
        }
        actor.end(deleted);
        actor.put(stored);
    }

    private void add(MongoWrite write) {
        if (write.isMany() && ++manyWrites > MANY_WRITES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "MongoDB: an update has more than " + MANY_WRITES_MAX + " writes by a filter of all documents:"
                            + " send several updates");
        }
        if (!write.isMany() && !isOwn(write)) {
            return;
        }
        switch (write.kind()) {
            case PUT -> store(write);
            case INSERT -> {
                BsonValue id = write.id();
                if (checked && current(write.key(), id).isPresent()) {
                    throw new UniserveException(
                            ErrorCode.CONFLICT,
                            "MongoDB: a document with _id " + MongoWrite.json(id)
                                    + " exists (DuplicateKey 11000): put it to replace it, or use another _id");
                }
                store(write);
            }
            case UPDATE, UPDATE_MANY -> update(write);
            case DELETE, DELETE_MANY -> delete(write);
        }
    }

    /** Whether the actor owns the write's document. Another actor would keep a second document with its _id. */
    private boolean isOwn(MongoWrite write) {
        boolean own = actor.owns(write);
        if (!own && !write.isForEveryActor()) {
            throw MongoWrite.invalid("document " + MongoWrite.json(write.id()) + " does not belong to this actor:"
                    + " do not send its row to every actor, and let its key be its _id");
        }
        return own;
    }

    private void store(MongoWrite write) {
        BsonDocument document = idFirst(write.document(), write.id());
        for (String name : document.keySet()) {
            if (name.startsWith("$")) {
                throw MongoWrite.invalid("document " + MongoWrite.json(write.id()) + " has the field \"" + name
                        + "\": names that begin with $ are operators; use another name");
            }
        }
        set(write.key(), document);
    }

    private static BsonDocument idFirst(BsonDocument document, BsonValue id) {
        if (document.getFirstKey().equals("_id")) {
            return document;
        }
        BsonDocument ordered = new BsonDocument("_id", id);
        document.forEach(ordered::putIfAbsent);
        return ordered;
    }

    private void set(DocumentKey key, BsonDocument document) {
        RawBsonDocument encoded = check(document);
        changes.remove(key.canonical());
        changes.put(key.canonical(), new Change(DocumentKey.idOf(document), Optional.of(encoded)));
    }

    /** Checks a document as it will be stored, and encodes it. */
    private RawBsonDocument check(BsonDocument document) {
        RawBsonDocument raw = BsonRows.raw(document);
        int size = raw.getByteBuffer().remaining();
        if (size > DOCUMENT_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "MongoDB: document " + MongoWrite.json(DocumentKey.idOf(document)) + " has " + size
                            + " bytes of BSON, at most " + DOCUMENT_BYTES_MAX
                            + " (BSONObjectTooLarge 10334): split it");
        }
        CommandValidator.checkDepth(document);
        checkTimestamps(document);
        actor.checkIndexes(document);
        if (actor.connection().isEmbedded()) {
            CommandValidator.checkPlainValues(document);
            CommandValidator.checkEmbeddedId(DocumentKey.idOf(document));
        }
        return raw;
    }

    /** MongoDB stores its clock in place of an empty timestamp, so replicas would differ. */
    private static void checkTimestamps(BsonDocument document) {
        if (document.values().stream()
                .anyMatch(value -> value.isTimestamp() && value.asTimestamp().getValue() == 0)) {
            throw MongoWrite.invalid("document " + MongoWrite.json(DocumentKey.idOf(document))
                    + " has an empty timestamp, in whose place MongoDB stores its clock; give it a time");
        }
    }

    /** Checks a part of a write that the engine evaluates. */
    private void checkCommand(BsonValue part) {
        CommandValidator.checkOperators(part, true);
        if (actor.connection().isEmbedded()) {
            EmbeddedPatternValidator.check(part);
        }
    }

    /** The document with this key after the writes so far. */
    private Optional<RawBsonDocument> current(DocumentKey key, BsonValue id) {
        Change change = changes.get(key.canonical());
        return change != null ? change.document : actor.live(id);
    }

    private void delete(MongoWrite write) {
        BsonDocument filter = write.filter();
        checkCommand(filter);
        if (write.isMany()) {
            for (BsonDocument found : DocumentUpdate.matching(actor.connection(), candidates(filter), filter)) {
                remove(DocumentKey.idOf(found));
            }
        } else if (filter.isEmpty()) {
            remove(write.id());
        } else {
            List<BsonDocument> one = new ArrayList<>();
            current(write.key(), write.id()).ifPresent(one::add);
            if (!DocumentUpdate.matching(actor.connection(), one, filter).isEmpty()) {
                remove(write.id());
            }
        }
    }

    private void remove(BsonValue id) {
        String key = DocumentKey.of(id).canonical();
        changes.remove(key);
        changes.put(key, new Change(id, Optional.empty()));
    }

    /** Documents among which are all that the filter finds, after the writes so far. */
    private List<BsonDocument> candidates(BsonDocument filter) {
        List<BsonDocument> candidates = new ArrayList<>();
        for (RawBsonDocument found : actor.findLive(filter)) {
            if (changes.isEmpty()
                    || !changes.containsKey(DocumentKey.ofDocument(found).canonical())) {
                candidates.add(found);
            }
        }
        changes.values().forEach(change -> change.document.ifPresent(candidates::add));
        return candidates;
    }

    private void update(MongoWrite write) {
        BsonDocument filter = new BsonDocument();
        filter.putAll(write.filter());
        checkCommand(filter);
        checkCommand(write.change());
        write.arrayFilters().forEach(this::checkCommand);
        List<BsonDocument> candidates = new ArrayList<>();
        if (write.isMany()) {
            candidates.addAll(candidates(filter));
        } else {
            BsonValue id = write.id();
            BsonValue given = filter.getOrDefault("_id", id);
            if (!given.equals(id)) {
                throw MongoWrite.invalid(
                        "filter q has another _id than the row; give both the same, or leave it out of q");
            }
            current(write.key(), id).ifPresent(candidates::add);
            if (candidates.isEmpty() && !write.isUpsert()) {
                filter = new BsonDocument(); // an update of nothing is still checked by the engine
            }
            filter.put("_id", id);
        }
        Map<String, ByteBuffer> before = new LinkedHashMap<>();
        for (BsonDocument candidate : candidates) {
            before.put(
                    DocumentKey.ofDocument(candidate).canonical(),
                    BsonRows.raw(candidate).getByteBuffer().asNIO());
        }
        for (BsonDocument updated : DocumentUpdate.run(actor.connection(), candidates, filter, write)) {
            DocumentKey key = DocumentKey.ofDocument(updated);
            boolean known = before.containsKey(key.canonical())
                    || !write.isMany() && key.canonical().equals(write.key().canonical());
            if (!known) {
                throw MongoWrite.invalid("update u sets another _id (ImmutableField 66): leave it out");
            }
            if (!BsonRows.raw(updated).getByteBuffer().asNIO().equals(before.get(key.canonical()))) {
                set(key, updated);
            }
        }
    }
}
