package io.uniserve.port.lucene;

import io.uniserve.api.ContentDigest;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.lucene.SegmentInspector;
import io.uniserve.model.PartitionKey;
import java.io.IOException;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of rows to Lucene documents: the key, the analyzed {@code text}, the {@code vector}, and the whole row as received, which
 * queries return and the digest covers.
 */
final class LuceneDocumentConverter {
    static final String KEY = "key";
    static final String TEXT = "text";
    static final String VECTOR = "vector";
    private static final String ROW = "row";

    private LuceneDocumentConverter() {}

    /** Refuses rows that {@link #of} could not convert for this actor. */
    static void check(LuceneActor actor, io.uniserve.api.Document row) {
        String key = key(row);
        if (!(row.fields().get(TEXT) instanceof String)) {
            throw invalid(key, "field \"text\" must be a text");
        }
        if (actor.dimensions() > 0 || row.fields().get(VECTOR) != null) {
            vector(row.fields().get(VECTOR), actor.dimensions(), key);
        }
    }

    static Document of(LuceneActor actor, io.uniserve.api.Document row) {
        Document document = new Document();
        document.add(new StringField(KEY, key(row), Field.Store.NO));
        document.add(new SortedDocValuesField(KEY, new BytesRef(key(row))));
        document.add(new TextField(TEXT, String.valueOf(row.fields().get(TEXT)), Field.Store.NO));
        document.add(
                new StoredField(ROW, io.uniserve.api.Document.CODEC.encode(row).toArray()));
        if (actor.dimensions() > 0) {
            float[] vector = vector(row.fields().get(VECTOR), actor.dimensions(), key(row));
            document.add(new KnnFloatVectorField(VECTOR, vector, VectorSimilarityFunction.EUCLIDEAN));
        }
        return document;
    }

    /** Returns the key, which must be a text. */
    static String key(io.uniserve.api.Document row) {
        if (row.partitionKey() instanceof PartitionKey.Text text) {
            return text.value();
        }
        throw invalid(row.partitionKey().toString(), "its key is a number; port lucene needs texts");
    }

    private static float[] vector(@Nullable Object field, int dimensions, String key) {
        if (!(field instanceof List<?> numbers) || numbers.size() != dimensions) {
            throw invalid(key, "field \"vector\" must be a list of " + dimensions + " numbers");
        }
        float[] vector = new float[dimensions];
        for (int i = 0; i < dimensions; i++) {
            vector[i] = numbers.get(i) instanceof Number number ? number.floatValue() : Float.NaN;
            if (!Float.isFinite(vector[i])) {
                throw invalid(key, "number " + i + " of field \"vector\" is " + numbers.get(i));
            }
        }
        return vector;
    }

    private static UniserveException invalid(String key, String problem) {
        return new UniserveException(ErrorCode.INVALID_ROW, "document \"" + key + "\": " + problem);
    }

    /** Returns the stored row. */
    static io.uniserve.api.Document row(IndexSearcher searcher, int number) throws IOException {
        return io.uniserve.api.Document.CODEC.decode(
                Bytes.wrap(bytes(searcher.storedFields().document(number))));
    }

    /** Returns the digest of all live rows; it does not depend on the order of documents and segments. */
    static byte[] digest(IndexSearcher searcher) throws IOException {
        ContentDigest digest = new ContentDigest();
        SegmentInspector.documents(searcher.getIndexReader(), document -> digest.add(bytes(document)));
        return digest.toBytes();
    }

    private static byte[] bytes(Document document) {
        return BytesRef.deepCopyOf(document.getBinaryValue(ROW)).bytes;
    }
}
