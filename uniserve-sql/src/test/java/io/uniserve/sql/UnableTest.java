package io.uniserve.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one engine cannot do is refused where the query says it. */
class UnableTest {
    private final TestingPlan plan = new TestingPlan()
            .table("big", "b_id bigint, b_mid bigint, b_text varchar", 7_000)
            .table("mid", "m_id bigint, m_text varchar", 6_000);

    private String answer(Predicate<String> joins, Set<Unable.Part> parts, String sql) {
        SqlPlanner planner = new SqlPlanner(
                new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
                (tables, statement, life) -> Objects.requireNonNull(tables.get(SplitQuery.PARTS)),
                new Unable("OldDB", parts, Set.of("MEDIAN"), joins));
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    private void refused(Predicate<String> joins, String sql, String message) {
        assertThatThrownBy(() -> answer(joins, Set.of(Unable.Part.values()), sql))
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
    @ValueSource(
            strings = {
                "SELECT b_text FROM big WHERE b_text = 'a''b' AND upper(b_text) = lower(b_text)",
                "SELECT b_id FROM (SELECT b_id, b_mid FROM big WHERE b_id > 3) AS b, mid WHERE b_mid = m_id",
                "WITH m AS (SELECT m_id FROM mid WHERE m_id > 1) SELECT b_id FROM big, m WHERE b_mid = m_id"
            })
    void whatIsPartOfOneStatementIsTaken(String sql) {
        assertThat(answer(statement -> false, Set.of(Unable.Part.values()), sql))
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
