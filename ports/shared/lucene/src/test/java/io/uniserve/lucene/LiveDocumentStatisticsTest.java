package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MultiPhraseQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SynonymQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;

/** Copies that merged at different times, and one that never had a deletion, give each document the same score to the last bit. */
class LiveDocumentStatisticsTest {
    private static final int WORDS = 9;
    private static final List<Query> QUERIES = List.of(
            term(0),
            term(8),
            new BooleanQuery.Builder()
                    .add(term(0), Occur.SHOULD)
                    .add(new BoostQuery(term(3), 0.37f), Occur.SHOULD)
                    .add(term(5), Occur.SHOULD)
                    .add(new BoostQuery(term(7), 11.3f), Occur.SHOULD)
                    .build(),
            new BooleanQuery.Builder()
                    .add(term(1), Occur.MUST)
                    .add(term(2), Occur.MUST)
                    .add(term(6), Occur.SHOULD)
                    .add(term(8), Occur.SHOULD)
                    .build(),
            new BooleanQuery.Builder()
                    .add(term(0), Occur.SHOULD)
                    .add(term(4), Occur.SHOULD)
                    .add(term(6), Occur.SHOULD)
                    .setMinimumNumberShouldMatch(2)
                    .build(),
            new DisjunctionMaxQuery(List.of(term(2), term(5), term(7)), 0.3f),
            new PhraseQuery(1, "text", "w1", "w2"),
            new SynonymQuery.Builder("text")
                    .addTerm(new Term("text", "w7"))
                    .addTerm(new Term("text", "w8"))
                    .addTerm(new Term("text", "rare"))
                    .build(),
            new MultiPhraseQuery.Builder()
                    .add(new Term("text", "w1"))
                    .add(new Term[] {new Term("text", "w2"), new Term("text", "rare")})
                    .build(),
            new TermQuery(new Term("tag", "t1")));

    private static Query term(int word) {
        return new TermQuery(new Term("text", "w" + word));
    }

    @Test
    void scoresDependOnTheLivingDocumentsAlone() throws Exception {
        int compared = 0;
        for (int seed = 0; seed < 4; seed++) {
            Map<String, String> living = new TreeMap<>();
            try (Directory often = replaced(seed, true, living);
                    Directory never = replaced(seed, false, living);
                    Directory fresh = fresh(living);
                    DirectoryReader first = DirectoryReader.open(often);
                    DirectoryReader second = DirectoryReader.open(never);
                    DirectoryReader plain = DirectoryReader.open(fresh)) {
                assertThat(second.numDeletedDocs()).isPositive();
                for (Query query : QUERIES) {
                    Map<String, Integer> expected = scores(new IndexSearcher(plain), query);
                    assertThat(scores(given(first), query))
                            .as("merged, seed %s, %s", seed, query)
                            .isEqualTo(expected);
                    assertThat(scores(given(second), query))
                            .as("never merged, seed %s, %s", seed, query)
                            .isEqualTo(expected);
                    assertThat(fingerprint(first, query)).isEqualTo(fingerprint(second, query));
                    compared += expected.size();
                }
            }
        }
        assertThat(compared).isGreaterThan(500);
    }

    @Test
    void lucenesOwnStatisticsCountTheDeleted() throws Exception {
        Map<String, String> living = new TreeMap<>();
        try (Directory index = replaced(1, false, living);
                DirectoryReader reader = DirectoryReader.open(index);
                Directory fresh = fresh(living);
                DirectoryReader plain = DirectoryReader.open(fresh)) {
            assertThat(scores(new IndexSearcher(reader), term(0)))
                    .isNotEqualTo(scores(new IndexSearcher(plain), term(0)));
            QueryTermStatistics own =
                    QueryTermStatistics.of(term(0), reader, IndexSearcher.getDefaultSimilarity(), null, List.of());
            assertThat(own.fingerprint()).isNotEqualTo(fingerprint(reader, term(0)));
        }
    }

    private static long fingerprint(DirectoryReader reader, Query query) throws IOException {
        return QueryTermStatistics.of(
                        query,
                        reader,
                        IndexSearcher.getDefaultSimilarity(),
                        new LiveDocumentStatistics(reader),
                        List.of("text", "none"))
                .fingerprint();
    }

    private static IndexSearcher given(DirectoryReader reader) {
        return new ExternalStatisticsSearcher(
                reader, IndexSearcher.getDefaultSimilarity(), new LiveDocumentStatistics(reader), query -> false);
    }

    /** The bits of each document's score, by key. */
    private static Map<String, Integer> scores(IndexSearcher searcher, Query query) throws IOException {
        Map<String, Integer> scores = new TreeMap<>();
        for (ScoreDoc hit : BestHitsCollector.search(searcher, query, "key", 1_000).scoreDocs) {
            scores.put(searcher.storedFields().document(hit.doc).get("key"), Float.floatToIntBits(hit.score));
        }
        return scores;
    }

    private static Directory replaced(int seed, boolean merges, Map<String, String> living) throws IOException {
        Random random = new Random(seed);
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        if (!merges) {
            config.setMergePolicy(NoMergePolicy.INSTANCE);
        }
        living.clear();
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int round = 0; round < 14; round++) {
                for (int i = 0; i < 16; i++) {
                    String key = "k" + random.nextInt(120);
                    if (random.nextInt(6) == 0) {
                        writer.deleteDocuments(new Term("key", key));
                        living.remove(key);
                    } else {
                        String text = text(random);
                        writer.updateDocument(new Term("key", key), document(key, text));
                        living.put(key, text);
                    }
                }
                writer.commit();
            }
            if (merges && seed % 2 == 0) {
                writer.forceMerge(2);
            }
            // The word is in a deleted document only, where it is still in the index at all.
            writer.updateDocument(new Term("key", "gone"), document("gone", "w1 rare"));
            writer.commit();
            writer.deleteDocuments(new Term("key", "gone"));
        }
        return directory;
    }

    private static Directory fresh(Map<String, String> living) throws IOException {
        Directory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            for (Map.Entry<String, String> one : living.entrySet()) {
                writer.addDocument(document(one.getKey(), one.getValue()));
            }
        }
        return directory;
    }

    /** Now and then longer than norms tell exactly; some have no words at all. */
    private static String text(Random random) {
        List<String> words = new ArrayList<>();
        int count = random.nextInt(8) == 0 ? 60 + random.nextInt(90) : random.nextInt(12);
        for (int i = 0; i < count; i++) {
            int word = Math.min(random.nextInt(WORDS), random.nextInt(WORDS));
            words.add("w" + word);
        }
        return String.join(" ", words);
    }

    private static Document document(String key, String text) {
        Document document = new Document();
        document.add(new StringField("key", key, Field.Store.YES));
        document.add(new SortedDocValuesField("key", new BytesRef(key)));
        document.add(new TextField("text", text, Field.Store.NO));
        if (text.length() % 3 == 0) {
            document.add(new StringField("tag", "t" + text.length() % 2, Field.Store.NO));
            document.add(new StringField("tag", "all", Field.Store.NO));
        }
        return document;
    }
}
