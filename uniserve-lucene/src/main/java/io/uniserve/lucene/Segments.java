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

/** What is in an index's segments. Stateless. */
public final class Segments {
    private Segments() {}

    /** Gives the stored fields of each document that is not deleted, in the index's own order. */
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

    /** Names the segments and the deletions in them: only copies of the same files have the same names. */
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

    /** The documents of each segment, deleted ones too, by what readers of the same segment have in common. */
    public static Map<Object, Integer> sizes(IndexReader reader) {
        Map<Object, Integer> sizes = new HashMap<>();
        for (LeafReaderContext leaf : reader.leaves()) {
            sizes.put(leaf.reader().getCoreCacheHelper().getKey(), leaf.reader().maxDoc());
        }
        return sizes;
    }
}
