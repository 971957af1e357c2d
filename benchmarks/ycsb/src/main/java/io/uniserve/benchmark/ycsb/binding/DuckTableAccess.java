package io.uniserve.benchmark.ycsb.binding;

import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tables of the DuckDB port, by SQL. The port has no update by SQL, so an update is a read and a put by the binding. */
final class DuckTableAccess extends TableAccess {
    private static final String KEY = "ycsb_key";

    DuckTableAccess() {
        super(KEY, "duckdb.put@1", "duckdb.delete@1");
    }

    @Override
    TableSpec spec(TableSpec spec, BindingSettings settings) {
        StringBuilder columns = new StringBuilder(KEY + (settings.ranges() ? " bigint" : " varchar"));
        for (int i = 0; i < settings.fieldCount(); i++) {
            columns.append(", field").append(i).append(" varchar");
        }
        return super.spec(spec, settings).option("columns", columns.toString());
    }

    @Override
    Optional<YcsbRow> read(ClientTable table, RowKey key, List<String> fields) {
        String sql = select(table, fields) + " WHERE " + KEY + " = " + literal(key);
        return rows(key.actor(table).query(sql), fields).stream().findFirst();
    }

    @Override
    List<YcsbRow> scan(ClientTable table, RowKey from, int limit, List<String> fields) {
        String sql = select(table, fields) + " WHERE " + KEY + " >= " + literal(from) + " ORDER BY " + KEY + " LIMIT "
                + limit;
        return rows(table.all().query(sql), fields);
    }

    private static String select(ClientTable table, List<String> fields) {
        String list = fields.isEmpty()
                ? "*"
                : KEY + fields.stream().map(field -> ", \"" + field + "\"").collect(Collectors.joining());
        return "SELECT " + list + " FROM \"" + table.name() + "\"";
    }

    private static String literal(RowKey key) {
        return key.isNumber() ? Long.toString(key.number()) : "'" + key.text().replace("'", "''") + "'";
    }

    private List<YcsbRow> rows(Answer answer, List<String> fields) {
        JsonNode json = JsonAnswer.parse(answer);
        List<String> names = new ArrayList<>();
        json.path("columns").forEach(column -> names.add(column.path("name").asText()));
        List<Map<String, @Nullable Object>> documents = new ArrayList<>();
        for (JsonNode row : json.path("rows")) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                values.put(names.get(i), row.path(i).isNull() ? null : JsonAnswer.value(row.path(i)));
            }
            documents.add(values);
        }
        return toRows(documents, fields);
    }
}
