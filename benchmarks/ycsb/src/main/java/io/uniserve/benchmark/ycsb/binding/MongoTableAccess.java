package io.uniserve.benchmark.ycsb.binding;

import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.ClientTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tables of the MongoDB port, by {@code find} commands. An update is {@code $set} inside the port. */
final class MongoTableAccess extends TableAccess {
    private static final String KEY = "_id";

    MongoTableAccess() {
        super(KEY, "mongodb.put@1", "mongodb.delete@1");
    }

    @Override
    Optional<YcsbRow> read(ClientTable table, RowKey key, List<String> fields) {
        String command = find(table, JsonAnswer.quote(key.value()), fields) + "}";
        return rows(key.actor(table).query(command), fields).stream().findFirst();
    }

    @Override
    List<YcsbRow> scan(ClientTable table, RowKey from, int limit, List<String> fields) {
        String filter = "{\"$gte\":" + JsonAnswer.quote(from.value()) + "}";
        String command = find(table, filter, fields) + ",\"sort\":{\"_id\":1},\"limit\":" + limit + "}";
        return rows(table.all().query(command), fields);
    }

    private static String find(ClientTable table, String filter, List<String> fields) {
        String projection = fields.isEmpty()
                ? ""
                : fields.stream()
                        .map(field -> JsonAnswer.quote(field) + ":1")
                        .collect(Collectors.joining(",", ",\"projection\":{", "}"));
        return "{\"find\":" + JsonAnswer.quote(table.name()) + ",\"filter\":{\"_id\":" + filter + "}" + projection;
    }

    private List<YcsbRow> rows(Answer answer, List<String> fields) {
        List<Map<String, @Nullable Object>> documents = new ArrayList<>();
        for (JsonNode document : JsonAnswer.parse(answer).path("cursor").path("firstBatch")) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            document.fields().forEachRemaining(field -> values.put(field.getKey(), JsonAnswer.value(field.getValue())));
            documents.add(values);
        }
        return toRows(documents, fields);
    }

    @Override
    boolean update(ClientTable table, RowKey key, Map<String, String> changes) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put(KEY, key.value());
        row.put("q", Map.of());
        row.put("u", Map.of("$set", changes));
        table.updateDocuments("mongodb.update@1", List.of(row)).run().orThrow();
        return true;
    }
}
