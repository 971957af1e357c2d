package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.solr.table.FieldValueConverter;
import java.io.IOException;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.schema.NumberType;
import org.apache.solr.schema.SchemaField;
import org.apache.solr.search.SolrIndexSearcher;

/** Versions of documents in Solr's field {@code _version_}. They are derived from the log index, so all replicas have the same. */
final class DocumentVersionField {
    static final String FIELD = CommonParams.VERSION_FIELD;
    /** Result of {@link #currentVersion} for an absent document; Solr's own value. */
    static final long ABSENT = -1;

    private static final int ROW_BITS = 16;
    private static final int INDEX_BITS = 36;
    private static final int TABLE_BITS = 11;

    private DocumentVersionField() {}

    /** True if the schema has Solr's version field. */
    static boolean hasVersionField(IndexSchema schema) {
        SchemaField field = schema.getFieldOrNull(FIELD);
        return field != null
                && field.getType().getNumberType() == NumberType.LONG
                && field.hasDocValues()
                && !field.multiValued();
    }

    /** Returns the version of a row of an update: greater than 1, and unique per document. */
    static long of(long tableId, long index, int row) {
        long table = tableId & (1L << TABLE_BITS) - 1;
        return (table << INDEX_BITS | index & (1L << INDEX_BITS) - 1) << ROW_BITS | row & (1L << ROW_BITS) - 1;
    }

    /** Returns the condition of a row in Solr's terms: 0 none, negative absent, 1 any version, otherwise that version. */
    static long expectedVersion(IndexSchema schema, Document row) {
        Object value = row.fields().get(FIELD);
        if (value == null) {
            return 0;
        }
        if (!hasVersionField(schema)) {
            throw FieldValueConverter.invalid(
                    "field \"" + FIELD + "\" is not in the schema as a long of one value with docValues;"
                            + " add it to the configset, or remove it from the row");
        }
        try {
            return value instanceof Long number ? number : Long.parseLong(String.valueOf(value));
        } catch (NumberFormatException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, "field \"" + FIELD + "\" is " + value + "; give a whole number", e);
        }
    }

    /** Returns the version of the document in the newest commit; 0 without a version, {@link #ABSENT} without the document. */
    static long currentVersion(SolrQueryRequest request, String id) throws IOException {
        SolrIndexSearcher searcher = request.getSearcher();
        long found = searcher.lookupId(new BytesRef(id));
        if (found < 0) {
            return ABSENT;
        }
        NumericDocValues versions = DocValues.getNumeric(
                searcher.getLeafContexts().get((int) (found >>> 32)).reader(), FIELD);
        return hasVersionField(request.getSchema()) && versions.advanceExact((int) found) ? versions.longValue() : 0;
    }

    /** Fails with CONFLICT if the document does not have the version that a row requires. */
    static void checkVersion(String id, long wanted, long held) {
        boolean holds = wanted == 0 || (wanted < 0 ? held < 0 : held >= 0 && (wanted == 1 || wanted == held));
        if (!holds) {
            throw new UniserveException(
                    ErrorCode.CONFLICT,
                    "version conflict for \"" + id + "\" expected=" + wanted + " actual=" + held
                            + "; read the document again and retry with its version");
        }
    }
}
