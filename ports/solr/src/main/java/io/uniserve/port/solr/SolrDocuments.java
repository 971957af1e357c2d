package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
    private SolrDocuments() {}

    /** The row's uniqueKey, a text: a number and its text would be one document to Solr but two keys to the partitioner. */
    static String id(Document row, IndexSchema schema) {
        String key = schema.getUniqueKeyField().getName();
        if (row.fields().get(key) instanceof String text
                && !text.isEmpty()
                && row.keyField().equals(key)) {
            return text;
        }
        throw invalid("document's uniqueKey \"" + key + "\" is " + row.fields().get(key) + ", its key field is \""
                + row.keyField() + "\"; key every document by \"" + key + "\", a text of its own");
    }

    /** Values go to Solr as texts, which its types parse strictly: 3000000000 or 1.5 is no int, rather than cut to one. */
    static SolrInputDocument of(Document row) {
        SolrInputDocument document = new SolrInputDocument();
        row.fields().forEach((name, value) -> {
            for (Object one : value instanceof List<?> list ? list : Arrays.asList(value)) {
                if (one != null) {
                    document.addField(name, one.toString());
                }
            }
        });
        return document;
    }

    /** Builds the Lucene document, so that indexing it later cannot fail for what is in it. */
    static void check(Document row, IndexSchema schema) {
        String where = "document \"" + id(row, schema) + "\", field \"";
        row.fields().forEach((name, value) -> {
            SchemaField field = schema.getFieldOrNull(name);
            if (field == null) {
                throw invalid(where + name + "\" is not in the schema; use one of " + known(schema));
            }
            for (Object one : value instanceof List<?> list ? list : Arrays.asList(value)) {
                check(where + name + "\"", field.getType(), one);
            }
        });
        try {
            DocumentBuilder.toDocument(of(row), schema, false, true)
                    .forEach(field -> checkSize(where + field.name() + "\"", field));
        } catch (SolrException e) {
            String message = Printable.line(e.getMessage()) + "; give the field what the schema asks for";
            throw new UniserveException(ErrorCode.INVALID_ROW, message, e);
        }
    }

    private static void check(String where, FieldType type, @Nullable Object value) {
        if (value instanceof Map || value instanceof List) {
            throw invalid(where + " is nested; flatten it into fields of its own");
        }
        String text = String.valueOf(value);
        if (type instanceof BoolField && !text.matches("true|false|null")) {
            throw invalid(where + " is \"" + text + "\"; use true or false");
        }
        if (type instanceof DateValueFieldType && text.startsWith("NOW")) {
            throw invalid(where + " depends on the clock, which differs between replicas; give the instant itself");
        }
    }

    /** Lucene refuses longer terms when it indexes, which is too late. */
    private static void checkSize(String where, IndexableField field) {
        BytesRef binary = field.binaryValue();
        String text = field.stringValue();
        int bytes = binary != null ? binary.length : text != null ? new BytesRef(text).length : 0;
        if (bytes > IndexWriter.MAX_TERM_LENGTH && !field.fieldType().tokenized()) {
            throw invalid(where + " has " + bytes + " bytes, at most " + IndexWriter.MAX_TERM_LENGTH
                    + "; use a text field for long values");
        }
    }

    private static String known(IndexSchema schema) {
        Stream<String> patterns = Arrays.stream(schema.getDynamicFields()).map(field -> field.getRegex());
        return String.join(", ", schema.getFields().keySet()) + " or " + patterns.toList();
    }

    private static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ROW, Printable.line(message));
    }
}
