package com.example.port;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Operators of the H2 port. Each reads one actor. Servers merge the values of their actors before they reply. */
final class H2Operators {
    /** Number of rows whose "n" is at least this. */
    static final RetrieveOperator<H2Actor, Long, Long> COUNT = RetrieveOperator.of(
            new RetrieveCall<>("h2.count@1", Codecs.LONG, Codecs.LONG),
            H2Actor.class,
            (actor, context, least) -> actor.number("SELECT COUNT(*) FROM ROWS WHERE N >= ?", least),
            (least, left, right) -> left + right);

    /** Sum of "n" of rows whose "n" is at least this. */
    static final RetrieveOperator<H2Actor, Long, Long> SUM = RetrieveOperator.of(
            new RetrieveCall<>("h2.sum@1", Codecs.LONG, Codecs.LONG),
            H2Actor.class,
            (actor, context, least) -> actor.number("SELECT COALESCE(SUM(N), 0) FROM ROWS WHERE N >= ?", least),
            (least, left, right) -> plus(left, right));

    /** The rows with the largest "n"; of equal ones those with the lower ids. */
    static final RetrieveOperator<H2Actor, Top, List<Document>> TOP = RetrieveOperator.of(
            new RetrieveCall<>("h2.top@1", Top.CODEC, Codecs.list(Document.CODEC)),
            H2Actor.class,
            (actor, context, top) -> actor.rows("N DESC, UTF8", top.limit()),
            (top, left, right) -> best(top, Stream.of(left, right)));

    static final List<Operator<?, ?>> ALL = List.of(COUNT, SUM, TOP);

    /** A tie is broken by id, so that the order does not depend on how rows are spread. */
    private static final Comparator<Document> LARGEST_FIRST = Comparator.comparing(H2Operators::n)
            .reversed()
            .thenComparing(row -> String.valueOf(row.fields().get(H2Actor.ID)), CodePoints.ORDER);

    private H2Operators() {}

    /** The constructor validates the parameters, because they come from the network. */
    record Top(int limit) {
        static final Codec<Top> CODEC = Codecs.of((out, top) -> out.writeInt(top.limit), in -> new Top(in.readInt()));
        private static final int LIMIT_MAX = 1_000;

        Top {
            if (limit < 1 || limit > LIMIT_MAX) {
                throw UniserveException.invalid("limit is " + limit + ": use 1 to " + LIMIT_MAX);
            }
        }
    }

    static List<Document> best(Top top, Stream<List<Document>> parts) {
        return parts.flatMap(List::stream)
                .sorted(LARGEST_FIRST)
                .limit(top.limit)
                .toList();
    }

    static long plus(long left, long right) {
        try {
            return Math.addExact(left, right);
        } catch (ArithmeticException e) {
            throw new UniserveException(ErrorCode.TOO_LARGE, "the sum is beyond 64 bits", e);
        }
    }

    private static Long n(Document row) {
        return (Long) row.fields().get(H2Actor.NUMBER);
    }
}
