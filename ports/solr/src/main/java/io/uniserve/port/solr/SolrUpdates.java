package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import java.io.IOException;
import java.util.function.BiConsumer;
import org.apache.commons.io.function.IOBiConsumer;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.update.AddUpdateCommand;
import org.apache.solr.update.DeleteUpdateCommand;

/** The update functions of the Solr port. They go to the core's update handler, past Solr's update chain and log. */
public final class SolrUpdates {
    /** Adds documents, replacing those with the same uniqueKey. */
    public static final EventualUpdate<SolrActor, Document> ADD =
            update("solr.add@1", SolrDocuments::check, SolrUpdates::add);

    /** Deletes documents by uniqueKey; other fields are ignored. */
    public static final EventualUpdate<SolrActor, Document> DELETE =
            update("solr.delete@1", SolrDocuments::id, SolrUpdates::delete);

    private SolrUpdates() {}

    private static void add(SolrQueryRequest request, Document row) throws IOException {
        AddUpdateCommand command = new AddUpdateCommand(request);
        command.solrDoc = SolrDocuments.of(row);
        request.getCore().getUpdateHandler().addDoc(command);
    }

    private static void delete(SolrQueryRequest request, Document row) throws IOException {
        DeleteUpdateCommand command = new DeleteUpdateCommand(request);
        command.setId(SolrDocuments.id(row, request.getSchema()));
        request.getCore().getUpdateHandler().delete(command);
    }

    private static EventualUpdate<SolrActor, Document> update(
            String id, BiConsumer<Document, IndexSchema> check, IOBiConsumer<SolrQueryRequest, Document> step) {
        return EventualUpdate.of(
                id,
                SolrActor.class,
                Document.CODEC,
                (actor, rows) -> actor.with("check documents", request -> {
                    rows.forEach(row -> check.accept(row, request.getSchema()));
                    return rows;
                }),
                (actor, rows) -> actor.update(request -> {
                    for (Document row : rows) {
                        step.accept(request, row);
                    }
                    return rows;
                }));
    }
}
