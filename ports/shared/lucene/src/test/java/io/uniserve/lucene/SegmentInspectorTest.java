package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.Test;

class SegmentInspectorTest {
    @Test
    void documentsWithoutThoseThatAreDeletedAndSizesWithThem() throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setMergePolicy(NoMergePolicy.INSTANCE);
        try (Directory directory = new ByteBuffersDirectory();
                IndexWriter writer = new IndexWriter(directory, config)) {
            add(writer, "a", "b", "c");
            try (DirectoryReader before = DirectoryReader.open(writer)) {
                writer.deleteDocuments(new Term("key", "b"));
                add(writer, "d");
                try (DirectoryReader now = DirectoryReader.open(writer)) {
                    assertThat(keys(before)).containsExactly("a", "b", "c");
                    assertThat(keys(now)).containsExactly("a", "c", "d");
                    assertThat(SegmentInspector.sizes(before).values()).containsExactly(3);
                    assertThat(SegmentInspector.sizes(now).values()).containsExactlyInAnyOrder(3, 1);
                    assertThat(SegmentInspector.sizes(now)).containsAllEntriesOf(SegmentInspector.sizes(before));
                }
            }
        }
    }

    private static void add(IndexWriter writer, String... keys) throws Exception {
        for (String key : keys) {
            Document document = new Document();
            document.add(new StringField("key", key, Field.Store.YES));
            writer.addDocument(document);
        }
        writer.flush();
    }

    private static List<String> keys(DirectoryReader reader) throws Exception {
        List<String> keys = new ArrayList<>();
        SegmentInspector.documents(reader, document -> keys.add(document.get("key")));
        return keys;
    }
}
