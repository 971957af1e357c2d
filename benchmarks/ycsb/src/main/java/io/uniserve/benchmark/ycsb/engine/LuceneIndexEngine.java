package io.uniserve.benchmark.ycsb.engine;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareEngine;
import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Peer of the Lucene port: one index with the fields of the port's documents, and its look-up by a word of the text. The searcher is
 * refreshed without a commit, because the log before the engine has every update.
 */
final class LuceneIndexEngine implements BareEngine {
    private static final String KEY = "key";
    private static final String TEXT = "text";
    private static final String ROW = "row";

    private final FSDirectory directory;
    private final IndexWriter writer;
    private final SearcherManager searchers;

    LuceneIndexEngine(Path folder) throws IOException {
        directory = FSDirectory.open(folder.resolve("bare-index"));
        writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()));
        searchers = new SearcherManager(writer, new SearcherFactory());
    }

    @Override
    public String name() {
        return "Lucene " + org.apache.lucene.util.Version.LATEST;
    }

    @Override
    public void put(List<Document> rows) throws IOException {
        for (Document row : rows) {
            store(row);
        }
    }

    private void store(Document row) throws IOException {
        String key = DocumentProjection.key(row);
        org.apache.lucene.document.Document stored = new org.apache.lucene.document.Document();
        stored.add(new StringField(KEY, key, Field.Store.NO));
        stored.add(new SortedDocValuesField(KEY, new BytesRef(key)));
        stored.add(new TextField(TEXT, String.valueOf(row.fields().get(TEXT)), Field.Store.NO));
        stored.add(new StoredField(ROW, Document.CODEC.encode(row).toArray()));
        writer.updateDocument(new Term(KEY, key), stored);
    }

    @Override
    public void set(Document row) throws IOException {
        // The document may be one of this batch, which a searcher does not have yet.
        publish();
        for (Document old : read(DocumentProjection.key(row), List.of())) {
            store(DocumentProjection.merge(old, row));
        }
    }

    @Override
    public void delete(List<Document> rows) throws IOException {
        for (Document row : rows) {
            writer.deleteDocuments(new Term(KEY, DocumentProjection.key(row)));
        }
    }

    @Override
    public void publish() throws IOException {
        searchers.maybeRefreshBlocking();
    }

    @Override
    public List<Document> read(String key, List<String> fields) throws IOException {
        IndexSearcher searcher = searchers.acquire();
        try {
            List<Document> found = new ArrayList<>();
            for (ScoreDoc hit : searcher.search(new TermQuery(new Term(TEXT, key)), 1).scoreDocs) {
                BytesRef row = searcher.storedFields().document(hit.doc).getBinaryValue(ROW);
                found.add(DocumentProjection.project(
                        Document.CODEC.decode(Bytes.wrap(row.bytes, row.offset, row.length)), fields));
            }
            return found;
        } finally {
            searchers.release(searcher);
        }
    }

    @Override
    public List<Document> scan(String from, int limit, List<String> fields) {
        throw new UnsupportedOperationException("port lucene has no range query, so its peer answers none");
    }

    @Override
    public boolean readsInline() {
        return false;
    }

    @Override
    public void close() throws IOException {
        searchers.close();
        writer.close();
        directory.close();
    }
}
