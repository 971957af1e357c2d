package io.uniserve.port.lucene;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import org.apache.lucene.index.Term;

/** Update functions of the Lucene port. */
public final class LuceneUpdateFunctions {
    /** Stores documents, replacing those with the same key. */
    public static final EventualUpdate<LuceneActor, Document> PUT = EventualUpdate.of(
            "lucene.put@1",
            LuceneActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(row -> LuceneDocumentConverter.check(actor, row)),
            (actor, rows) -> actor.change("store documents", writer -> {
                for (Document row : rows) {
                    writer.updateDocument(term(row), LuceneDocumentConverter.of(actor, row));
                }
            }));

    /** Deletes documents by key; other fields are ignored. */
    public static final EventualUpdate<LuceneActor, Document> DELETE = EventualUpdate.of(
            "lucene.delete@1",
            LuceneActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(LuceneDocumentConverter::key),
            (actor, rows) -> actor.change("delete documents", writer -> {
                for (Document row : rows) {
                    writer.deleteDocuments(term(row));
                }
            }));

    private LuceneUpdateFunctions() {}

    private static Term term(Document row) {
        return new Term(LuceneDocumentConverter.KEY, LuceneDocumentConverter.key(row));
    }
}
