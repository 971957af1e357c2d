package io.uniserve.port.mongodb;

import io.uniserve.api.Row;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * A write to a collection, as a row of update function {@link #FUNCTION}. Documents have any BSON type, up to MongoDB's limits of 16 MiB and
 * 100 levels. Rows of one update are applied in their order, and each sees those before it. In atomic tables all of them happen or none.
 *
 * <p>A write of one document goes to the actor of its _id. {@link #updateMany} and {@link #deleteMany} need {@code everywhere()}, as does
 * every update with one of them among its rows; {@link #forEveryActor} prepares the other rows for it. Immutable, if documents passed to it
 * do not change afterwards.
 *
 * <pre>{@code
 * client.table("films").update(MongoWrite.FUNCTION, MongoWrite.CODEC, List.of(MongoWrite.insert(film))).run().orThrow();
 * client.table("films").update(MongoWrite.FUNCTION, MongoWrite.CODEC,
 *         WriteCommand.parse("films", BsonDocument.parse("{delete: 'films', deletes: [{q: {year: 1960}, limit: 0}]}"))).everywhere().run();
 * }</pre>
 */
public final class MongoWrite implements Row {
    /** Update function of these rows. */
    public static final String FUNCTION = "mongodb.write@1";

    /** Codec of these rows. Fails with INVALID_ROW for bytes that are no write, and for texts that are no UTF-8. */
    public static final Codec<MongoWrite> CODEC = Codecs.of(
            (out, write) -> out.writeBytes(Bytes.wrap(BsonRows.encode(write.body))),
            in -> decode(in.readBytes().toArray()));

    /** Kind of a write. */
    enum Kind {
        INSERT,
        PUT,
        UPDATE,
        UPDATE_MANY,
        DELETE,
        DELETE_MANY
    }

    private static final String KIND = "kind";
    private static final String DOCUMENT = "document";
    private static final String ID = "id";
    private static final String FILTER = "q";
    private static final String UPDATE = "u";
    private static final String UPSERT = "upsert";
    private static final String ARRAY_FILTERS = "arrayFilters";
    private static final String EVERYWHERE = "everywhere";

    private final Kind kind;
    private final BsonDocument body;

    private MongoWrite(Kind kind, BsonDocument body) {
        this.kind = kind;
        this.body = body;
    }

    private static MongoWrite of(Kind kind) {
        return new MongoWrite(kind, new BsonDocument(KIND, new BsonString(kind.name())));
    }

    private MongoWrite with(String field, BsonValue value) {
        body.put(field, value);
        return this;
    }

    /** Stores a new document; CONFLICT if its _id exists. */
    public static MongoWrite insert(BsonDocument document) {
        return of(Kind.INSERT).with(DOCUMENT, document);
    }

    /** Stores a document, and replaces the one with its _id. */
    public static MongoWrite put(BsonDocument document) {
        return of(Kind.PUT).with(DOCUMENT, document);
    }

    /**
     * Updates or replaces the document with this _id if the filter finds it.
     *
     * @param update operators such as {@code $set}, a whole document, or an array of pipeline stages
     * @param upsert whether a document is made if none has the _id
     */
    public static MongoWrite update(
            BsonValue id, BsonDocument filter, BsonValue update, boolean upsert, List<BsonDocument> arrayFilters) {
        return of(Kind.UPDATE)
                .with(ID, id)
                .with(FILTER, filter)
                .with(UPDATE, update)
                .with(UPSERT, BsonBoolean.valueOf(upsert))
                .with(ARRAY_FILTERS, new BsonArray(arrayFilters));
    }

    /** Updates all documents that the filter finds, by operators or pipeline stages. For every actor. */
    public static MongoWrite updateMany(BsonDocument filter, BsonValue update, List<BsonDocument> arrayFilters) {
        return of(Kind.UPDATE_MANY)
                .with(FILTER, filter)
                .with(UPDATE, update)
                .with(ARRAY_FILTERS, new BsonArray(arrayFilters));
    }

    /** Deletes the document with this _id if the filter finds it. */
    public static MongoWrite delete(BsonValue id, BsonDocument filter) {
        return of(Kind.DELETE).with(ID, id).with(FILTER, filter);
    }

    /** Deletes all documents that the filter finds. For every actor. */
    public static MongoWrite deleteMany(BsonDocument filter) {
        return of(Kind.DELETE_MANY).with(FILTER, filter);
    }

    /** Returns this write for an update that goes to every actor: actors that do not own its _id ignore it. */
    public MongoWrite forEveryActor() {
        BsonDocument everywhere = new BsonDocument();
        everywhere.putAll(body);
        return new MongoWrite(kind, everywhere.append(EVERYWHERE, BsonBoolean.TRUE));
    }

    private static MongoWrite decode(byte[] bson) {
        try {
            BsonStructure.check(bson);
            RawBsonDocument body = new RawBsonDocument(bson);
            return new MongoWrite(Kind.valueOf(body.getString(KIND).getValue()), body);
        } catch (RuntimeException e) { // the driver throws several kinds
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "row is no write to a collection: " + e.getMessage() + "; encode it by MongoWrite");
        }
    }

    Kind kind() {
        return kind;
    }

    /** Whether the write concerns all documents of a filter. */
    boolean isMany() {
        return kind == Kind.UPDATE_MANY || kind == Kind.DELETE_MANY;
    }

    /** Whether actors without the _id ignore the write. */
    boolean isForEveryActor() {
        return body.getBoolean(EVERYWHERE, BsonBoolean.FALSE).getValue();
    }

    /** Whether the result depends on documents that exist. */
    boolean readsDocuments() {
        return kind != Kind.PUT && !(kind == Kind.DELETE && new BsonDocument().equals(body.get(FILTER)));
    }

    /** Document to store. */
    BsonDocument document() {
        return fieldDocument(DOCUMENT);
    }

    BsonDocument filter() {
        return fieldDocument(FILTER);
    }

    private BsonDocument fieldDocument(String field) {
        BsonValue value = body.getOrDefault(field, BsonNull.VALUE);
        if (!value.isDocument()) {
            throw invalid(field + " of " + kind.name().toLowerCase(Locale.ROOT)
                    + " is missing or is not a document; give it one");
        }
        return value.asDocument();
    }

    /** Operators, a replacement, or an array of stages. */
    BsonValue change() {
        return body.getOrDefault(UPDATE, BsonNull.VALUE);
    }

    boolean isUpsert() {
        return body.getBoolean(UPSERT, BsonBoolean.FALSE).getValue();
    }

    List<BsonDocument> arrayFilters() {
        BsonValue filters = body.getOrDefault(ARRAY_FILTERS, new BsonArray());
        if (!filters.isArray() || !filters.asArray().stream().allMatch(BsonValue::isDocument)) {
            throw invalid(ARRAY_FILTERS + " is not an array of documents (TypeMismatch 14); give it one");
        }
        List<BsonDocument> decoded = new ArrayList<>();
        filters.asArray().forEach(filter -> decoded.add(filter.asDocument()));
        return decoded;
    }

    /** The _id of the one document that the write concerns. Fails with INVALID_ROW if it has none. */
    BsonValue id() {
        boolean stores = kind == Kind.INSERT || kind == Kind.PUT;
        BsonValue id = (stores ? document() : body).get(stores ? "_id" : ID);
        if (isMany() || id == null) {
            throw invalid(
                    isMany()
                            ? "a write by a filter of all documents has no actor (ShardKeyNotFound 61): send it to every actor"
                            : "document's _id is missing; give it one");
        }
        return id;
    }

    DocumentKey key() {
        return DocumentKey.of(id());
    }

    @Override
    public PartitionKey partitionKey() {
        return key().partition();
    }

    /** JSON of an _id, for messages. */
    static String json(BsonValue id) {
        String text = new BsonDocument("v", id).toJson();
        return text.substring("{\"v\": ".length(), text.length() - 1);
    }

    static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, "MongoDB: " + message);
    }

    @Override
    public String toString() {
        return "MongoWrite" + body;
    }
}
