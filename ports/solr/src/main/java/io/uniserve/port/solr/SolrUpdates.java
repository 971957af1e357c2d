package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.request.SolrQueryRequestBase;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.update.AddUpdateCommand;
import org.apache.solr.update.DeleteUpdateCommand;

/** The update functions of the Solr port. They go to the core's update handler, past Solr's update chain and log. */
public final class SolrUpdates {
    /** Adds documents, replacing those with the same uniqueKey. */
    public static final EventualUpdate<SolrActor, Document> ADD =
            new Update("solr.add@1", SolrDocuments::check, SolrUpdates::add);

    /** Deletes documents by uniqueKey; other fields are ignored. */
    public static final EventualUpdate<SolrActor, Document> DELETE =
            new Update("solr.delete@1", SolrDocuments::id, SolrUpdates::delete);

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

    private interface Step {
        void run(SolrQueryRequest request, Document row) throws IOException;
    }

    private record Update(String id, BiConsumer<Document, IndexSchema> check, Step step)
            implements EventualUpdate<SolrActor, Document> {
        @Override
        public Class<SolrActor> actorType() {
            return SolrActor.class;
        }

        @Override
        public Codec<Document> rows() {
            return Document.CODEC;
        }

        @Override
        public void validate(SolrActor actor, List<Document> rows) {
            actor.with("check documents", core -> {
                rows.forEach(row -> check.accept(row, core.getLatestSchema()));
                return rows;
            });
        }

        @Override
        public void update(SolrActor actor, UpdateContext context, List<Document> rows) {
            actor.update(core -> {
                try (SolrQueryRequestBase request = new SolrQueryRequestBase(core, new ModifiableSolrParams()) {}) {
                    for (Document row : rows) {
                        step.run(request, row);
                    }
                }
                return rows;
            });
        }
    }
}
