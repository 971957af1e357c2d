package io.uniserve.benchmark.hotspot;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Port kv: a query reads a range of rows from one actor. */
final class KvHotWorkload implements HotWorkload {
    private static final String KEY = "id";
    private static final String VALUE = "value";
    private static final int LENGTH = 20;
    private static final int VALUE_BYTES = 100;
    private static final Codec<List<String>> NAMES = Codecs.list(Codecs.STRING);

    private static final RetrieveCall<String, List<Document>> RANGE = new RetrieveCall<>(
            "kv.range@1",
            Codecs.of(
                    (out, from) -> {
                        out.writeString("t" + from).writeInt(LENGTH);
                        NAMES.write(out, List.of());
                    },
                    in -> {
                        String from = in.readString().substring(1);
                        in.readInt();
                        NAMES.read(in);
                        return from;
                    }),
            Codecs.list(Document.CODEC));

    private final HashedKeys keys;
    private final int rows;

    KvHotWorkload(int actors, int rows) {
        this.rows = rows;
        this.keys = new HashedKeys(actors, rows, LENGTH);
    }

    @Override
    public String table() {
        return "hot";
    }

    @Override
    public String description() {
        return rows + " rows of " + VALUE_BYTES + " bytes; a query reads " + LENGTH + " rows in key order";
    }

    @Override
    public void load(UniserveClient client) {
        keys.load(client, table(), "kv", KEY, "kv.put@1", key -> Map.of(KEY, key, VALUE, value(key)));
    }

    /** Returns the value of a key, which depends on the key only. */
    static String value(String key) {
        return (key + "-").repeat(VALUE_BYTES / (key.length() + 1) + 1).substring(0, VALUE_BYTES);
    }

    @Override
    public int parts() {
        return keys.actors();
    }

    @Override
    public Optional<String> query(UniserveClient client, int part, long n) {
        int place = keys.place(part, n, LENGTH);
        String from = keys.key(part, place);
        List<Document> found = client.table(table())
                .key(from)
                .retrieve(RANGE, from, answers -> answers.size() == 1 ? answers.get(0) : List.of());
        return difference(part, place, found);
    }

    /** Compares rows with the keys from this place on. */
    Optional<String> difference(int part, int place, List<Document> found) {
        if (found.size() != LENGTH) {
            return Optional.of(found.size() + " rows, not " + LENGTH + ", from " + keys.key(part, place));
        }
        for (int i = 0; i < LENGTH; i++) {
            String key = keys.key(part, place + i);
            Map<String, ?> fields = found.get(i).fields();
            if (!key.equals(fields.get(KEY)) || !value(key).equals(fields.get(VALUE))) {
                return Optional.of("row " + i + " is " + fields.get(KEY) + ", not " + key + ", or its value differs");
            }
        }
        return Optional.empty();
    }
}
