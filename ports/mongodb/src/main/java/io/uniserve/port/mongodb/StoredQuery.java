package io.uniserve.port.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * A user's pipeline as a query of stored documents. A leading filter, sort and limit become those of the engine's command find, with its
 * indexes and batches; only what follows is a pipeline on the users' documents.
 *
 * @param filter filter on stored documents
 * @param sort sort of stored documents, null for none
 * @param limit number of documents, 0 for all
 * @param stages stages on users' documents
 * @param options options of the command
 */
record StoredQuery(
        BsonDocument filter, @Nullable BsonDocument sort, int limit, List<BsonDocument> stages, QueryOptions options) {
    private static final int BATCH_DOCUMENTS = 1_000;

    /** Splits a pipeline on users' documents of the stored documents that a condition selects. */
    static StoredQuery of(List<BsonDocument> stages, BsonDocument condition, QueryOptions options) {
        BsonDocument all = condition.clone();
        int next = 0;
        Optional<BsonDocument> filter = leading(stages, next, "$match").flatMap(FieldPrefixer::filter);
        if (filter.isPresent()) {
            all.putAll(filter.get());
            next++;
        }
        Optional<BsonDocument> sort = leading(stages, next, "$sort").flatMap(FieldPrefixer::sort);
        next += sort.isPresent() ? 1 : 0;
        int limit = 0;
        if (next < stages.size() && stages.get(next).isInt32("$limit")) {
            limit = Math.max(0, stages.get(next).getInt32("$limit").getValue());
            next += limit > 0 ? 1 : 0;
        }
        return new StoredQuery(all, sort.orElse(null), limit, stages.subList(next, stages.size()), options);
    }

    /** The body of a stage with this name at this index, if it is a document. */
    static Optional<BsonDocument> leading(List<BsonDocument> stages, int index, String name) {
        return index < stages.size()
                        && stages.get(index).containsKey(name)
                        && stages.get(index).isDocument(name)
                ? Optional.of(stages.get(index).getDocument(name))
                : Optional.empty();
    }

    MongoCursor<RawBsonDocument> run(MongoCollection<RawBsonDocument> collection, long millis) {
        if (stages.isEmpty()) {
            return collection
                    .find(filter)
                    .sort(sort)
                    .limit(limit)
                    .batchSize(BATCH_DOCUMENTS)
                    .hint(options.storedHint())
                    .collation(options.parsedCollation())
                    .maxTime(millis, TimeUnit.MILLISECONDS)
                    .iterator();
        }
        List<Bson> all = new ArrayList<>();
        all.add(new BsonDocument("$match", filter));
        if (sort != null) {
            all.add(new BsonDocument("$sort", sort));
        }
        if (limit > 0) {
            all.add(new BsonDocument("$limit", new BsonInt32(limit)));
        }
        all.add(new BsonDocument(
                "$replaceRoot", new BsonDocument("newRoot", new BsonString("$" + MongoTable.DOCUMENT))));
        all.addAll(stages);
        return collection
                .aggregate(all)
                .maxTime(millis, TimeUnit.MILLISECONDS)
                .allowDiskUse(true)
                .hint(options.storedHint())
                .collation(options.parsedCollation())
                .iterator();
    }

    /** The user's document, or the pipeline's result. */
    RawBsonDocument result(RawBsonDocument found) {
        return stages.isEmpty() ? (RawBsonDocument) found.getDocument(MongoTable.DOCUMENT) : found;
    }
}
