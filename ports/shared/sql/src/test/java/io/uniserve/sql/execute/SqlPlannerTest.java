package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.BroadcastSize;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Choice of the stationary table, the rows that are sent to it, and limits. */
class SqlPlannerTest {
    private static final String JOIN = "SELECT count(*) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id";

    private static SqlPlanner planner() {
        return new SqlPlanner(
                new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
                (tables, statement, life) -> Objects.requireNonNull(tables.get(StatementNaming.PARTS)));
    }

    private static TestingPlan plan(long big, long mid, long small) {
        return new TestingPlan()
                .table("big", "b_id bigint, b_mid bigint, b_text varchar", big)
                .table("mid", "m_id bigint, m_small bigint, m_text varchar", mid)
                .table("small", "s_id bigint, s_text varchar", small);
    }

    private static String answer(TestingPlan plan, String sql) {
        return answer(planner(), plan, sql);
    }

    private static String answer(SqlPlanner planner, TestingPlan plan, String sql) {
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    private static void refused(TestingPlan plan, String sql, ErrorCode code, String message) {
        assertThatThrownBy(() -> answer(plan, sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    /**
     * By the parser: texts, comments and keywords of expressions have no table names. The tables need not exist. Here ~ is a line feed, and
     * ^ a carriage return.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT 1 | []",
                "SELECT 1 FROM a, b JOIN c ON 1 = 1 | [a, b, c]",
                "SELECT 'from x' /* from x */ FROM \"A b\" -- from x | [A b]",
                "SELECT 1 // from x's~ FROM a | [a]",
                "SELECT 1 // from x's^ FROM a | [a]",
                "SELECT 1 -- from x's^~ FROM a | [a]",
                "SELECT id AS \"a--b\", 'it''s -- ' FROM a | [a]",
                "SELECT id AS \"/* \"\"from x\" FROM a /* */ | [a]",
                "SELECT extract(year FROM x), trim(BOTH ' ' FROM x) FROM a WHERE x IS DISTINCT FROM y | [a]",
                "WITH x AS (SELECT 1 FROM a) SELECT 1 FROM x WHERE EXISTS (SELECT 1 FROM b, A) | [a, b]",
                "explain SELECT 1 FROM a | [a]",
            })
    void theTablesThatAStatementReads(String sql, String tables) {
        String names = Stream.of(tables.substring(1, tables.length() - 1).split(", "))
                .filter(name -> !name.isEmpty())
                .map(name -> "[\"" + name + "\"]")
                .collect(Collectors.joining(",\n"));
        TestingPlan plan = new TestingPlan();
        assertThat(answer(plan, "EXPLAIN (TYPE IO) " + sql.replace('~', '\n').replace('^', '\r')))
                .isEqualTo("{\"columns\":[{\"name\":\"table\",\"type\":\"VARCHAR\"}],\n\"rows\":["
                        + (names.isEmpty() ? "" : "\n" + names + "\n") + "]}\n");
        assertThat(plan.asked).isEmpty();
    }

    @Test
    void namesOfLongTextsAndOfWhatIsNoStatement() {
        String text = "x'' -- \"/* ".repeat(5_000);
        assertThat(answer(new TestingPlan(), "explain\n(Type IO)\nSELECT 1 FROM a WHERE s <> '" + text + "'"))
                .contains("[\"a\"]");
        refused(
                new TestingPlan(),
                "EXPLAIN (TYPE IO) SELECT FROM",
                ErrorCode.INVALID_ARGUMENT,
                "line 1, column 8: syntax error");
    }

    @Test
    void theLargestStaysAndSmallerOnesMakeLargerOnesSmaller() {
        TestingPlan plan = plan(7_000, 6_000, 2);
        answer(plan, JOIN);
        assertThat(plan.asked)
                .containsExactly(
                        "COUNT big []",
                        "COUNT mid []",
                        "COUNT small []",
                        "SIDE small []",
                        "SIDE mid [2]",
                        "PARTIAL big [1, 2]");
        TestingPlan other = plan(2, 6_000, 7_000);
        answer(other, JOIN);
        assertThat(other.asked.subList(3, 6)).containsExactly("SIDE big []", "SIDE mid [0]", "PARTIAL small [0, 1]");
    }

    @Test
    void smallTablesAreCollectedWithoutWaitingAndMadeSmallerWhereTheyAre() {
        TestingPlan plan = plan(7_000, BroadcastSize.reducedRowsMin(), 2)
                .values(row -> row.endsWith(" 0") ? "0" : row.startsWith("small") ? "1" : row);
        String told = answer(plan, "EXPLAIN " + JOIN);
        assertThat(plan.asked).contains("SIDE small []", "SIDE mid []", "PARTIAL big [1, 2]");
        assertThat(told).contains("broadcast mid from 2 actors of mid: 1 row, ", "those with partners in small");
    }

    @Test
    void whatWasCountedIsNotCountedAgainForAWhile() {
        SqlPlanner planner = planner();
        TestingPlan plan = plan(5, 3, 2);
        answer(planner, plan, JOIN);
        plan.asked.clear();
        answer(planner, plan, JOIN);
        assertThat(plan.asked).containsExactly("SIDE small []", "SIDE mid []", "PARTIAL big [1, 2]");
        plan.asked.clear();
        answer(planner, plan, JOIN + " AND m_id > 1");
        assertThat(plan.asked).startsWith("COUNT mid []", "SIDE small []");
        plan.asked.clear();
        plan.nanos = CardinalityCache.FRESH_NANOS + 1;
        answer(planner, plan, JOIN);
        assertThat(plan.asked).startsWith("COUNT big []", "COUNT mid []", "COUNT small []");
    }

    @Test
    void anOldCountRefusesNothing() {
        SqlPlanner planner = planner();
        String sql = "SELECT count(*) FROM big JOIN mid ON b_mid = m_id";
        assertThatThrownBy(() -> answer(planner, plan(200_000, 100_001, 0), sql))
                .hasMessageContaining("100,001 rows");
        TestingPlan fewer = plan(200_000, 3, 0);
        answer(planner, fewer, sql);
        assertThat(fewer.asked).containsExactly("COUNT mid []", "SIDE mid []", "PARTIAL big [1]");
        TestingPlan more = plan(200_000, 100_002, 0);
        assertThatThrownBy(() -> answer(planner, more, sql))
                .hasMessageContaining("send all 100,002 rows of table mid to every server");
    }

    @Test
    void anOldCountThatIsTooLowRefusesNothing() {
        SqlPlanner planner = planner();
        String sql = "SELECT count(*) FROM big JOIN mid ON b_mid = m_id";
        answer(planner, plan(0, 3, 0), sql);
        TestingPlan more = plan(200_000, 3, 0);
        answer(planner, more, sql);
        assertThat(more.asked).endsWith("COUNT big []", "COUNT mid []", "SIDE mid []", "PARTIAL big [1]");
    }

    /** Actors return at most one row above the limit: these rows are a part of the table. */
    @Test
    void aPartOfATableIsNeverJoined() {
        SqlPlanner planner = planner();
        String sql = "SELECT count(*) FROM big JOIN mid ON b_mid = m_id";
        assertThatThrownBy(() -> answer(planner, plan(200_000, 150_000, 0), sql))
                .hasMessageContaining("150,000 rows");
        TestingPlan grows = plan(200_000, 100_001, 0).counted("mid", 90_000);
        assertThatThrownBy(() -> answer(planner, grows, sql)).hasMessageContaining("100,001 rows");
    }

    /** Most of the rows may have keys that no actor of the other table has: they are not sent on, but count. */
    @Test
    void aPartOfATablesWantedRowsIsNeverJoined() {
        TestingPlan plan = plan(9, 1_000_001, 0).values(row -> row.length() < 8 ? row.replaceAll("\\D", "") : null);
        refused(
                plan,
                "SELECT count(*) FROM big LEFT JOIN mid ON b_id = m_small AND m_text = 'x'",
                ErrorCode.TOO_LARGE,
                "the join wants 1,000,001 rows of table mid or more, at most 1,000,000 are collected");
    }

    @Test
    void theLeftOfALeftJoinStaysHoweverSmall() {
        TestingPlan plan = plan(2, 9, 1);
        answer(plan, "SELECT count(*) FROM big LEFT JOIN mid ON b_mid = m_id");
        assertThat(plan.asked).containsExactly("COUNT big []", "COUNT mid []", "SIDE mid []", "PARTIAL big [1]");
    }

    @Test
    void noLargeTableIsSentWhole() {
        refused(
                plan(200_000, 100_001, 0),
                "SELECT count(*) FROM big JOIN mid ON b_mid = m_id",
                ErrorCode.TOO_LARGE,
                "send all 100,001 rows of table mid to every server, at most 100,000");
        TestingPlan filtered = plan(200_000, 100_001, 0);
        String plan = answer(filtered, "EXPLAIN SELECT count(*) FROM big JOIN mid ON b_mid = m_id AND m_text = 'x'");
        assertThat(plan).contains("broadcast mid from 2 actors of mid: 100,001 rows, ");
        refused(
                plan(9, 100_001, 0),
                "SELECT count(*) FROM big LEFT JOIN mid ON b_mid = m_id",
                ErrorCode.TOO_LARGE,
                "send all 100,001 rows of table mid");
    }

    @Test
    void anEqualityThatLeavesAllRowsIsNoCondition() {
        refused(plan(200_000, 100_001, 2), JOIN, ErrorCode.TOO_LARGE, "send all 100,001 rows of table mid");
    }

    @Test
    void whatIsSentHasALimitInBytes() {
        TestingPlan plan = plan(500_000, 400_000, 0).values(SqlPlannerTest::scrambled);
        refused(
                plan,
                "SELECT m_text, count(*) FROM big JOIN mid ON b_mid = m_id WHERE m_id > 1 GROUP BY m_text",
                ErrorCode.TOO_LARGE,
                "at most 1,000,000 rows of 7,340,032 bytes are");
    }

    /** Returns texts that do not compress well. */
    private static String scrambled(String seed) {
        StringBuilder text = new StringBuilder();
        long state = seed.hashCode() * 0x9e3779b97f4a7c15L + seed.length();
        for (int i = 0; i < 4; i++) {
            state = (state ^ (state >>> 29)) * 0xbf58476d1ce4e5b9L;
            text.append(Long.toString(state, 36));
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT 1 FROM big, mid                                    | UNSUPPORTED | line 1, column 20: a join without an equality, such as a.x = b.y, of table mid",
                "SELECT 1 FROM big, mid, small WHERE b_mid = m_id AND m_small > s_id | UNSUPPORTED | line 1, column 25: a join without",
                "SELECT 1 FROM big LEFT JOIN mid ON b_id = 1               | UNSUPPORTED | line 1, column 24: a LEFT or RIGHT JOIN whose ON has no equality",
                "SELECT 1 FROM big FULL JOIN mid ON b_mid = m_id           | UNSUPPORTED | line 1, column 24: FULL JOIN is not supported",
                "SELECT 1 FROM big NATURAL JOIN mid                        | UNSUPPORTED | line 1, column 27: a join with NATURAL or USING",
                "SELECT 1 FROM big JOIN mid USING (m_id)                   | UNSUPPORTED | line 1, column 19: a join with NATURAL or USING",
                "SELECT 1 FROM big, (SELECT m_id FROM mid) AS m            | UNSUPPORTED | line 1, column 38: a join without an equality",
                "SELECT 1 FROM big WHERE b_id IN (SELECT m_id FROM nosuch) | INVALID_ARGUMENT | line 1, column 51: table nosuch does not exist",
                "SELECT 1 FROM (SELECT b_id FROM big) AS d WHERE x = 1     | INVALID_ARGUMENT | line 1, column 49: Column 'x' not found",
                "SELECT 1 FROM big, nosuch WHERE b_id = x                  | INVALID_ARGUMENT | line 1, column 20: table nosuch does not exist",
                "SELECT 1 FROM mid                                         | INVALID_ARGUMENT | the query was sent to table big, but FROM names mid",
                "SELECT 1 FROM big, mid WHERE b_text = m_id                | INVALID_ARGUMENT | line 1, column 30: a VARCHAR cannot be compared",
                "SELECT 1 FROM big, BIG WHERE b_id = 1                     | INVALID_ARGUMENT | Duplicate relation name"
            })
    void whatIsWrongIsRefused(String sql, ErrorCode code, String message) {
        refused(plan(1, 1, 1), sql, code, message);
    }

    @Test
    void subQueriesAreAnsweredBeforeTheQueryAroundThem() {
        TestingPlan plan = plan(5, 3, 2);
        answer(
                plan,
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid WHERE m_small IN (SELECT s_id FROM small))");
        assertThat(plan.asked)
                .containsExactly("PARTIAL small []", "PARTIAL mid [] given [2]", "PARTIAL big [] given [1]");
    }

    @Test
    void aSubQueryIsAskedForWhatIsWantedWhereThatIsLess() {
        String sql = "SELECT b_id FROM big WHERE b_text = 'x' AND EXISTS (SELECT 1 FROM mid WHERE m_id = b_mid)";
        TestingPlan less = plan(20_000, 20_000, 0);
        answer(less, sql);
        assertThat(less.asked)
                .containsExactly(
                        "COUNT mid []",
                        "COUNT big []",
                        "PARTIAL big []",
                        "PARTIAL mid [] given [2]",
                        "PARTIAL big [] given [1]");
        TestingPlan more = plan(20_001, 20_000, 0);
        answer(more, sql);
        assertThat(more.asked)
                .containsExactly("COUNT mid []", "COUNT big []", "PARTIAL mid []", "PARTIAL big [] given [1]");
        TestingPlan small = plan(1, 9_999, 0);
        answer(small, sql);
        assertThat(small.asked).containsExactly("COUNT mid []", "PARTIAL mid []", "PARTIAL big [] given [1]");
    }

    @Test
    void noSubQuerySendsALargeTableWhole() {
        refused(
                plan(200_000, 100_001, 0),
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid)",
                ErrorCode.TOO_LARGE,
                "line 1, column 38: the sub-query has more than 100,000 rows or groups of all those of table mid");
        refused(
                plan(200_000, 1_000_001, 0),
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid WHERE m_small > 1)",
                ErrorCode.TOO_LARGE,
                "line 1, column 38: the sub-query has 1,000,001 rows");
    }

    /** Actors report only that their rows, or groups, are too many. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid)",
                "SELECT b_id FROM big WHERE b_mid NOT IN (SELECT m_small FROM mid)",
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid GROUP BY m_id)",
                "SELECT b_id FROM big WHERE b_mid IN (SELECT m_id FROM mid ORDER BY m_id LIMIT 200000)",
                "SELECT b_id FROM big WHERE b_mid > (SELECT max(m_small) FROM mid WHERE m_id = b_mid)",
                "SELECT b_id FROM big WHERE EXISTS (SELECT 1 FROM mid WHERE m_id = b_mid AND m_small <> b_id)",
                "SELECT b_id FROM big LEFT JOIN (SELECT m_id AS k FROM mid) AS d ON k = b_mid",
                "SELECT max(n) FROM big, (SELECT m_id, m_small, count(*) AS n FROM mid GROUP BY m_id, m_small) AS d"
                        + " WHERE m_id = b_mid",
                "WITH d AS (SELECT DISTINCT m_id, m_small FROM mid) SELECT b_id FROM big, d WHERE m_id = b_mid"
            })
    void noSubQueryBringsALargeTableWhole(String sql) {
        TestingPlan plan = plan(400_000, 300_000, 0);
        refused(plan, sql, ErrorCode.TOO_LARGE, "the sub-query has more than 100,000 rows or groups of all those");
        assertThat(plan.partial).isEqualTo(100_001);
        TestingPlan most = plan(400_000, 100_000, 0);
        answer(most, sql);
    }

    @Test
    void oneValueIsNotSeveral() {
        refused(
                plan(1, 2, 0),
                "SELECT b_id FROM big WHERE b_mid = (SELECT m_id FROM mid)",
                ErrorCode.INVALID_ARGUMENT,
                "line 1, column 36: the sub-query has 2 rows where one value is wanted");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    r_id BETWEEN 5 AND 10 | [0, 1]
                    r_id BETWEEN 10 AND 19 | [1]
                    r_id BETWEEN -3 AND 9 | [0]
                    r_id > 9 AND r_id < 20 | [1]
                    r_id >= 20 | [2]
                    r_id > 18 AND 12 > r_id | [0]
                    19 < r_id | [2]
                    r_id <= 20 AND r_id > 15 | [1, 2]
                    r_id > 9223372036854775807 | [0]
                    r_id < 10 AND r_v > 30 | [0]
                    r_id NOT BETWEEN 5 AND 10 |
                    r_id > 15 OR r_id < 3 |
                    r_id > 1.5e1 |
                    r_id > 19.5 |
                    r_v > 15 |
                    """)
    void actorsWhoseRangeIsLeftOutAreNotAsked(String condition, @Nullable String actors) {
        TestingPlan plan =
                plan(1, 1, 1).table("big", "r_id bigint, r_v bigint", 1, new Partitioner.Range(List.of(10L, 20L)));
        answer(plan, "SELECT r_v FROM big WHERE " + condition);
        assertThat(plan.asked).containsExactly("PARTIAL big []" + (actors == null ? "" : " of " + actors));
    }

    @Test
    void actorsThatCannotHaveTheKeyAreNotAsked() {
        TestingPlan plan = plan(1, 1, 1);
        answer(plan, "SELECT b_mid FROM big WHERE b_id = 1");
        answer(plan, "SELECT b_mid FROM big WHERE b_id IN (1, 2, 3, 4, 5, 6, 7, 8, 9)");
        answer(plan, "SELECT b_mid FROM big WHERE b_id = 1 OR b_mid = 2");
        answer(plan, "SELECT b_mid FROM big WHERE b_id > 1");
        // Compared as doubles: several keys are equal to it.
        answer(plan, "SELECT b_mid FROM big WHERE b_id = 1e18");
        answer(plan, "SELECT b_mid FROM big WHERE b_id IN (1, 1e0)");
        assertThat(plan.asked.get(0)).startsWith("PARTIAL big [] of [");
        assertThat(plan.asked.subList(1, 6)).containsOnly("PARTIAL big []");
    }

    @Test
    void tooManyTables() {
        refused(
                plan(1, 1, 1),
                "SELECT 1 FROM " + "big, ".repeat(16) + "big",
                ErrorCode.UNSUPPORTED,
                "more than 16 tables");
    }

    /** Each may take rounds of its own: more would only end at the deadline. */
    @Test
    void tooManySubQueries() {
        refused(
                plan(1, 1, 1),
                subQueries(ParsedQuery.SELECTS_MAX),
                ErrorCode.UNSUPPORTED,
                "line 65, column 12: a query has at most 64 SELECTs");
        TestingPlan most = plan(1, 1, 1);
        answer(most, subQueries(ParsedQuery.SELECTS_MAX - 1));
        assertThat(most.asked).hasSize(ParsedQuery.SELECTS_MAX);
    }

    private static String subQueries(int count) {
        StringBuilder sql = new StringBuilder("SELECT b_id FROM big WHERE b_id > 0");
        for (int i = 0; i < count; i++) {
            sql.append("\nAND b_id > (SELECT max(m_id) + ").append(i).append(" FROM mid)");
        }
        return sql.toString();
    }

    @Test
    void someActorsAreNotAskedForAJoin() {
        QueryText some = new QueryText(new TableName("big"), JOIN, List.of(1));
        assertThatThrownBy(() -> planner().answer(some, plan(1, 1, 1))).hasMessageContaining("needs all actors");
    }
}
