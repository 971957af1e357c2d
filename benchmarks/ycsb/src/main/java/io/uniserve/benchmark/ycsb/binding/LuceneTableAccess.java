package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tables of the Lucene port. Its language finds documents by words of their text only, so each row has its key as text too, and a read is
 * a search of that word. An update is a read and a put by the binding.
 */
final class LuceneTableAccess extends TableAccess {
    private static final String TEXT = "text";
    private static final RetrieveCall<String, List<Document>> PHRASE = new RetrieveCall<>(
            "lucene.phrase@1",
            // words, positions by which they may be displaced, and the number of hits
            Codecs.of((out, words) -> out.writeString(words).writeInt(0).writeInt(1), in -> {
                String words = in.readString();
                in.readInt();
                in.readInt();
                return words;
            }),
            Codecs.list(Codecs.of(
                    (out, document) -> {
                        out.writeDouble(0);
                        Document.CODEC.write(out, document);
                    },
                    in -> {
                        in.readDouble();
                        return Document.CODEC.read(in);
                    })));

    LuceneTableAccess() {
        super("id", "lucene.put@1", "lucene.delete@1");
    }

    @Override
    Optional<YcsbRow> read(ClientTable table, RowKey key, List<String> fields) {
        List<Document> found = key.actor(table)
                .retrieve(
                        PHRASE,
                        key.text(),
                        parts -> parts.stream().flatMap(List::stream).toList());
        return found.stream().findFirst().map(document -> {
            Map<String, @Nullable Object> values = new LinkedHashMap<>(document.fields());
            values.remove(TEXT);
            return toRow(values, fields);
        });
    }

    @Override
    List<YcsbRow> scan(ClientTable table, RowKey from, int limit, List<String> fields) {
        throw UniserveException.unsupported("scan of a table of port lucene: its language (count, phrase, near) has no"
                + " range of keys; use port kv, mongodb or duckdb");
    }

    @Override
    Map<String, @Nullable Object> row(RowKey key, Map<String, String> fields) {
        Map<String, @Nullable Object> row = super.row(key, fields);
        row.put(TEXT, key.text());
        return row;
    }
}
