package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ActorSelection;
import io.uniserve.client.ClientTable;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Tables of the key-value port, by its operator {@code kv.range@1}: a read is a range of one document. */
final class KvTableAccess extends TableAccess {
    private static final String KEY = "id";
    private static final Codec<List<String>> NAMES = Codecs.list(Codecs.STRING);
    private static final RetrieveCall<Range, List<Document>> RANGE = new RetrieveCall<>(
            "kv.range@1",
            Codecs.of(
                    (out, range) -> {
                        out.writeString(range.from).writeInt(range.limit);
                        NAMES.write(out, range.fields);
                    },
                    in -> new Range(in.readString(), in.readInt(), NAMES.read(in))),
            Codecs.list(Document.CODEC));

    KvTableAccess() {
        super(KEY, "kv.put@1", "kv.delete@1");
    }

    /** @param from the key, after {@code t} for a text or {@code n} for a number */
    private record Range(String from, int limit, List<String> fields) {
        static Range of(RowKey key, int limit, List<String> fields) {
            return new Range(key.isNumber() ? "n" + key.number() : "t" + key.text(), limit, fields);
        }
    }

    @Override
    Optional<YcsbRow> read(ClientTable table, RowKey key, List<String> fields) {
        return rows(key.actor(table), Range.of(key, 1, fields)).stream()
                .filter(row -> row.key().equals(key.text()))
                .findFirst();
    }

    @Override
    List<YcsbRow> scan(ClientTable table, RowKey from, int limit, List<String> fields) {
        if (from.isNumber()) {
            throw UniserveException.unsupported("scan of a kv table with number keys: kv orders them as texts");
        }
        return rows(table.all(), Range.of(from, limit, fields));
    }

    private List<YcsbRow> rows(ActorSelection actors, Range range) {
        List<Document> documents = actors.retrieve(RANGE, range, parts -> merge(parts, range.limit));
        return toRows(documents.stream().map(Document::fields).toList(), range.fields);
    }

    /** Merges answers of servers, each in key order. */
    private static List<Document> merge(List<List<Document>> parts, int limit) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        List<Document> merged = new ArrayList<>();
        parts.forEach(merged::addAll);
        merged.sort(Comparator.comparing(
                document -> String.valueOf(document.fields().get(KEY)), CodePoints.ORDER));
        return merged.subList(0, Math.min(limit, merged.size()));
    }
}
