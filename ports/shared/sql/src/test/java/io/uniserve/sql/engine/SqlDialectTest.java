package io.uniserve.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.execute.SqlPlanner;
import io.uniserve.sql.execute.TestingPlan;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.calcite.sql.dialect.MysqlSqlDialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements for an engine whose quotes, names and calls differ from DuckDB's. */
class SqlDialectTest {
    private static final ColumnSchema COLUMNS = ColumnSchema.of(new TableMeta(
            new TableName("t"),
            1,
            new Partitioner.Hash(2),
            "a",
            ConsistencyLevel.EVENTUAL,
            1,
            1,
            OnLoss.WAIT,
            "duckdb",
            Map.of("columns", "a bigint, b decimal(15,2), c date, s varchar, x double, f boolean")));

    /** MySQL's quotes and texts as Calcite writes them. */
    private static final SqlDialect MYSQL = new SqlDialect() {
        @Override
        public UnsupportedFeatures unsupportedFeatures() {
            return new UnsupportedFeatures(
                    "MySQL", Set.of(UnsupportedFeatures.Part.TRIM), Set.of("MEDIAN"), statement -> false);
        }

        @Override
        public String columnName(String name) {
            return MysqlSqlDialect.DEFAULT.quoteIdentifier(name);
        }

        @Override
        public String relationName(String name) {
            return name.equals(StatementNaming.ROWS) ? "rows_" : name;
        }

        @Override
        public String textLiteral(String value) {
            return MysqlSqlDialect.DEFAULT.quoteStringLiteral(value).replace("\\", "\\\\");
        }

        @Override
        public String dateLiteral(LocalDate value) {
            return "CAST('" + value + "' AS DATE)";
        }

        @Override
        public String intervalLiteral(long amount, String unit) {
            return "INTERVAL " + amount + " " + unit;
        }

        @Override
        public String typeName(String type) {
            return Map.of("BIGINT", "SIGNED", "VARCHAR", "CHAR").getOrDefault(type, type);
        }

        @Override
        public String functionCall(String function, List<String> arguments) {
            return switch (function) {
                case "LENGTH" -> "CHAR_LENGTH(" + arguments.get(0) + ")";
                case "error" -> "fail_with(" + arguments.get(0) + ")";
                case "SUBSTRING" -> "SUBSTRING(" + String.join(" FROM ", arguments.subList(0, 2)) + ")";
                default -> SqlDialect.super.functionCall(function, arguments);
            };
        }

        @Override
        public String rewrite(Set<String> relations, String statement) {
            return statement + " -- of " + relations;
        }
    };

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT \"a\" AS c0 FROM rows | SELECT 'a' AS c0 FROM rows_",
                "SELECT rows.\"rows\", b0.c0 FROM rows JOIN b0 ON (rows.\"x\"\"y\" = b0.c0) | SELECT rows_.'rows', b0.c0 FROM rows_ JOIN b0 ON (rows_.'x\"y' = b0.c0)",
                "SELECT 1 WHERE c0 = 'it''s \"rows\" \\ (' | SELECT 1 WHERE c0 = 'it''s \"rows\" \\\\ ('",
                "SELECT CAST((\"a\" + INTERVAL '-3' MONTH) AS DATE) | SELECT CAST(('a' + INTERVAL -3 MONTH) AS DATE)",
                "SELECT CAST(CAST(\"a\" AS VARCHAR) AS DECIMAL(9, 2)), CAST(sum(c1) AS BIGINT) | SELECT CAST(CAST('a' AS CHAR) AS DECIMAL(9, 2)), CAST(sum(c1) AS SIGNED)",
                "SELECT SUBSTRING(LOWER(\"a\"), (LENGTH(\"b\") - 1)) | SELECT SUBSTRING(LOWER('a') FROM (CHAR_LENGTH('b') - 1))",
                "SELECT (1 / CASE WHEN c0 = 0 THEN error('division by zero') ELSE c0 END) | SELECT (1 / CASE WHEN c0 = 0 THEN fail_with('division by zero') ELSE c0 END)",
                "WHERE (c0 <= DATE '1998-09-02') AND c1 IN ('DATE', 'x') | WHERE (c0 <= CAST('1998-09-02' AS DATE)) AND c1 IN ('DATE', 'x')",
                "SELECT count(*), sum(DISTINCT \"a\"), EXTRACT(YEAR FROM \"c\"), TRIM(BOTH ' ' FROM \"s\") | SELECT count(*), sum(DISTINCT 'a'), EXTRACT(YEAR FROM 'c'), TRIM(BOTH ' ' FROM 's')",
                "SELECT row_number() OVER (), CAST(1E+10 AS DOUBLE), 1.5, -3 | SELECT row_number() OVER (), CAST(1E+10 AS DOUBLE), 1.5, -3",
                "SELECT max(CASE WHEN (\"a\" IN (1, 2)) THEN COALESCE(\"b\", 0) END) | SELECT max(CASE WHEN ('a' IN (1, 2)) THEN COALESCE('b', 0) END)",
            })
    void eachPartIsWrittenByTheDialect(String statement, String written) {
        assertThat(MYSQL.translate(Set.of("rows_"), statement).replace('`', '\''))
                .isEqualTo(written + " -- of [rows_]");
    }

    /** A dialect with defaults only changes no statement. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT s, avg(b), count(*), 2 * sum(b) AS twice FROM t WHERE a < 5 GROUP BY s HAVING count(*) > 1",
                "SELECT CASE WHEN a IN (1, 2) THEN s ELSE 'it''s (' END, CAST(x AS DECIMAL(9, 2)), s || 'x' FROM t",
                "SELECT a / b, a % 3, x * 1e10, -a FROM t WHERE s LIKE '!%' ESCAPE '!' AND c < date '1998-01-01'",
                "SELECT c + interval '3' month, extract(quarter FROM c), trim(LEADING 'x' FROM s) FROM t LIMIT 3",
                "SELECT substring(s, 2, 3), string_agg(s, ',' ORDER BY b DESC), stddev(x), median(a) FROM t GROUP BY s",
            })
    void theDefaultsAreDuckDbs(String sql) {
        FragmentedPlan query = TestingPlan.fragmented(Map.of("t", COLUMNS), sql, -1);
        SqlDialect defaults = new SqlDialect() {};
        for (String statement : List.of(query.partialStatement(), query.mergeStatement())) {
            assertThat(defaults.translate(Set.of(), statement)).isEqualTo(statement);
            assertThat(SqlDialect.DUCKDB.statement(Map.of(), statement)).isEqualTo(statement);
        }
        assertThat(defaults.statement(new TreeMap<>(Map.of("b0", "SELECT 1", "rows", "SELECT 2")), "SELECT 3"))
                .isEqualTo("WITH b0 AS (SELECT 1), rows AS (SELECT 2) SELECT 3");
    }

    @Test
    void aPortsStatementsAreOfItsDialect() {
        TestingPlan plan = new TestingPlan().table("big", "b_id bigint, b_text varchar", 7_000);
        List<String> merged = new ArrayList<>();
        SqlPlanner planner = new SqlPlanner(
                new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
                (tables, statement, life) -> {
                    merged.add(MYSQL.translate(tables.keySet(), statement));
                    return new SqlRows(List.of("VARCHAR"), List.of(List.of("1")));
                },
                MYSQL);
        planner.answer(
                new QueryText(
                        new TableName("big"),
                        "SELECT max(length_of) FROM (SELECT char_length(b_text)"
                                + " AS length_of FROM big) AS q HAVING max(length_of) > 1 AND 'a\\b' <> ''"),
                plan);
        assertThat(merged).hasSize(1);
        assertThat(merged.get(0)).contains("max(c0)", "'a\\\\b'").endsWith(" -- of [parts]");
        assertThatThrownBy(
                        () -> planner.answer(new QueryText(new TableName("big"), "SELECT median(b_id) FROM big"), plan))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining("line 1, column 8: MEDIAN on MySQL is not supported");
    }

    @Test
    void longTextsAndDeepNestingAreWritten() {
        String letters = "'" + "x".repeat(60_000) + "'";
        assertThat(MYSQL.translate(Set.of(), letters)).startsWith(letters);
        String deep = "(".repeat(20_000) + "LENGTH(".repeat(20_000) + "c0" + ")".repeat(40_000);
        assertThat(new SqlDialect() {}.translate(Set.of(), deep)).isEqualTo(deep);
    }
}
