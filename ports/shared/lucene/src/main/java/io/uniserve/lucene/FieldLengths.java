package io.uniserve.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.packed.PackedInts;

/**
 * Lengths of one field in each document of a segment: the number of its tokens and of its distinct terms. They are computed from the
 * postings, because norms are rounded. One pass over the field's postings computes them, and they are cached as long as the segment is
 * open. Immutable and thread-safe.
 */
final class FieldLengths {
    private static final Map<IndexReader.CacheKey, Map<String, FieldLengths>> OF_SEGMENTS = new ConcurrentHashMap<>();
    private static final Map<IndexReader.CacheKey, Map<String, Sums>> OF_DELETED = new ConcurrentHashMap<>();

    private final PackedInts.Mutable tokens;
    private final PackedInts.Mutable terms;

    /** Sums over documents: those with the field, their tokens, and their distinct terms. */
    record Sums(long documents, long tokens, long terms) {}

    private FieldLengths(int[] tokens, int[] terms) {
        this.tokens = packed(tokens);
        this.terms = packed(terms);
    }

    /** Returns sums over the segment's deleted documents, computed once per set of deletions. */
    static Sums deleted(LeafReader segment, String field, Terms all, Bits live) throws IOException {
        try {
            return kept(OF_DELETED, segment.getReaderCacheHelper())
                    .computeIfAbsent(field, name -> of(segment, name, all).deleted(live));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static FieldLengths of(LeafReader segment, String field, Terms all) {
        return kept(OF_SEGMENTS, segment.getCoreCacheHelper()).computeIfAbsent(field, name -> walk(segment, all));
    }

    private static <T> Map<String, T> kept(
            Map<IndexReader.CacheKey, Map<String, T>> byOwner, IndexReader.CacheHelper owner) {
        return byOwner.computeIfAbsent(Objects.requireNonNull(owner).getKey(), key -> {
            owner.addClosedListener(byOwner::remove);
            return new ConcurrentHashMap<>();
        });
    }

    private static FieldLengths walk(LeafReader segment, Terms all) {
        int[] tokens = new int[segment.maxDoc()];
        int[] terms = new int[segment.maxDoc()];
        try {
            TermsEnum each = all.iterator();
            PostingsEnum postings = null;
            while (each.next() != null) {
                postings = each.postings(postings, PostingsEnum.FREQS);
                for (int doc = postings.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = postings.nextDoc()) {
                    tokens[doc] += postings.freq();
                    terms[doc]++;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FieldLengths(tokens, terms);
    }

    private static PackedInts.Mutable packed(int[] values) {
        int bits = PackedInts.bitsRequired(IntStream.of(values).max().orElse(0));
        PackedInts.Mutable packed = PackedInts.getMutable(values.length, bits, PackedInts.COMPACT);
        for (int i = 0; i < values.length; i++) {
            packed.set(i, values[i]);
        }
        return packed;
    }

    private Sums deleted(Bits live) {
        long documents = 0;
        long allTokens = 0;
        long allTerms = 0;
        for (int doc = 0; doc < tokens.size(); doc++) {
            if (!live.get(doc)) {
                documents += terms.get(doc) > 0 ? 1 : 0;
                allTokens += tokens.get(doc);
                allTerms += terms.get(doc);
            }
        }
        return new Sums(documents, allTokens, allTerms);
    }
}
