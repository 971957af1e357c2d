package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of {@link KvOperators#RANGE}: the first documents at or after a key, of its kind: texts or whole numbers. Numbers are in the
 * order of their texts.
 *
 * @param from smallest key of the answer
 * @param limit maximum number of documents, 1 to 10,000
 * @param fields names of the fields of the answer, beside the key; empty for all fields
 */
public record KvRange(PartitionKey from, int limit, List<String> fields) {
    static final Codec<KvRange> CODEC = Codecs.of(KvRange::write, KvRange::read);
    private static final int LIMIT_MAX = 10_000;
    private static final Codec<List<String>> NAMES = Codecs.list(Codecs.STRING);

    public KvRange {
        fields = List.copyOf(fields);
        if (limit < 1 || limit > LIMIT_MAX) {
            throw UniserveException.invalid("limit is " + limit + ": use 1 to " + LIMIT_MAX);
        }
    }

    private static void write(BinaryWriter out, KvRange range) {
        out.writeString(KvActor.keyOf(range.from)).writeInt(range.limit);
        NAMES.write(out, range.fields);
    }

    private static KvRange read(BinaryReader in) {
        PartitionKey from = key(in.readString());
        int limit = in.readInt();
        return new KvRange(from, limit, NAMES.read(in));
    }

    /** Returns the key of {@link KvActor#keyOf}. */
    private static PartitionKey key(String ordered) {
        String value = ordered.isEmpty() ? "" : ordered.substring(1);
        if (ordered.startsWith("t")) {
            return PartitionKey.of(value);
        }
        if (ordered.matches("n-?\\d+")) {
            try {
                return PartitionKey.of(Long.parseLong(value));
            } catch (NumberFormatException e) {
                throw new UniserveException(
                        ErrorCode.INVALID_ARGUMENT, "the key of a range is \"" + value + "\": use a 64-bit number", e);
            }
        }
        throw UniserveException.invalid(
                "the key of a range is \"" + ordered + "\": use t and a text, or n and a number");
    }

    /** Returns the document with the fields of the answer only. */
    Document project(Document document) {
        if (fields.isEmpty()) {
            return document;
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        kept.put(document.keyField(), document.fields().get(document.keyField()));
        for (String field : fields) {
            if (document.fields().containsKey(field)) {
                kept.put(field, document.fields().get(field));
            }
        }
        return new Document(document.keyField(), kept);
    }

    /** Merges two answers, which are in key order. */
    List<Document> merge(List<Document> left, List<Document> right) {
        if (left.isEmpty() || right.isEmpty()) {
            return left.isEmpty() ? right : left;
        }
        List<Document> merged = new ArrayList<>(Math.min(limit, left.size() + right.size()));
        int l = 0;
        int r = 0;
        while (merged.size() < limit && (l < left.size() || r < right.size())) {
            boolean takesLeft = r == right.size()
                    || (l < left.size()
                            && CodePoints.compare(KvActor.keyOf(left.get(l)), KvActor.keyOf(right.get(r))) <= 0);
            merged.add(takesLeft ? left.get(l++) : right.get(r++));
        }
        return merged;
    }
}
