package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.lucene.IndexFieldChecker;
import io.uniserve.port.solr.table.FieldValueConverter;
import io.uniserve.port.solr.table.UniqueKeyLocationCheck;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.handler.component.RealTimeGetComponent;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.schema.BoolField;
import org.apache.solr.schema.NumberType;
import org.apache.solr.schema.SchemaField;
import org.apache.solr.search.QParser;
import org.apache.solr.search.SyntaxError;
import org.apache.solr.update.AddUpdateCommand;
import org.apache.solr.update.DeleteUpdateCommand;
import org.apache.solr.update.DocumentBuilder;
import org.apache.solr.update.processor.AtomicUpdateDocumentMerger;
import org.jspecify.annotations.Nullable;

/** Update functions of the Solr port, without Solr's update chain and log. Rows are checked before they are logged. */
public final class SolrUpdateFunctions {
    /** Adds documents, replacing those with the same uniqueKey; an atomic update changes fields of an existing one. */
    public static final EventualUpdate<SolrActor, Document> ADD =
            new SolrUpdate("solr.add@1", SolrUpdateFunctions::checkAdd, SolrUpdateFunctions::add);
    /** The same for every actor in tables whose key field is not the uniqueKey; one actor keeps the document, the others delete it. */
    public static final EventualUpdate<SolrActor, Document> ADD_EVERYWHERE =
            new SolrUpdate("solr.add-everywhere@1", SolrUpdateFunctions::checkAdd, SolrUpdateFunctions::addOrDelete);
    /** Deletes documents by uniqueKey; other fields except the key field and {@code _version_} are ignored. */
    public static final EventualUpdate<SolrActor, Document> DELETE =
            new SolrUpdate("solr.delete@1", SolrUpdateFunctions::checkDelete, SolrUpdateFunctions::delete);
    /** Deletes documents on every actor by the uniqueKey in field {@code id}, independent of their key field. */
    public static final EventualUpdate<SolrActor, Document> DELETE_ID = update(
            "solr.delete-id@1",
            (actor, request, row) -> checkDeleteId(row),
            (actor, request, row) -> delete(actor, request, FieldValueConverter.requireId(row, "id")));
    /** Deletes the actor's documents that the query in field {@code query} finds. */
    public static final EventualUpdate<SolrActor, Document> DELETE_BY_QUERY = update(
            "solr.delete-query@1",
            (actor, request, row) -> checkQuery(request, row),
            SolrUpdateFunctions::deleteByQuery);
    /** Merges the segments of an actor's index to one, like Solr's optimize; the row is ignored. */
    public static final EventualUpdate<SolrActor, Document> OPTIMIZE =
            update("solr.optimize@1", (actor, request, row) -> {}, SolrUpdateFunctions::optimize);

    private SolrUpdateFunctions() {}

    private interface Step extends EventualUpdate.EachRow<SolrActor, SolrQueryRequest, Document> {}

    private static EventualUpdate<SolrActor, Document> update(String id, Step check, Step change) {
        return EventualUpdate.ofEach(
                id,
                SolrActor.class,
                Document.CODEC,
                SolrActor::withRequest,
                check,
                change,
                FieldValueConverter::isPartialUpdate);
    }

    private static void add(SolrActor actor, SolrQueryRequest request, Document row, long version) throws Exception {
        AddUpdateCommand command = new AddUpdateCommand(request);
        boolean change = FieldValueConverter.isPartialUpdate(row);
        if (change && actor.changed.contains(id(actor, request, row))) {
            SolrActor.readUncommitted(request);
        }
        // The row was checked, but the document to change may have been deleted since; a change alone does not create
        // one.
        boolean gone = change && !row.keyField().equals(key(request)) && currentDocument(request, row) == null;
        String why =
                gone ? "it is not under this " + row.keyField() : change ? indexingProblem(request, row, false) : null;
        if (why == null) {
            command.solrDoc = document(request, row);
            if (DocumentVersionField.hasVersionField(request.getSchema())) {
                command.solrDoc.setField(DocumentVersionField.FIELD, version);
            }
            actor.changed.add(id(actor, request, row));
            request.getCore().getUpdateHandler().addDoc(command);
        } else if (actor.context.meta().level().atomic()) {
            throw FieldValueConverter.invalid("document \"" + id(actor, request, row) + "\": " + why);
        }
    }

    private static void addOrDelete(SolrActor actor, SolrQueryRequest request, Document row, long version)
            throws Exception {
        String id = id(actor, request, row);
        if (actor.context.owns(row)) {
            add(actor, request, row, version);
        } else if (actor.changed.contains(id)
                || DocumentVersionField.currentVersion(request, id) != DocumentVersionField.ABSENT) {
            delete(actor, request, id);
        }
    }

    private static void delete(SolrActor actor, SolrQueryRequest request, Document row, long version) throws Exception {
        delete(actor, request, id(actor, request, row));
    }

    private static void delete(SolrActor actor, SolrQueryRequest request, String id) throws Exception {
        DeleteUpdateCommand command = new DeleteUpdateCommand(request);
        command.setId(id);
        actor.changed.add(command.getId());
        request.getCore().getUpdateHandler().delete(command);
    }

    private static void deleteByQuery(SolrActor actor, SolrQueryRequest request, Document row) throws Exception {
        DeleteUpdateCommand command = new DeleteUpdateCommand(request);
        command.setQuery(FieldValueConverter.requireText(row, "query"));
        actor.changed.add(command.getQuery());
        request.getCore().getUpdateHandler().deleteByQuery(command);
        SolrActor.readUncommitted(request); // makes an invalid query fail here
    }

    private static void optimize(SolrActor actor, SolrQueryRequest request, Document row) throws Exception {
        var writer = request.getCore().getSolrCoreState().getIndexWriter(request.getCore());
        try {
            actor.changed.add("");
            writer.get().forceMerge(1);
        } finally {
            writer.decref();
        }
    }

    /**
     * Returns the row's uniqueKey. The key field must be a text, to which clients convert numbers: for the partitioner both are different
     * keys.
     */
    static String id(SolrActor actor, SolrQueryRequest request, Document row) {
        FieldValueConverter.requireKey(row, actor.context.meta().keyField());
        return FieldValueConverter.requireId(row, key(request));
    }

    /** Converts a row. Values are passed to Solr as texts, which its types parse strictly: 3000000000 or 1.5 is not truncated to an int. */
    private static SolrInputDocument document(SolrQueryRequest request, Document row) throws Exception {
        SolrInputDocument document = new SolrInputDocument();
        FieldValueConverter.fields(row, name -> isWhole(request.getSchema().getFieldOrNull(name)))
                .forEach(document::setField);
        document.removeField(DocumentVersionField.FIELD);
        if (!FieldValueConverter.isPartialUpdate(row)) {
            return document;
        }
        String key = key(request);
        SolrInputDocument old = currentDocument(request, row);
        return new AtomicUpdateDocumentMerger(request)
                .merge(
                        document,
                        old == null ? new SolrInputDocument(key, FieldValueConverter.requireId(row, key)) : old);
    }

    /** Returns the document that a row changes, or null if there is none. */
    private static @Nullable SolrInputDocument currentDocument(SolrQueryRequest request, Document row)
            throws Exception {
        BytesRef id = new BytesRef(FieldValueConverter.requireId(row, key(request)));
        return RealTimeGetComponent.getInputDocument(
                request.getCore(), id, id, null, null, RealTimeGetComponent.Resolution.DOC);
    }

    private static boolean isWhole(@Nullable SchemaField field) {
        NumberType type = field == null ? null : field.getType().getNumberType();
        return type == NumberType.INTEGER || type == NumberType.LONG;
    }

    /**
     * Checks a row for addition. All actors of an update decide this equally without the document, so that none deletes a document that
     * another one refuses.
     */
    private static void checkAdd(SolrActor actor, SolrQueryRequest request, Document row) throws Exception {
        String where = "document \"" + id(actor, request, row) + "\": ";
        for (String name : row.fields().keySet()) {
            if (name.equals(DocumentVersionField.FIELD)) {
                DocumentVersionField.expectedVersion(request.getSchema(), row);
                continue;
            }
            var field = FieldValueConverter.requireKnown(
                    where, name, request.getSchema().getFieldOrNull(name));
            boolean bool = field.getType() instanceof BoolField;
            FieldValueConverter.checkValue(where, name, row, field.multiValued(), SolrConfigset.isMade(field), bool);
        }
        // If a version may be in flight, the document to change is checked when the change is prepared.
        String why = indexingProblem(
                request, row, actor.context.meta().level().atomic() && FieldValueConverter.isPartialUpdate(row));
        if (why != null) {
            throw FieldValueConverter.invalid(where + why + "; give the field a value that fits the schema");
        }
    }

    /**
     * Checks a row for deletion. A row with another document's key would be sent to an actor that does not have the document, and delete
     * nothing.
     */
    private static void checkDelete(SolrActor actor, SolrQueryRequest request, Document row) throws Exception {
        String id = id(actor, request, row);
        DocumentVersionField.expectedVersion(request.getSchema(), row);
        UniqueKeyLocationCheck.requireDocumentHere(
                actor.context, key(request), row, DocumentVersionField.currentVersion(request, id));
    }

    private static void checkDeleteId(Document row) {
        String id = FieldValueConverter.requireId(row, "id");
        if (row.fields().get(DocumentVersionField.FIELD) != null) {
            throw FieldValueConverter.invalid("deletion of \"" + id + "\" on every actor cannot depend on "
                    + DocumentVersionField.FIELD + "; delete it with its key field, by solr.delete@1");
        }
    }

    static String key(SolrQueryRequest request) {
        return request.getSchema().getUniqueKeyField().getName();
    }

    /** Returns the reason why Lucene would not index the document, or these fields alone, such as a long term; null if there is none. */
    private static @Nullable String indexingProblem(SolrQueryRequest request, Document row, boolean fields)
            throws Exception {
        try {
            return IndexFieldChecker.broken(
                    DocumentBuilder.toDocument(document(request, row), request.getSchema(), fields, true));
        } catch (SolrException e) {
            return e.getMessage();
        }
    }

    /** Refuses a query that Solr cannot parse, or that may find other documents at each replica. */
    private static void checkQuery(SolrQueryRequest request, Document row) {
        String text = FieldValueConverter.requireText(row, "query");
        try {
            SolrLanguage.refuseParts("fq=" + text.replaceAll("\\R", " "), row.keyField());
            String parsed = QParser.getParser(text, request).getQuery() + "\n" + text;
            if (parsed.matches("(?s).*(\\bNOW\\b|\\bms\\s*\\(\\s*\\)|\\bquery\\s*\\(|\\\\[a-zA-Z]|[^\")]~[0-9]"
                    + "|VectorSimilarityQuery|complexphrase.*\\w~).*")) {
                throw new SyntaxError("NOW, ms(), query(), escapes, fuzzy terms and near vectors vary by replica");
            }
        } catch (SyntaxError | SolrException e) {
            throw FieldValueConverter.invalid(
                    "field \"query\": " + e.getMessage() + "; give it a query in Solr's syntax");
        }
    }
}
