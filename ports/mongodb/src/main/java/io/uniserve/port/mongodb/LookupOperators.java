package io.uniserve.port.mongodb;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.port.mongodb.pipeline.JoinKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Operators of a shuffled {@code $lookup}: documents of both tables go to the slots of the values by which they are joined. A document of the
 * first table goes to one slot. If its values have several slots, as those of an array may, the others get a request for their documents of
 * the other table, and the planning server joins it. Stateless.
 */
final class LookupOperators {
    /** Record of a chunk: a document whose values all have this slot. */
    private static final String SINGLE = "s";

    /** Record of a chunk and of an answer: a document whose values have several slots. */
    static final String SPREAD = "m";

    /** Record of a chunk: the hash of a value of a {@link #SPREAD} document. */
    private static final String REQUEST = "r";

    /** Record of an answer: a document after the stages. */
    static final String RESULT = "f";

    /** Record of an answer: a document of the other table that a {@link #SPREAD} document may join. */
    static final String CANDIDATE = "c";

    /** Bytes that an actor sends, or that a slot has of one table: they are in memory. */
    private static final long BYTES_MAX = Limits.RESULT_BYTES_PER_QUERY_MAX;
    /** Memory of a requested value until it is sent. */
    private static final int REQUEST_BYTES = 64;

    static final ScatterOperator<MongoTable, Bytes> LOCAL = ScatterOperator.of(
            new ScatterCall<>(MongoEngine.NAME + ".lookup-local@1", Codecs.BYTES),
            MongoTable.class,
            LookupOperators::scatterLocal);

    static final ScatterOperator<MongoTable, Bytes> FOREIGN = ScatterOperator.of(
            new ScatterCall<>(MongoEngine.NAME + ".lookup-foreign@1", Codecs.BYTES),
            MongoTable.class,
            LookupOperators::scatterForeign);

    static final GatherOperator<MongoTable, Bytes, BsonRows> JOIN = GatherOperator.of(
            new GatherCall<>(MongoEngine.NAME + ".lookup@1", Codecs.BYTES, BsonRows.CODEC),
            MongoTable.class,
            (actor, context, parameters, chunks) ->
                    join(actor, context, ShuffledLookup.decode(BsonRows.decodeParameters(parameters)), chunks));

    private LookupOperators() {}

    /** The document of a record of this kind; empty for other kinds. */
    static Optional<RawBsonDocument> field(RawBsonDocument record, String name) {
        BsonValue value = record.getOrDefault(name, BsonNull.VALUE);
        return value.isDocument() ? Optional.of(BsonRows.raw(value.asDocument())) : Optional.empty();
    }

    private static void scatterLocal(
            MongoTable table, OperatorContext context, Bytes parameters, int slots, ChunkSink sink) {
        BsonDocument decoded = BsonRows.decodeParameters(parameters);
        ShuffledLookup lookup = ShuffledLookup.decode(decoded);
        String[] path = lookup.localPath();
        Output output = new Output(slots);
        List<TreeSet<Long>> requests = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            requests.add(new TreeSet<>());
        }
        table.forEachResult(lookup.before(), QueryOptions.of(decoded), context, document -> {
            if (table.isEmbedded() && JoinKeys.hasPattern(document, path)) {
                throw UniserveException.unsupported(
                        "MongoDB: a shuffled $lookup by a pattern, which the embedded server"
                                + " compares with every value: filter the patterns out, or leave $shuffle out");
            }
            Set<Long> keys = JoinKeys.of(document, path, table.isEmbedded());
            Set<Integer> slotsOf =
                    keys.stream().map(key -> JoinKeys.slot(key, slots)).collect(Collectors.toCollection(TreeSet::new));
            boolean isSingle = slotsOf.size() == 1;
            int home = slotsOf.iterator().next();
            output.add(home, new BsonDocument(isSingle ? SINGLE : SPREAD, document));
            if (!isSingle) {
                keys.forEach(key -> {
                    if (requests.get(JoinKeys.slot(key, slots)).add(key)) {
                        output.charge(REQUEST_BYTES);
                    }
                });
            }
        });
        for (int slot = 0; slot < slots; slot++) {
            for (long key : requests.get(slot)) {
                output.add(slot, new BsonDocument(REQUEST, new BsonInt64(key)));
            }
        }
        output.putInto(sink, context);
    }

    private static void scatterForeign(
            MongoTable table, OperatorContext context, Bytes parameters, int slots, ChunkSink sink) {
        String[] path =
                ShuffledLookup.decode(BsonRows.decodeParameters(parameters)).foreignPath();
        Output output = new Output(slots);
        table.forEachResult(
                List.of(),
                QueryOptions.NONE,
                context,
                document -> JoinKeys.of(document, path, table.isEmbedded()).stream()
                        .map(key -> JoinKeys.slot(key, slots))
                        .distinct()
                        .forEach(slot -> output.add(slot, document)));
        output.putInto(sink, context);
    }

    private static BsonRows join(
            MongoTable actor, OperatorContext context, ShuffledLookup lookup, List<List<Chunk>> chunks) {
        if (chunks.size() != 2) {
            throw UniserveException.invalid("a $lookup of " + chunks.size() + " shuffled tables, not of two");
        }
        List<RawBsonDocument> singles = new ArrayList<>();
        BsonRows.Builder answer = new BsonRows.Builder();
        Set<Long> requests = new TreeSet<>();
        for (RawBsonDocument record : documents(chunks.get(0), context)) {
            if (record.isInt64(REQUEST)) {
                requests.add(record.getInt64(REQUEST).getValue());
            } else if (record.containsKey(SPREAD)) {
                answer.add(record);
            } else {
                field(record, SINGLE).ifPresent(singles::add);
            }
        }
        List<RawBsonDocument> foreign = documents(chunks.get(1), context);
        if (!requests.isEmpty()) {
            String[] path = lookup.foreignPath();
            for (RawBsonDocument document : foreign) {
                context.checkActive();
                if (JoinKeys.of(document, path, actor.isEmbedded()).stream().anyMatch(requests::contains)) {
                    answer.add(record(CANDIDATE, document));
                }
            }
        }
        lookup.join(context, singles, foreign).forEach(document -> answer.add(record(RESULT, document)));
        return answer.build();
    }

    private static RawBsonDocument record(String name, BsonDocument document) {
        return BsonRows.raw(new BsonDocument(name, document));
    }

    private static List<RawBsonDocument> documents(List<Chunk> chunks, OperatorContext context) {
        List<RawBsonDocument> documents = new ArrayList<>();
        long bytes = 0;
        for (Chunk chunk : chunks) {
            context.checkActive();
            Bytes read = chunk.read();
            bytes += read.size();
            if (bytes > BYTES_MAX) {
                throw tooLarge("has more than " + BYTES_MAX + " bytes of one table for one slot");
            }
            documents.addAll(new BsonRows((int) chunk.rows(), read).documents());
        }
        return documents;
    }

    private static UniserveException tooLarge(String what) {
        return new UniserveException(
                ErrorCode.TOO_LARGE,
                "MongoDB: a shuffled $lookup " + what + ": filter or project documents before it, or give the table"
                        + " more actors");
    }

    /** Chunks of one actor. Not thread-safe. */
    private static final class Output {
        private final List<BsonRows.Builder> slots = new ArrayList<>();
        private long bytes;

        Output(int slots) {
            for (int slot = 0; slot < slots; slot++) {
                this.slots.add(new BsonRows.Builder(Limits.CHUNK_BYTES_MAX));
            }
        }

        /** Counts bytes that the actor keeps. */
        void charge(int more) {
            bytes += more;
            if (bytes > BYTES_MAX) {
                throw tooLarge("has more than " + BYTES_MAX + " bytes of documents of one actor");
            }
        }

        void add(int slot, BsonDocument document) {
            RawBsonDocument raw = BsonRows.raw(document);
            charge(raw.getByteBuffer().remaining());
            try {
                slots.get(slot).add(raw);
            } catch (UniserveException e) {
                throw tooLarge("has more than " + Limits.CHUNK_BYTES_MAX + " bytes of one actor for one slot");
            }
        }

        void putInto(ChunkSink sink, OperatorContext context) {
            for (int slot = 0; slot < slots.size(); slot++) {
                context.checkActive();
                BsonRows rows = slots.get(slot).build();
                if (rows.count() > 0) {
                    sink.put(slot, rows.count(), rows.bson());
                }
            }
        }
    }
}
