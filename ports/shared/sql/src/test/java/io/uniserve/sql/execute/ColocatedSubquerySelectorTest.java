package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.QueryBlock;
import io.uniserve.sql.plan.QueryStage;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.BroadcastSize;
import io.uniserve.sql.rows.SqlRows;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sub-queries that are checked in place. */
class ColocatedSubquerySelectorTest {
    private static final String SAME = "SELECT count(*) FROM big x WHERE x.b_mid > 5 AND NOT EXISTS"
            + " (SELECT * FROM big y WHERE y.b_id = x.b_id AND y.b_mid <> x.b_mid AND y.b_text = 'z')";
    private static final String OTHER =
            "SELECT count(*) FROM big WHERE EXISTS (SELECT 1 FROM mid WHERE m_id = b_id AND m_small > 1)";

    private final SqlPlanner planner = new SqlPlanner(
            new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
            (tables, statement, life) -> Objects.requireNonNull(tables.get(StatementNaming.PARTS)),
            Optional.of(SqlShuffleOperators.calls("test", "v1")));

    private static TestingPlan plan(long big, long mid, long small) {
        return TestingPlan.together(big, mid, small)
                .table("more", "r_id bigint, r_text varchar", mid, new Partitioner.Hash(3));
    }

    private String answer(TestingPlan plan, String sql) {
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    @Test
    void aSubQueryOfTheSameTableIsAskedOfNobodyElse() {
        TestingPlan plan = plan(7_000, 0, 0).counted("big", 7_000_000);
        String told = answer(plan, "EXPLAIN " + SAME);
        assertThat(plan.asked).containsExactly("COUNT big []", "PARTIAL big []");
        assertThat(told)
                .contains("checked beside it: big AS y, of sub-query q1, line 1, column 61, about 7,000,000 rows; ")
                .contains(
                        "NOT (EXISTS (SELECT 1 FROM q1 AS s1 WHERE (s1.c0 = rows.\"b_id\") AND ((s1.c1 <> rows.\"b_mid\") IS TRUE)))")
                .doesNotContain("the query:");
    }

    @Test
    void oneOfATableWithTheSameKeysIsReadBeside() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        String told = answer(plan, "EXPLAIN " + OTHER);
        assertThat(plan.asked).containsExactly("COUNT mid []", "PARTIAL big [] beside [mid]");
        assertThat(told)
                .contains("checked beside it: mid, of sub-query q1, line 1, column 39, about 6,000 rows; ")
                .contains(
                        "WITH rows AS NOT MATERIALIZED (SELECT * FROM mid), parts AS NOT MATERIALIZED (SELECT \"m_id\" AS c0"
                                + " FROM rows WHERE (\"m_small\" > 1)) SELECT c0 FROM parts");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "b_id IN (SELECT m_id FROM mid WHERE m_small > 1)",
                "b_id NOT IN (SELECT m_id FROM mid WHERE m_small > 1)",
                "b_mid NOT IN (SELECT m_small FROM mid WHERE m_id = b_id)",
                "b_id IN (SELECT m_id FROM mid WHERE m_small = b_mid)",
                "b_id IN (SELECT m_id FROM mid GROUP BY m_id, m_text)",
                "b_mid > (SELECT max(m_small) FROM mid WHERE m_id = b_id)",
                "(b_mid = 1 OR EXISTS (SELECT 1 FROM mid WHERE b_id = m_id))",
                "EXISTS (SELECT 1 FROM mid WHERE b_id = m_id AND m_small IN (SELECT s_id FROM small))"
            })
    void soAreOthersWhoseKeysAreEqual(String condition) {
        TestingPlan plan = plan(7_000, 6_000, 3);
        answer(plan, "SELECT count(*) FROM big WHERE " + condition);
        assertThat(plan.asked.get(plan.asked.size() - 1))
                .startsWith("PARTIAL big []")
                .endsWith("beside [mid]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "b_mid IN (SELECT m_id FROM mid WHERE m_small > 1)",
                "b_id IN (SELECT m_small FROM mid WHERE m_small > 1)",
                "EXISTS (SELECT 1 FROM mid WHERE m_id = b_id + 1)",
                "EXISTS (SELECT 1 FROM more WHERE r_id = b_id)",
                "EXISTS (SELECT 1 FROM mid, small WHERE m_id = b_id AND m_small = s_id)",
                "b_id IN (SELECT max(m_id) FROM mid GROUP BY m_small)",
                "b_id IN (SELECT m_id FROM mid ORDER BY m_id LIMIT 50)",
                "EXISTS (SELECT 1 FROM mid WHERE m_text = b_text)"
            })
    void othersAreAnsweredBefore(String condition) {
        TestingPlan plan = plan(7_000, 6_000, 3);
        answer(plan, "SELECT count(*) FROM big WHERE " + condition);
        assertThat(plan.asked.get(plan.asked.size() - 1)).startsWith("PARTIAL big [] given [");
    }

    /** HAVING is evaluated when the groups are merged, like ORDER BY. */
    @Test
    void whatIsNotInWhereIsAnsweredBefore() {
        TestingPlan plan = plan(7_000, 6_000, 3);
        answer(
                plan,
                "EXPLAIN SELECT b_id, count(*) FROM big GROUP BY b_id HAVING b_id IN (SELECT m_id FROM mid WHERE m_small > 1)");
        assertThat(plan.asked).contains("PARTIAL mid []").doesNotContain("PARTIAL big [] beside [mid]");
    }

    @Test
    void fewRowsOrAHintOrAnotherPlaceAreReasonsToAnswerBefore() {
        TestingPlan few = plan(7_000, BroadcastSize.checkedRowsMin() - 1, 0);
        answer(few, OTHER);
        assertThat(few.asked).endsWith("PARTIAL big [] given [1]");
        TestingPlan hinted = plan(7_000, 6_000, 0);
        answer(hinted, OTHER.replaceFirst("SELECT", "SELECT /*+ shuffle */"));
        assertThat(hinted.asked).endsWith("PARTIAL big [] given [1]");
        TestingPlan apart = plan(7_000, 6_000, 0);
        apart.together = false;
        answer(apart, OTHER);
        assertThat(apart.asked).endsWith("PARTIAL big [] given [1]");
    }

    /** HAVING mostly leaves few rows: it is answered first, and checked in place only if it is too large. */
    @Test
    void groupsWithHavingAreAskedFirst() {
        String sql = "EXPLAIN SELECT count(*) FROM big WHERE b_id IN"
                + " (SELECT m_id FROM mid GROUP BY m_id HAVING sum(m_small) > 300)";
        TestingPlan plan = plan(7_000, 6_000, 0);
        answer(plan, sql);
        assertThat(plan.asked).endsWith("PARTIAL big [] given [1]");
        TestingPlan large = plan(7_000, 1_000_001, 0);
        assertThat(answer(large, sql)).contains("checked beside it: mid, of sub-query q1");
        assertThat(large.asked).endsWith("TOP mid []", "PARTIAL big [] beside [mid]");
    }

    /** A condition on a table that is sent reduces it. */
    @Test
    void aConditionOfATableThatIsSentIsAnsweredBefore() {
        TestingPlan plan = plan(9_000, 3_000, 5_000);
        answer(
                plan,
                "SELECT count(*) FROM big, small WHERE b_id = s_id AND b_mid > 1 AND s_id IN (SELECT m_id FROM mid WHERE m_small > 1)");
        assertThat(plan.asked).contains("PARTIAL mid []");
        assertThat(plan.asked.get(plan.asked.size() - 1)).startsWith("PARTIAL big [");
    }

    @Test
    void othersAreSentOrJoinedBesideAsBefore() {
        TestingPlan plan = plan(90_000, 6_000, 20);
        String told = answer(
                plan,
                "EXPLAIN SELECT count(*) FROM big, mid, small WHERE b_id = m_id AND m_small = s_id AND NOT EXISTS"
                        + " (SELECT 1 FROM big y WHERE y.b_id = big.b_id AND y.b_mid <> big.b_mid)");
        assertThat(told)
                .containsSubsequence(
                        "in place: big", "joined beside it: mid", "checked beside it: big AS y", "broadcast small");
        assertThat(plan.asked).endsWith("SIDE small []", "PARTIAL big [2] beside [mid]");
    }

    @Test
    void whatIsNotThereIsAnsweredBefore() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        plan.beside = false;
        String told = answer(plan, "EXPLAIN " + OTHER);
        assertThat(plan.asked).endsWith("PARTIAL big [] beside [mid]", "PARTIAL mid []", "PARTIAL big [] given [1]");
        assertThat(told).contains("not all of [mid] is where big is: once more, with the sub-queries before it");
        answer(plan, OTHER);
        plan.asked.clear();
        answer(plan, OTHER);
        assertThat(plan.asked).doesNotContain("PARTIAL big [] beside [mid]").endsWith("PARTIAL big [] given [1]");
    }

    /** Otherwise the other one would be answered for all of its rows. Example: TPC-H's Q20. */
    @Test
    void whatTellsWhichRowsWantAnotherSubQueryIsAnsweredFirst() {
        TestingPlan plan = plan(20_000, 9_000, 150_000)
                .values(row -> row.startsWith("small") ? "1" : row.substring(row.lastIndexOf(' ') + 1));
        String parts = "b_id IN (SELECT m_id FROM mid WHERE m_small > 1)";
        String sums = "b_mid > (SELECT count(*) FROM small WHERE s_id = b_mid AND s_text = b_text)";
        assertThat(answer(plan, "EXPLAIN SELECT count(*) FROM big WHERE " + parts))
                .contains("checked beside it: mid");
        assertThat(answer(plan, "EXPLAIN SELECT count(*) FROM big WHERE " + parts + " AND " + sums))
                .contains("sub-query q1, ")
                .contains("rows that want the sub-query q3, ")
                .doesNotContain("checked beside it");
    }

    /** Without the sub-query more rows of another table would have to be sent than allowed. */
    @Test
    void whatIsTooLargeThenIsAskedWithTheSubQueryBefore() {
        TestingPlan plan = plan(300_000, 150_000, 100_001)
                .values(row -> row.startsWith("small") ? "1" : row.substring(row.lastIndexOf(' ') + 1));
        String sql = "EXPLAIN SELECT count(*) FROM big, small WHERE b_mid = s_id AND EXISTS (SELECT 1 FROM big y"
                + " WHERE y.b_id = big.b_id AND y.b_text = 'x')";
        assertThat(answer(plan, sql))
                .contains("checked beside it: big AS y")
                .contains("what is sent is too large: once more, with the sub-queries before it");
    }

    @Test
    void whatIsTooLargeInEveryWayIsRefused() {
        TestingPlan plan = plan(2_000_000, 0, 100_001).values(row -> "1");
        plan.shuffles = false;
        assertThatThrownBy(() -> answer(
                        plan,
                        "SELECT count(*) FROM big, small WHERE b_mid = s_id AND EXISTS (SELECT 1 FROM big y"
                                + " WHERE y.b_id = big.b_id AND y.b_text = 'x')"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void anActorWritesWhatItChecks() {
        Map<String, ColumnSchema> tables = Map.of("big", whole("big"), "mid", whole("mid"));
        SqlQuery same = checking(SqlQuery.of(SAME, Map.of("big", whole("big"))), Map.of(1, new TableName("big")));
        ActorStatement work = SqlQuery.CODEC.decode(SqlQuery.CODEC.encode(same)).work(whole("big"), 0);
        assertThat(work.statement())
                .isEqualTo("SELECT * FROM (WITH q1(c0, c1) AS NOT MATERIALIZED (WITH parts AS NOT MATERIALIZED (SELECT"
                        + " \"b_id\" AS c0, \"b_mid\" AS c1 FROM rows WHERE (\"b_text\" = 'z')) SELECT c0, c1 FROM parts)"
                        + " SELECT count(*) AS c0 FROM rows WHERE (\"b_mid\" > 5) AND (NOT (EXISTS (SELECT 1 FROM q1 AS s1"
                        + " WHERE (s1.c0 = rows.\"b_id\") AND ((s1.c1 <> rows.\"b_mid\") IS TRUE)))))");
        assertThat(work.recurs()).as("reads its own rows only").isTrue();
        SqlQuery other = checking(SqlQuery.of(OTHER, tables), Map.of(1, new TableName("mid")));
        ActorStatement beside =
                SqlQuery.CODEC.decode(SqlQuery.CODEC.encode(other)).work(whole("big"), 0);
        assertThat(beside.beside().keySet()).containsExactly("q1(c0)");
        assertThat(beside.recurs()).isFalse();
        assertThatThrownBy(() -> checking(SqlQuery.of(OTHER, tables), Map.of(0, new TableName("mid")))
                        .work(whole("big"), 0))
                .hasMessageContaining("stage 0 of the query is not a sub-query of one table");
    }

    private static SqlQuery checking(SqlQuery query, Map<Integer, TableName> checked) {
        return query.withStage(new QueryStage(QueryBlock.MAIN, false, false, Set.of(), checked), Map.of());
    }

    private static ColumnSchema whole(String table) {
        return ColumnSchema.of(plan(1, 1, 1).table(new TableName(table)));
    }
}
