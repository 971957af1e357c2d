package io.uniserve.port.monetdb;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.TckQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Statements of MonetDB that read or write files, open connections, or define functions in other languages. MonetDBLite has no switch for
 * them: the list of permitted SQL alone keeps them out.
 */
final class MonetHostileInputs {
    private MonetHostileInputs() {}

    /**
     * Returns the inputs.
     *
     * @param columns columns of the table {@code tck}
     * @param select returns a call of the operator for partial answers
     */
    static List<HostileInput> of(
            HostileTargets targets, ColumnSchema columns, Function<SqlQuery, TckQuery<?, ?>> select) {
        String file = targets.canary().toString();
        String target = targets.target().toString();
        List<String> statements = List.of(
                "COPY INTO tck FROM '" + file + "'",
                "COPY 1 OFFSET 0 RECORDS INTO tck FROM '" + file + "' USING DELIMITERS ','",
                "COPY BINARY INTO tck FROM '" + file + "'",
                "COPY LOADER INTO tck FROM f('" + file + "')",
                "COPY SELECT id FROM tck INTO '" + target + "'",
                "SELECT id FROM tck INTO '" + target + "'",
                "CREATE LOADER f() LANGUAGE PYTHON { import os }",
                "CREATE FUNCTION f(a INTEGER) RETURNS INTEGER LANGUAGE PYTHON { return a }",
                "CREATE FUNCTION f(a INTEGER) RETURNS INTEGER LANGUAGE R { a }",
                "CREATE FUNCTION f(a INTEGER) RETURNS INTEGER LANGUAGE C { result = a; }",
                "CREATE FUNCTION f(a STRING) RETURNS STRING EXTERNAL NAME io.\"import\"",
                "CREATE REMOTE TABLE r (a INTEGER) ON 'mapi:monetdb://"
                        + targets.url().substring(7) + "db'",
                "CREATE MERGE TABLE m (a INTEGER)",
                "SELECT * FROM sys.env()",
                "SELECT * FROM env()",
                "SELECT * FROM sys.optimizers()",
                "SELECT * FROM sys.var()",
                "SELECT * FROM sys.functions",
                "SELECT * FROM sys.tables",
                "SELECT sys.getproxy('a') FROM tck",
                "SELECT * FROM sys.csv_sniff('" + file + "')",
                "SELECT * FROM netcdf_attach('" + file + "')",
                "CALL sys.fitsattach('" + file + "')",
                "CALL sys.hot_snapshot('" + target + "')",
                "CALL sys.settimeout(1)",
                "SET SCHEMA sys",
                "PREPARE SELECT 1",
                "SELECT 1; COPY SELECT 1 INTO '" + target + "'",
                "SELECT id FROM tck WHERE id = 'a\\' OR sys.getproxy(''a'') = '",
                "SELECT id FROM tck WHERE id = '\uE000' || '\uE0000\uE000'");
        List<HostileInput> inputs = new ArrayList<>();
        for (String text : statements) {
            inputs.add(HostileInput.query(text, text, ""));
            inputs.add(HostileInput.call(
                    text + ", as an actor's part", select.apply(SqlQuery.of("tck", columns, text)), ""));
        }
        inputs.add(HostileInput.update(
                "column of another name",
                "monetdb.put@1",
                new Document("id", Map.of("id", "a", "n", 1L, "x\"); COPY SELECT 1 INTO '" + target + "'", 1L)),
                "COPY"));
        for (String option : List.of(
                "id varchar, \"a\" varchar); COPY SELECT 1 INTO '" + target + "'; --",
                "id varchar default sys.getproxy('a')",
                "../id varchar")) {
            inputs.add(HostileInput.options(option, Map.of("columns", option), "columns"));
        }
        return inputs;
    }
}
