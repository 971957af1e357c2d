package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Codec;
import io.uniserve.port.solr.table.FieldValueConverter;
import io.uniserve.port.solr.table.UniqueKeyLocationCheck;
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
    public boolean readsActor(Document row) {
        return FieldValueConverter.isPartialUpdate(row);
    }

    @Override
    public boolean isConditional(Document row) {
        boolean mayBeElsewhere =
                deletes() ? !row.keyField().equals("id") : BroadcastUpdate.isBroadcast(id) && readsActor(row);
        return mayBeElsewhere || row.fields().get(DocumentVersionField.FIELD) != null;
    }

    private boolean deletes() {
        return id.equals(SolrUpdateFunctions.DELETE.id());
    }

    @Override
    public void validate(SolrActor actor, List<Document> rows) {
        actor.withRequest("check rows", request -> {
            Map<String, Long> left = new HashMap<>();
            for (Document row : rows) {
                check.take(actor, request, row);
                checkCondition(actor, request, row, left);
            }
            return rows;
        });
    }

    /** Checks a row against the result of the rows before it: a document with an unknown version, or none. */
    private void checkCondition(SolrActor actor, SolrQueryRequest request, Document row, Map<String, Long> left)
            throws Exception {
        String key = SolrUpdateFunctions.id(actor, request, row);
        long wanted = DocumentVersionField.expectedVersion(request.getSchema(), row);
        if (!deletes()) {
            UniqueKeyLocationCheck.requireAllowedHere(id, actor.context, SolrUpdateFunctions.key(request), row, wanted);
        }
        boolean everywhere = BroadcastUpdate.isBroadcast(id);
        boolean change = everywhere && readsActor(row);
        if (wanted != 0 || change) {
            Long known = left.get(key);
            long held = known == null ? DocumentVersionField.currentVersion(request, key) : known;
            if (change && !actor.context.meta().level().atomic()) { // otherwise checked when the change is prepared
                UniqueKeyLocationCheck.requireDocumentHere(actor.context, SolrUpdateFunctions.key(request), row, held);
            }
            DocumentVersionField.checkVersion(key, wanted, held);
        }
        left.put(key, deletes() || (everywhere && !actor.context.owns(row)) ? DocumentVersionField.ABSENT : 0L);
    }

    @Override
    public void update(SolrActor actor, UpdateContext context, List<Document> rows) {
        actor.withRequest("update rows", request -> {
            for (int i = 0; i < rows.size(); i++) {
                long version = DocumentVersionField.of(actor.context.meta().tableId(), context.index(), i);
                step.take(actor, request, rows.get(i), version);
            }
            return rows;
        });
    }
}
