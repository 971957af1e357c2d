package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Map;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.schema.BoolField;
import org.apache.solr.schema.DateValueFieldType;
import org.apache.solr.schema.FieldType;
import org.apache.solr.schema.IndexSchema;
import org.apache.solr.schema.SchemaField;
import org.apache.solr.update.DocumentBuilder;
import org.jspecify.annotations.Nullable;

/** Rows as Solr's documents, and what makes a row unfit. Errors are INVALID_ROW and name document, field and remedy. */
final class SolrDocuments {
    private static final int QUOTE_CHARS_MAX = 60;

    private SolrDocuments() {}

    /** The row's uniqueKey, a text: a number and its text would be one document to Solr but two keys to the partitioner. */
    static String id(Document row, IndexSchema schema) {
        String key = schema.getUniqueKeyField().getName();
        Object id = row.fields().get(key);
        if (!(id instanceof String text) || text.isEmpty()) {
            throw invalid("document's uniqueKey \"" + key + "\" " + (id == null ? "is missing" : "is " + quote(id))
                    + "; give every document a text that is its own");
        }
        if (!row.keyField().equals(key)) {
            throw invalid("document " + quote(text) + " is keyed by \"" + row.keyField() + "\"; use \"" + key + "\"");
        }
        return text;
    }

    /** Values go to Solr as texts, which its types parse strictly: 3000000000 or 1.5 is no int, rather than cut to one. */
    static SolrInputDocument of(Document row) {
        SolrInputDocument document = new SolrInputDocument();
        row.fields().forEach((name, value) -> {
            if (value instanceof List<?> list) {
                list.stream().filter(v -> v != null).forEach(v -> document.addField(name, v.toString()));
            } else if (value != null) {
                document.addField(name, value.toString());
            }
        });
        return document;
    }

    /** Builds the Lucene document, so that indexing it later cannot fail for what is in it. */
    static void check(Document row, IndexSchema schema) {
        String where = "document " + quote(id(row, schema)) + ", field \"";
        row.fields().forEach((name, value) -> {
            SchemaField field = schema.getFieldOrNull(name);
            if (field == null) {
                throw invalid(where + name + "\" is not in the schema; use one of " + known(schema));
            }
            if (value instanceof List<?> list) {
                list.forEach(element -> check(where + name + "\"", field.getType(), element));
            } else {
                check(where + name + "\"", field.getType(), value);
            }
        });
        try {
            for (IndexableField field : DocumentBuilder.toDocument(of(row), schema, false, true)) {
                checkSize(where + field.name() + "\"", field);
            }
        } catch (SolrException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, SolrFailure.message(e) + "; give the field what the schema asks for", e);
        }
    }

    private static void check(String where, FieldType type, @Nullable Object value) {
        if (value instanceof Map || value instanceof List) {
            throw invalid(where + " is nested; flatten it into fields of its own");
        }
        if (type instanceof BoolField && !(value == null || value.toString().matches("(?i)true|false"))) {
            throw invalid(where + " is " + quote(value) + "; use true or false");
        }
        if (type instanceof DateValueFieldType
                && value != null
                && value.toString().startsWith("NOW")) {
            throw invalid(where + " depends on the clock, which differs between replicas; give the instant itself");
        }
    }

    /** Lucene refuses longer terms when it indexes, which is too late. */
    private static void checkSize(String where, IndexableField field) {
        if (!field.fieldType().tokenized()) {
            BytesRef binary = field.binaryValue();
            String text = field.stringValue();
            int bytes = binary != null ? binary.length : text == null ? 0 : new BytesRef(text).length;
            if (bytes > IndexWriter.MAX_TERM_LENGTH) {
                throw invalid(where + " has " + bytes + " bytes, at most " + IndexWriter.MAX_TERM_LENGTH
                        + "; use a text field for long values");
            }
        }
    }

    private static String known(IndexSchema schema) {
        StringBuilder names = new StringBuilder(
                String.join(", ", schema.getFields().keySet().stream().sorted().toList()));
        for (IndexSchema.DynamicField field : schema.getDynamicFields()) {
            names.append(", ").append(field.getRegex());
        }
        return names.toString();
    }

    private static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, message);
    }

    private static String quote(@Nullable Object value) {
        String text = String.valueOf(value).replaceAll("\\p{Cntrl}", "?");
        return '"' + (text.length() > QUOTE_CHARS_MAX ? text.substring(0, QUOTE_CHARS_MAX) + "..." : text) + '"';
    }
}
