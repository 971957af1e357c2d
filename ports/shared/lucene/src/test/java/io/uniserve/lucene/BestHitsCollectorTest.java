package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages are those of Lucene's own sort by score and key, with scores. */
class BestHitsCollectorTest {
    private static final Sort SORT = new Sort(SortField.FIELD_SCORE, new SortField("key", SortField.Type.STRING));
    private static final TermQuery QUERY = new TermQuery(new Term("text", "word"));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 60, 1_000_000})
    void pagesAreThoseOfLucenesSort(int count) throws Exception {
        for (int seed = 0; seed < 60; seed++) {
            try (Directory directory = index(new Random(seed));
                    DirectoryReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                TopFieldDocs expected = searcher.search(QUERY, count, SORT, true);
                assertSame(BestHitsCollector.search(searcher, QUERY, "key", count), expected, "seed " + seed);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7})
    void partsThatWereSearchedAtTheSameTimeAreMerged(int count) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Directory directory = index(new Random(1));
                DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher alone = new IndexSearcher(reader);
            IndexSearcher sliced = new IndexSearcher(reader, threads) {
                @Override
                protected LeafSlice[] slices(List<LeafReaderContext> leaves) {
                    return slices(leaves, 1, 1);
                }
            };
            assertThat(reader.leaves()).hasSizeGreaterThan(1);
            assertSame(
                    BestHitsCollector.search(sliced, QUERY, "key", count),
                    alone.search(QUERY, count, SORT, true),
                    "two threads");
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void anIndexWithoutDocValuesOfTheKeyIsRefused() throws Exception {
        try (Directory directory = new ByteBuffersDirectory()) {
            Document old = new Document();
            old.add(new StringField("key", "k", Field.Store.NO));
            old.add(new TextField("text", "word", Field.Store.NO));
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
                writer.addDocument(old);
                writer.commit();
                old.add(new SortedDocValuesField("key", new BytesRef("k")));
                assertThatThrownBy(() -> writer.addDocument(old)).isInstanceOf(IllegalArgumentException.class);
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                assertThatThrownBy(() -> BestHitsCollector.search(searcher, QUERY, "key", 1))
                        .isInstanceOf(IllegalStateException.class);
            }
        }
    }

    private static void assertSame(TopDocs found, TopFieldDocs expected, String what) {
        List<List<Number>> expectedDocs = new ArrayList<>();
        for (ScoreDoc one : expected.scoreDocs) {
            expectedDocs.add(List.of(one.doc, (Float) ((FieldDoc) one).fields[0]));
        }
        List<List<Number>> docs = new ArrayList<>();
        for (ScoreDoc one : found.scoreDocs) {
            docs.add(List.of(one.doc, one.score));
        }
        assertThat(docs).as(what).isEqualTo(expectedDocs);
        assertThat(found.totalHits.value).as(what).isEqualTo(expected.totalHits.value);
    }

    /** Documents of few different lengths, so that many scores are equal, in a few segments. */
    private static Directory index(Random random) throws Exception {
        Directory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            int documents = random.nextInt(80);
            for (int i = 0; i < documents; i++) {
                String key = Integer.toString(random.nextInt(1_000_000), 36);
                Document document = new Document();
                document.add(new StringField("key", key, Field.Store.NO));
                document.add(new SortedDocValuesField("key", new BytesRef(key)));
                document.add(new TextField("text", "word" + " other".repeat(random.nextInt(3)), Field.Store.NO));
                writer.updateDocument(new Term("key", key), document);
                if (random.nextInt(15) == 0) {
                    writer.flush();
                }
            }
        }
        return directory;
    }
}
