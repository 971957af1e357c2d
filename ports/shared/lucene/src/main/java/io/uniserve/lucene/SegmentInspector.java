package io.uniserve.lucene;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SegmentReader;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.StringHelper;

/** Content of an index's segments. Stateless. */
public final class SegmentInspector {
    private SegmentInspector() {}

    /** Passes the stored fields of each live document to a consumer, in index order. */
    public static void documents(IndexReader reader, Consumer<? super Document> each) throws IOException {
        for (LeafReaderContext leaf : reader.leaves()) {
            Bits live = leaf.reader().getLiveDocs();
            StoredFields stored = leaf.reader().storedFields();
            for (int i = 0; i < leaf.reader().maxDoc(); i++) {
                if (live == null || live.get(i)) {
                    each.accept(stored.document(i));
                }
            }
        }
    }

    /** Returns the ids of the segments and their deletions: only replicas with the same files have the same ids. */
    public static String ids(IndexReader reader) {
        StringBuilder ids = new StringBuilder();
        for (LeafReaderContext leaf : reader.leaves()) {
            byte[] id = FilterLeafReader.unwrap(leaf.reader()) instanceof SegmentReader segment
                    ? segment.getSegmentInfo().getId()
                    : null;
            if (id == null) {
                throw new IllegalStateException("a segment has no id: " + leaf.reader());
            }
            ids.append(StringHelper.idToString(id))
                    .append(' ')
                    .append(leaf.reader().numDocs())
                    .append('\n');
        }
        return ids.toString();
    }

    /** Returns the number of documents per segment, including deleted ones, by the key that readers of the segment share. */
    public static Map<Object, Integer> sizes(IndexReader reader) {
        Map<Object, Integer> sizes = new HashMap<>();
        for (LeafReaderContext leaf : reader.leaves()) {
            sizes.put(leaf.reader().getCoreCacheHelper().getKey(), leaf.reader().maxDoc());
        }
        return sizes;
    }
}
