package io.uniserve.port.lucene;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.lucene.BestHitsCollector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.util.QueryBuilder;

/** The operators of the Lucene port. */
public final class LuceneOperators {
    private static final Codec<List<Hit>> HITS = Codecs.list(Hit.CODEC);

    /** Counts the documents with these words in sequence. */
    public static final RetrieveOperator<LuceneActor, String, Long> COUNT = RetrieveOperator.of(
            new RetrieveCall<>("lucene.count@1", Codecs.STRING, Codecs.LONG),
            LuceneActor.class,
            (actor, context, words) ->
                    actor.search("count", context, searcher -> (long) searcher.count(Phrase.query(words, 0))),
            (words, left, right) -> left + right);

    /** Returns the best documents with these words in sequence, or near each other. */
    public static final RetrieveOperator<LuceneActor, Phrase, List<Hit>> PHRASE = RetrieveOperator.of(
            new RetrieveCall<>("lucene.phrase@1", Phrase.CODEC, HITS),
            LuceneActor.class,
            LuceneOperators::phrase,
            (phrase, left, right) -> Hit.mergeBest(phrase.limit, left, right));

    /** Returns the documents with the vectors nearest to a vector. */
    public static final RetrieveOperator<LuceneActor, Near, List<Hit>> NEAR = RetrieveOperator.of(
            new RetrieveCall<>("lucene.near@1", Near.CODEC, HITS),
            LuceneActor.class,
            LuceneOperators::near,
            (near, left, right) -> Hit.mergeBest(near.limit, left, right));

    static final List<Operator<?, ?>> ALL = List.of(COUNT, PHRASE, NEAR);

    private LuceneOperators() {}

    /**
     * Parameters of {@link #PHRASE}.
     *
     * @param slop number of positions by which words may be displaced; 0 for an exact phrase
     */
    public record Phrase(String words, int slop, int limit) {
        static final Codec<Phrase> CODEC = Codecs.of(
                (out, phrase) ->
                        out.writeString(phrase.words).writeInt(phrase.slop).writeInt(phrase.limit),
                in -> new Phrase(in.readString(), in.readInt(), in.readInt()));

        public Phrase {
            checkRange("slop", slop, 0, 1_000);
            checkRange("limit", limit, 1, 10_000);
        }

        static Query query(String words, int slop) {
            Query query = new QueryBuilder(new StandardAnalyzer())
                    .createPhraseQuery(LuceneDocumentConverter.TEXT, words, slop);
            return query == null ? new MatchNoDocsQuery("no words") : query;
        }
    }

    /** Parameters of {@link #NEAR}. */
    public record Near(List<Double> vector, int limit) {
        private static final Codec<List<Double>> VECTOR = Codecs.list(Codecs.DOUBLE);
        static final Codec<Near> CODEC = Codecs.of(
                (out, near) -> {
                    VECTOR.write(out, near.vector);
                    out.writeInt(near.limit);
                },
                in -> new Near(VECTOR.read(in), in.readInt()));

        public Near {
            vector = List.copyOf(vector);
            checkRange("limit", limit, 1, 10_000);
        }

        float[] floats(int dimensions) {
            checkRange("length of the vector", vector.size(), dimensions, dimensions);
            float[] floats = new float[dimensions];
            for (int i = 0; i < dimensions; i++) {
                floats[i] = vector.get(i).floatValue();
                if (!Float.isFinite(floats[i])) {
                    throw UniserveException.invalid("number " + i + " of the vector is " + vector.get(i));
                }
            }
            return floats;
        }
    }

    private static void checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw UniserveException.invalid(name + " is " + value + ": use " + min + " to " + max);
        }
    }

    private static List<Hit> phrase(LuceneActor actor, OperatorContext context, Phrase phrase) {
        Query query = Phrase.query(phrase.words, phrase.slop);
        return actor.search("find a phrase", context, searcher -> top(searcher, query, phrase.limit, context));
    }

    private static List<Hit> near(LuceneActor actor, OperatorContext context, Near near) {
        if (actor.dimensions() == 0) {
            throw UniserveException.unsupported("this table has no vectors: create it with option dimensions");
        }
        float[] vector = near.floats(actor.dimensions());
        Query query = new KnnFloatVectorQuery(LuceneDocumentConverter.VECTOR, vector, near.limit);
        return actor.search("find near vectors", context, searcher -> top(searcher, query, near.limit, context));
    }

    private static List<Hit> top(IndexSearcher searcher, Query query, int limit, OperatorContext context)
            throws IOException {
        List<Hit> hits = new ArrayList<>();
        for (ScoreDoc found : BestHitsCollector.search(searcher, query, LuceneDocumentConverter.KEY, limit).scoreDocs) {
            context.checkActive();
            hits.add(new Hit(found.score, LuceneDocumentConverter.row(searcher, found.doc)));
        }
        return Hit.mergeBest(limit, hits, List.of());
    }
}
