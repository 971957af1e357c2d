package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of {@link KvOperators#RANGE}: the first documents at or after a key, of its kind. Numbers are in the order of their texts.
 *
 * @param from smallest key of the answer: {@code t} and a text, or {@code n} and a whole number
 * @param limit maximum number of documents, 1 to 10,000
 * @param fields names of the fields of the answer, beside the key; empty for all fields
 */
public record KvRange(String from, int limit, List<String> fields) {
    static final Codec<KvRange> CODEC = Codecs.of(KvRange::write, KvRange::read);
    private static final Codec<List<String>> NAMES = Codecs.list(Codecs.STRING);

    public KvRange {
        fields = List.copyOf(fields);
        KvOperators.checkLimit(limit);
        if (!from.startsWith("t") && !from.startsWith("n")) {
            throw UniserveException.invalid(
                    "key of the range is \"" + from + "\": use t and a text, or n and a number");
        }
    }

    private static void write(BinaryWriter out, KvRange range) {
        NAMES.write(out.writeString(range.from).writeInt(range.limit), range.fields);
    }

    private static KvRange read(BinaryReader in) {
        return new KvRange(in.readString(), in.readInt(), NAMES.read(in));
    }

    /** Returns the document with the fields of the answer only. */
    Document project(Document document) {
        if (fields.isEmpty()) {
            return document;
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        kept.put(document.keyField(), document.fields().get(document.keyField()));
        fields.stream()
                .filter(document.fields()::containsKey)
                .forEach(field -> kept.put(field, document.fields().get(field)));
        return new Document(document.keyField(), kept);
    }

    List<Document> merge(List<Document> left, List<Document> right) {
        return KvOperators.mergeByKey(limit, left, right);
    }
}
