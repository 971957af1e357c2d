package io.uniserve.port.duckdb;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.TckQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Statements of DuckDB that read or write files, open connections, load extensions or change settings. */
final class HostileSql {
    private static final String FUNCTION = "FROM with a function";

    private HostileSql() {}

    /**
     * Returns the inputs.
     *
     * @param columns columns of the table {@code tck}, with the key {@code id}
     * @param select returns a call of the operator for partial answers
     */
    static List<HostileInput> of(
            HostileTargets targets, ColumnSchema columns, Function<SqlQuery, TckQuery<?, ?>> select) {
        String file = targets.canary().toString();
        String target = targets.target().toString();
        Map<String, String> statements = new LinkedHashMap<>();
        statements.put("SELECT * FROM read_csv('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM read_csv_auto('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM read_text('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM read_blob('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM read_json('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM read_parquet('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM TABLE(read_text('" + file + "'))", FUNCTION);
        statements.put("SELECT * FROM glob('" + targets.canary().getParent() + "/*')", FUNCTION);
        statements.put("SELECT * FROM '" + file + "'", "");
        statements.put("SELECT * FROM \"" + file + "\"", "");
        statements.put("SELECT * FROM read_csv('" + targets.url() + "a.csv')", FUNCTION);
        statements.put("SELECT * FROM '" + targets.url() + "a.parquet'", "");
        statements.put("SELECT * FROM sniff_csv('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM parquet_metadata('" + file + "')", FUNCTION);
        statements.put("SELECT * FROM sqlite_scan('" + file + "', 'x')", FUNCTION);
        statements.put("SELECT id, (SELECT max(content) FROM read_text('" + file + "')) FROM tck", FUNCTION);
        statements.put("SELECT id FROM tck WHERE id IN (SELECT content FROM read_text('" + file + "'))", FUNCTION);
        statements.put("WITH a AS (SELECT * FROM read_text('" + file + "')) SELECT * FROM a", FUNCTION);
        statements.put("COPY (SELECT id FROM tck) TO '" + target + "'", "");
        statements.put("COPY tck FROM '" + file + "'", "");
        statements.put("EXPORT DATABASE '" + target + "'", "");
        statements.put("ATTACH '" + target + "' AS other", "");
        statements.put("INSTALL httpfs", "");
        statements.put("INSTALL httpfs FROM '" + targets.url() + "'", "");
        statements.put("LOAD '" + file + "'", "");
        statements.put("SET enable_external_access = true", "");
        statements.put("PRAGMA enable_profiling='json'", "");
        statements.put("CALL pragma_version()", "");
        statements.put("CREATE TABLE a AS SELECT * FROM read_text('" + file + "')", "");
        statements.put("SELECT 1; COPY (SELECT 1) TO '" + target + "'", "");
        statements.put("SELECT id FROM tck -- '\n; COPY (SELECT 1) TO '" + target + "'", "");
        statements.put("SELECT getenv('PATH') FROM tck", "GETENV");
        statements.put("SELECT current_setting('temp_directory') FROM tck", "CURRENT_SETTING");
        statements.put("SELECT * FROM duckdb_settings()", FUNCTION);
        statements.put("SELECT * FROM uniserve_rows(1)", FUNCTION);
        statements.put("SELECT * FROM information_schema.tables", "");
        statements.put("SELECT * FROM duckdb_databases", "");
        List<HostileInput> inputs = new ArrayList<>();
        statements.forEach((text, named) -> {
            inputs.add(HostileInput.query(text, text, named));
            inputs.add(HostileInput.call(
                    text + ", as an actor's part", select.apply(SqlQuery.of("tck", columns, text)), named));
        });
        inputs.add(HostileInput.update(
                "column of another name",
                "duckdb.put@1",
                new Document("id", Map.of("id", "a", "n", 1L, "x\"); COPY t TO '" + target + "'", 1L)),
                "COPY"));
        inputs.add(HostileInput.update(
                "empty field name", "duckdb.put@1", new Document("id", Map.of("id", "a", "n", 1L, "", "b")), "\"\""));
        for (String option : List.of(
                "id varchar, \"a\" varchar); COPY (SELECT 1) TO '" + target + "'; --",
                "id varchar default getenv('PATH')",
                "id varchar, a varchar generated always as (read_text('" + file + "'))",
                "../id varchar")) {
            inputs.add(HostileInput.options(option, Map.of("columns", option), "columns"));
        }
        inputs.add(HostileInput.options("key", Map.of("columns", "id varchar", "primary", "id\"); DROP"), "primary"));
        return inputs;
    }
}
