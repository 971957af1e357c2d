package io.uniserve.port.lucene;

import io.uniserve.api.Document;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Found document with its score. */
public record Hit(double score, Document document) {
    static final Codec<Hit> CODEC = Codecs.of(
            (out, hit) -> {
                out.writeDouble(hit.score);
                Document.CODEC.write(out, hit.document);
            },
            in -> new Hit(in.readDouble(), Document.CODEC.read(in)));

    /** Order of hits: the best first. Ties are broken by key, so that the order does not depend on the distribution of documents. */
    private static final Comparator<Hit> BEST_FIRST = Comparator.comparingDouble(Hit::score)
            .reversed()
            .thenComparing(hit -> LuceneDocumentConverter.key(hit.document), CodePoints.ORDER);

    /** Returns the best hits of two lists. */
    static List<Hit> mergeBest(int limit, List<Hit> left, List<Hit> right) {
        return Stream.concat(left.stream(), right.stream())
                .sorted(BEST_FIRST)
                .limit(limit)
                .toList();
    }
}
