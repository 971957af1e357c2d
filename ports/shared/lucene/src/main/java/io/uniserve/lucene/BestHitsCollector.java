package io.uniserve.lucene;

import java.io.IOException;
import java.util.Collection;
import java.util.Objects;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopDocsCollector;
import org.jspecify.annotations.Nullable;

/**
 * Collector of the first documents by score, and by key for equal scores. Every replica and every actor has this order, while Lucene's own
 * depends on the order of insertion. Lucene's sort by two fields has the same result, but reads the key of each competitive document and
 * computes scores again. This collector reads keys only for documents of two segments with equal scores. All matching documents are
 * counted. For one search by one thread.
 */
public final class BestHitsCollector extends TopDocsCollector<KeyedHit> implements LeafCollector {
    private final String key;
    private float least = Float.NEGATIVE_INFINITY;
    private @Nullable SortedDocValues keys;
    private @Nullable Scorable scorer;
    private int base;

    /**
     * Collects at most {@code count} documents of an index.
     *
     * @param key a field with sorted doc values in every document; a search fails at a document without
     * @param count at least 1; memory is allocated for this many, or for all documents if these are fewer
     */
    public BestHitsCollector(String key, int count, IndexSearcher searcher) {
        super(KeyedHit.queue(
                Math.max(1, Math.min(count, searcher.getIndexReader().maxDoc()))));
        this.key = key;
    }

    /** Searches on the caller's thread, or on the searcher's executor if it has one. */
    public static TopDocs search(IndexSearcher searcher, Query query, String key, int count) throws IOException {
        return searcher.search(query, new CollectorManager<BestHitsCollector, TopDocs>() {
            @Override
            public BestHitsCollector newCollector() {
                return new BestHitsCollector(key, count, searcher);
            }

            @Override
            public TopDocs reduce(Collection<BestHitsCollector> parts) {
                BestHitsCollector all = newCollector();
                parts.forEach(all::add);
                return all.topDocs();
            }
        });
    }

    private void add(BestHitsCollector part) {
        part.pq.forEach(pq::insertWithOverflow);
        totalHits += part.totalHits;
    }

    @Override
    public ScoreMode scoreMode() {
        return ScoreMode.COMPLETE;
    }

    @Override
    public LeafCollector getLeafCollector(LeafReaderContext leaf) throws IOException {
        keys = DocValues.getSorted(leaf.reader(), key);
        base = leaf.docBase;
        return this;
    }

    @Override
    public void setScorer(Scorable scorer) {
        this.scorer = scorer;
    }

    @Override
    public void collect(int doc) throws IOException {
        totalHits++;
        float score = Objects.requireNonNull(scorer).score();
        if (score >= least) {
            if (!Objects.requireNonNull(keys).advanceExact(doc)) {
                throw new IllegalStateException("document " + (base + doc) + " has no doc value for field " + key);
            }
            KeyedHit last = pq.insertWithOverflow(new KeyedHit(base + doc, score, keys, keys.ordValue()));
            least = last == null ? least : pq.top().score;
        }
    }
}
