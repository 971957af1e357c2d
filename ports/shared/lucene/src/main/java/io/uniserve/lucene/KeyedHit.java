package io.uniserve.lucene;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.PriorityQueue;

/** Matching document with its score and the position of its key. */
public final class KeyedHit extends ScoreDoc {
    private final SortedDocValues keys;
    private final int ordinal;

    KeyedHit(int doc, float score, SortedDocValues keys, int ordinal) {
        super(doc, score);
        this.keys = keys;
        this.ordinal = ordinal;
    }

    /** Creates a queue of this many first hits, with the last of them on top. */
    static PriorityQueue<KeyedHit> queue(int count) {
        return new PriorityQueue<>(count) {
            @Override
            protected boolean lessThan(KeyedHit a, KeyedHit b) {
                return a.score == b.score ? a.hasLaterKey(b) : a.score < b.score;
            }
        };
    }

    private boolean hasLaterKey(KeyedHit other) {
        if (keys == other.keys) {
            return ordinal > other.ordinal;
        }
        try {
            BytesRef own = BytesRef.deepCopyOf(keys.lookupOrd(ordinal));
            return own.compareTo(other.keys.lookupOrd(other.ordinal)) > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
