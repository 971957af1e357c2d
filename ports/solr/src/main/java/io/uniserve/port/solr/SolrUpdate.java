package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.extra.EverywhereForm;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import io.uniserve.port.solr.table.FieldValues;
import io.uniserve.port.solr.table.RowPlaces;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.solr.request.SolrQueryRequest;

/** Update of documents by their uniqueKey, with the condition in a row's {@code _version_}. */
record SolrUpdate(String id, Check check, Step step) implements EventualUpdate<SolrActor, Document> {
    /** Check of a row by itself. */
    interface Check {
        void take(SolrActor actor, SolrQueryRequest request, Document row) throws Exception;
    }

    /** Application of a row, which gives its document this version. */
    interface Step {
        void take(SolrActor actor, SolrQueryRequest request, Document row, long version) throws Exception;
    }

    @Override
    public Class<SolrActor> actorType() {
        return SolrActor.class;
    }

    @Override
    public Codec<Document> rows() {
        return Document.CODEC;
    }

    @Override
    public boolean reads(Document row) {
        return FieldValues.isChange(row);
    }

    @Override
    public boolean conditional(Document row) {
        boolean mayBeElsewhere = deletes() ? !row.keyField().equals("id") : EverywhereForm.is(id) && reads(row);
        return mayBeElsewhere || row.fields().get(DocumentVersions.FIELD) != null;
    }

    private boolean deletes() {
        return id.equals(SolrUpdates.DELETE.id());
    }

    @Override
    public void validate(SolrActor actor, List<Document> rows) {
        actor.with("check rows", request -> {
            Map<String, Long> left = new HashMap<>();
            for (Document row : rows) {
                check.take(actor, request, row);
                condition(actor, request, row, left);
            }
            return rows;
        });
    }

    /** Checks a row against the result of the rows before it: a document with an unknown version, or none. */
    private void condition(SolrActor actor, SolrQueryRequest request, Document row, Map<String, Long> left)
            throws Exception {
        String key = SolrUpdates.id(actor, request, row);
        long wanted = DocumentVersions.wanted(request.getSchema(), row);
        if (!deletes()) {
            RowPlaces.require(id, actor.home, SolrUpdates.key(request), row, wanted);
        }
        boolean everywhere = EverywhereForm.is(id);
        boolean change = everywhere && reads(row);
        if (wanted != 0 || change) {
            Long known = left.get(key);
            long held = known == null ? DocumentVersions.held(request, key) : known;
            if (change && !actor.home.meta().level().atomic()) { // otherwise checked when the change is prepared
                RowPlaces.requireHere(actor.home, SolrUpdates.key(request), row, held);
            }
            DocumentVersions.require(key, wanted, held);
        }
        left.put(key, deletes() || (everywhere && !actor.home.owns(row)) ? DocumentVersions.ABSENT : 0L);
    }

    @Override
    public void update(SolrActor actor, UpdateContext context, List<Document> rows) {
        actor.with("update rows", request -> {
            for (int i = 0; i < rows.size(); i++) {
                long version = DocumentVersions.of(actor.home.meta().tableId(), context.index(), i);
                step.take(actor, request, rows.get(i), version);
            }
            return rows;
        });
    }
}
