package io.uniserve.lucene;

import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/** What an index does not take, or would not give back as it came. Stateless. */
public final class FieldLimits {
    private FieldLimits() {}

    /** Says which field of a document is too long for a term, or infinite, and why; null where all can be indexed. */
    public static @Nullable String broken(Iterable<? extends IndexableField> document) {
        for (IndexableField field : document) {
            BytesRef binary = field.binaryValue();
            String text = field.stringValue();
            int bytes = binary != null ? binary.length : text != null ? new BytesRef(text).length : 0;
            if (bytes > IndexWriter.MAX_TERM_LENGTH && !field.fieldType().tokenized()) {
                return "field \"" + field.name() + "\" has " + bytes + " bytes, at most " + IndexWriter.MAX_TERM_LENGTH;
            }
            if (String.valueOf(field.numericValue()).endsWith("Infinity")) {
                return "field \"" + field.name() + "\" is beyond its type's range";
            }
        }
        return null;
    }
}
