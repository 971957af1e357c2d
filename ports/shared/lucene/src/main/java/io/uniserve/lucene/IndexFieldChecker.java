package io.uniserve.lucene;

import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/** Checks for field values that an index rejects, or would not return unchanged. Stateless. */
public final class IndexFieldChecker {
    private IndexFieldChecker() {}

    /** Returns the field of a document that is too long for a term or infinite, with the reason; null if all can be indexed. */
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
