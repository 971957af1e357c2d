package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.SqlDialect;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.engine.UnsupportedFeatures;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Features that one engine lacks are refused with their place in the query. */
class UnsupportedFeaturesTest {
    private final TestingPlan plan = new TestingPlan()
            .table("big", "b_id bigint, b_mid bigint, b_text varchar, b_x double, b_day date, b_m decimal(18,2)", 7_000)
            .table("mid", "m_id bigint, m_text varchar", 6_000);

    /** Answer of the engine: one row with the maximum number of columns of the statements here. */
    private static final SqlRows MERGED =
            new SqlRows(Collections.nCopies(3, "VARCHAR"), List.of(Collections.nCopies(3, "1")));

    private String answer(Predicate<String> joins, Set<UnsupportedFeatures.Part> parts, String sql) {
        SqlPlanner planner = new SqlPlanner(
                new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
                (tables, statement, life) -> {
                    assertThat(tables).containsKey(StatementNaming.PARTS);
                    return MERGED;
                },
                new SqlDialect() {
                    @Override
                    public UnsupportedFeatures unsupportedFeatures() {
                        return new UnsupportedFeatures("OldDB", parts, Set.of("MEDIAN"), joins);
                    }
                });
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    private void refused(Predicate<String> joins, String sql, String message) {
        assertThatThrownBy(() -> answer(joins, Set.of(UnsupportedFeatures.Part.values()), sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining(message + " on OldDB is not supported");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT trim(b_text) FROM big | line 1, column 8: TRIM",
                "SELECT count(*) FROM big GROUP BY CASE WHEN trim(LEADING 'x' FROM b_text) = '' THEN 1 ELSE 2 END | line 1, column 45: TRIM",
                "SELECT 1 FROM big WHERE b_text LIKE 'a\\%' | line 1, column 37: a backslash",
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid WHERE m_text = 'x') | line 1, column 38: a sub-query",
                "SELECT b_id FROM big WHERE EXISTS (SELECT 1 FROM mid WHERE m_id = b_mid) | line 1, column 35: a sub-query",
                "WITH m AS (SELECT m_id FROM mid LIMIT 5) SELECT b_id FROM big, m WHERE b_mid = m_id | line 1, column 12: a query in FROM or WITH with groups, DISTINCT, LIMIT or OFFSET, or on the outer side of a join,",
                "SELECT b_id FROM big LEFT JOIN (SELECT m_id FROM mid) AS m ON b_mid = m_id | line 1, column 33: a query in FROM or WITH with groups, DISTINCT, LIMIT or OFFSET, or on the outer side of a join,"
            })
    void beforeAnyActorIsAsked(String sql, String message) {
        refused(statement -> false, sql, message);
        assertThat(plan.asked).isEmpty();
        assertThat(answer(statement -> false, Set.of(), sql))
                .as("by an engine that can")
                .startsWith("{\"columns\":");
    }

    @Test
    void aFunctionThatTheEngineHasNot() {
        String sql = "SELECT count(*) FROM big HAVING count(*) > 1 AND Median(b_id) > 1";
        refused(statement -> false, sql, "line 1, column 50: MEDIAN");
        assertThat(plan.asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT CAST(b_x AS VARCHAR) FROM big | line 1, column 8: CAST of a double to a text",
                "SELECT b_id FROM big WHERE CAST(b_x * 2 AS BIGINT) = 3 | line 1, column 28: CAST of a double to a whole number (put ROUND, FLOOR or CEIL around it)",
                "SELECT CAST(b_day AS VARCHAR) FROM big | line 1, column 8: CAST of a date to a text",
                "SELECT ROUND(b_id, 0) FROM big | line 1, column 8: ROUND of a number that may have more than 15 digits (CAST it to DOUBLE, or to a DECIMAL of fewer digits)",
                "SELECT FLOOR(b_m) FROM big | line 1, column 8: FLOOR of a number that may have more than 15 digits (CAST it to DOUBLE, or to a DECIMAL of fewer digits)",
                "SELECT b_x * 2, count(*) FROM big GROUP BY b_x * 2 | line 1, column 44: GROUP BY with a computed double, which may be minus zero (add 0.0 to it),",
                "SELECT DISTINCT -b_x FROM big | line 1, column 17: DISTINCT with a computed double, which may be minus zero (add 0.0 to it),",
                "SELECT count(DISTINCT b_x / 2) FROM big | line 1, column 23: DISTINCT with a computed double, which may be minus zero (add 0.0 to it),",
                "SELECT DISTINCT y FROM (SELECT -b_x AS y FROM big) AS d | line 1, column 17: DISTINCT with a computed double, which may be minus zero (add 0.0 to it),",
                "SELECT b_id FROM big WHERE b_id <> 9223372036854775807 | line 1, column 36: the number 9223372036854775807, the largest of 64 bits,",
                "SELECT b_x * 1e308 * 10 FROM big | line 1, column 8: a sum or product whose constants are out of range together",
                "SELECT b_id + 5000000000000000000 - 5000000000000000000 FROM big | line 1, column 8: a sum or product whose constants are out of range together"
            })
    void whatDependsOnTypesIsToldBeforeAnyActorIsAsked(String sql, String message) {
        refused(statement -> false, sql, message);
        assertThat(plan.asked).isEmpty();
        assertThat(answer(statement -> false, Set.of(), sql))
                .as("by an engine that can")
                .startsWith("{\"columns\":");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT CAST(ROUND(b_x, 0) AS BIGINT), FLOOR(b_id), CAST(b_id AS VARCHAR) FROM big",
                "SELECT b_x, count(*) FROM big GROUP BY b_x",
                "SELECT DISTINCT b_x * 2 + 0.0, abs(b_x), b_x * 1e10 * 10 + 0.0 FROM big",
                "SELECT b_text FROM big WHERE b_text = 'a''b' AND upper(b_text) = lower(b_text)",
                "SELECT b_id FROM (SELECT b_id, b_mid FROM big WHERE b_id > 3) AS b, mid WHERE b_mid = m_id",
                "WITH m AS (SELECT m_id FROM mid WHERE m_id > 1) SELECT b_id FROM big, m WHERE b_mid = m_id"
            })
    void whatIsPartOfOneStatementIsTaken(String sql) {
        assertThat(answer(statement -> false, Set.of(UnsupportedFeatures.Part.values()), sql))
                .startsWith("{\"columns\":");
    }

    @Test
    void aJoinIsToldByItsFirstEqualityOfAnExpressionBeforeRowsAreSent() {
        Predicate<String> uppers = statement -> statement.contains("UPPER");
        refused(
                uppers,
                "SELECT b_id FROM big, mid WHERE b_mid = m_id AND b_mid = abs(b_id) AND upper(b_text) = m_text",
                "line 1, column 72: a join by a computed value beside another equality");
        assertThat(plan.asked).containsExactly("COUNT big []", "COUNT mid []");
        refused(
                uppers,
                "SELECT b_id FROM big JOIN mid ON m_id = b_mid AND upper(b_text) = m_text",
                "line 1, column 51: a join by a computed value beside another equality");
        assertThat(answer(uppers, Set.of(), "SELECT b_id FROM big WHERE b_mid = b_id AND upper(b_text) = b_text"))
                .as("one table joins nothing")
                .startsWith("{\"columns\":");
    }
}
