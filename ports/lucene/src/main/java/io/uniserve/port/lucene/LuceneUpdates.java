package io.uniserve.port.lucene;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import org.apache.lucene.index.Term;

/** Update functions of the Lucene port. */
public final class LuceneUpdates {
    /** Stores documents, replacing those with the same key. */
    public static final EventualUpdate<LuceneActor, Document> PUT = EventualUpdate.of(
            "lucene.put@1",
            LuceneActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(row -> LuceneDocuments.check(actor, row)),
            (actor, rows) -> actor.change("store documents", writer -> {
                for (Document row : rows) {
                    writer.updateDocument(term(row), LuceneDocuments.of(actor, row));
                }
            }));

    /** Deletes documents by key; other fields are ignored. */
    public static final EventualUpdate<LuceneActor, Document> DELETE = EventualUpdate.of(
            "lucene.delete@1",
            LuceneActor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(LuceneDocuments::key),
            (actor, rows) -> actor.change("delete documents", writer -> {
                for (Document row : rows) {
                    writer.deleteDocuments(term(row));
                }
            }));

    private LuceneUpdates() {}

    private static Term term(Document row) {
        return new Term(LuceneDocuments.KEY, LuceneDocuments.key(row));
    }
}
