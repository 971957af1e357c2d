package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.operator.RetrieveOperator.Body;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The operators of the key-value port. */
public final class KvOperators {
    private static final int DOCUMENTS_PER_CHECK = 4_096;
    private static final int LIMIT_MAX = 10_000;
    private static final Codec<List<Document>> DOCUMENTS = Codecs.list(Document.CODEC);

    /** Returns the document with this text key, none or one. */
    public static final RetrieveOperator<KvActor, String, List<Document>> GET = operator(
            "kv.get@1",
            Codecs.STRING,
            DOCUMENTS,
            (actor, context, key) -> actor.get("t" + key).map(List::of).orElse(List.of()),
            (key, left, right) -> Stream.concat(left.stream(), right.stream()).toList(),
            key -> true);

    /** Counts the documents whose text key has this prefix; all for the empty prefix. */
    public static final RetrieveOperator<KvActor, String, Long> COUNT = operator(
            "kv.count@1",
            Codecs.STRING,
            Codecs.LONG,
            KvOperators::count,
            (p, left, right) -> left + right,
            String::isEmpty);

    /** Sums the whole numbers in this field. Fails with TOO_LARGE above 64 bits. */
    public static final RetrieveOperator<KvActor, String, Long> SUM = operator(
            "kv.sum@1",
            Codecs.STRING,
            Codecs.LONG,
            KvOperators::sum,
            (p, left, right) -> addExact(left, right),
            p -> false);

    /** Returns the first documents by key whose text key has a prefix. */
    public static final RetrieveOperator<KvActor, Scan, List<Document>> SCAN =
            operator("kv.scan@1", Scan.CODEC, DOCUMENTS, KvOperators::scan, Scan::merge, p -> false);

    /** Returns the first documents at or after a key. A range of one document is a look-up. */
    public static final RetrieveOperator<KvActor, KvRange, List<Document>> RANGE = operator(
            "kv.range@1",
            KvRange.CODEC,
            DOCUMENTS,
            (actor, context, range) -> checkingActive(actor.from(range.from()), context)
                    .limit(range.limit())
                    .map(range::project)
                    .toList(),
            KvRange::merge,
            range -> range.limit() == 1);

    static final List<Operator<?, ?>> ALL = List.of(GET, COUNT, SUM, SCAN, RANGE);

    private KvOperators() {}

    /** Parameters of {@link #SCAN}: at most {@code limit} documents, 1 to 10,000. */
    public record Scan(String prefix, int limit) {
        static final Codec<Scan> CODEC = Codecs.of(Scan::write, Scan::read);

        public Scan {
            checkLimit(limit);
        }

        List<Document> merge(List<Document> left, List<Document> right) {
            return mergeByKey(limit, left, right);
        }

        private static void write(BinaryWriter out, Scan scan) {
            out.writeString(scan.prefix).writeInt(scan.limit);
        }

        private static Scan read(BinaryReader in) {
            return new Scan(in.readString(), in.readInt());
        }
    }

    static void checkLimit(int limit) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw UniserveException.invalid("limit is " + limit + ": use 1 to " + LIMIT_MAX);
        }
    }

    private static long count(KvActor actor, OperatorContext context, String prefix) {
        if (prefix.isEmpty()) {
            return actor.usage().rows();
        }
        return checkingActive(actor.withPrefix(prefix), context).count();
    }

    private static long sum(KvActor actor, OperatorContext context, String field) {
        long sum = 0;
        for (Document document : (Iterable<Document>) checkingActive(actor.withPrefix(""), context)::iterator) {
            if (document.fields().get(field) instanceof Long number) {
                sum = addExact(sum, number);
            }
        }
        return sum;
    }

    /** Adds two numbers. Fails with TOO_LARGE on overflow. */
    static long addExact(long left, long right) {
        try {
            return Math.addExact(left, right);
        } catch (ArithmeticException e) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE, "the sum exceeds 64 bits; sum a smaller part of the table", e);
        }
    }

    private static List<Document> scan(KvActor actor, OperatorContext context, Scan scan) {
        return checkingActive(actor.withPrefix(scan.prefix), context)
                .limit(scan.limit)
                .toList();
    }

    /** Returns the same documents, with a check of the query's cancellation from time to time. */
    private static Stream<Document> checkingActive(Stream<Document> documents, OperatorContext context) {
        int[] seen = {0};
        return documents.filter(any -> {
            if (++seen[0] % DOCUMENTS_PER_CHECK == 0) {
                context.checkActive();
            }
            return true;
        });
    }

    /** Merges two answers in key order. */
    static List<Document> mergeByKey(int limit, List<Document> left, List<Document> right) {
        List<Document> merged = new ArrayList<>(Math.min(limit, left.size() + right.size()));
        int l = 0;
        int r = 0;
        while (merged.size() < limit && (l < left.size() || r < right.size())) {
            boolean first = r == right.size() || (l < left.size() && isBefore(left.get(l), right.get(r)));
            merged.add(first ? left.get(l++) : right.get(r++));
        }
        return merged;
    }

    private static boolean isBefore(Document left, Document right) {
        return CodePoints.compare(KvActor.keyOf(left), KvActor.keyOf(right)) <= 0;
    }

    private static <P, V> RetrieveOperator<KvActor, P, V> operator(
            String id,
            Codec<P> parameters,
            Codec<V> values,
            Body<KvActor, P, V> body,
            Merger<P, V> merger,
            Predicate<P> brief) {
        return RetrieveOperator.of(new RetrieveCall<>(id, parameters, values), KvActor.class, body, merger, brief);
    }
}
