package io.uniserve.benchmark.hotspot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.benchmark.balance.HashedKeys;
import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.client.UniserveClient;
import java.util.Map;
import java.util.Optional;

/** Port mongodb with its embedded server, which is mongo-java-server and not MongoDB: a query is {@code find} of one {@code _id}. */
final class MongoHotWorkload implements HotWorkload {
    private static final String KEY = "_id";
    private static final String VALUE = "value";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HashedKeys keys;
    private final int rows;

    MongoHotWorkload(int actors, int rows) {
        this.rows = rows;
        this.keys = new HashedKeys(actors, rows, 1);
    }

    @Override
    public String table() {
        return "hot";
    }

    @Override
    public String description() {
        return rows + " documents; a query is find of one _id; the engine is mongo-java-server, which is NOT MongoDB";
    }

    @Override
    public void load(UniserveClient client) {
        keys.load(
                client,
                table(),
                "mongodb",
                KEY,
                "mongodb.put@1",
                key -> Map.of(KEY, key, VALUE, KvHotWorkload.value(key)));
    }

    @Override
    public int parts() {
        return keys.actors();
    }

    @Override
    public Optional<String> query(UniserveClient client, int part, long n) {
        String key = keys.key(part, keys.place(part, n, 1));
        String command = "{\"find\":\"" + table() + "\",\"filter\":{\"" + KEY + "\":\"" + key + "\"}}";
        return difference(
                key, client.table(table()).key(key).query(command).body().utf8());
    }

    /** Compares an answer with the document of this key. */
    static Optional<String> difference(String key, String answer) {
        try {
            JsonNode found = JSON.readTree(answer).path("cursor").path("firstBatch");
            JsonNode document = found.path(0);
            boolean right = found.size() == 1
                    && document.path(KEY).asText().equals(key)
                    && document.path(VALUE).asText().equals(KvHotWorkload.value(key));
            return right ? Optional.empty() : Optional.of("document " + key + " is not the only one in " + answer);
        } catch (JsonProcessingException e) {
            return Optional.of("the answer is not JSON: " + answer);
        }
    }
}
