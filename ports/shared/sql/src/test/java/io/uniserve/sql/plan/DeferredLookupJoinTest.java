package io.uniserve.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.model.TableName;
import io.uniserve.sql.execute.SqlPlanner;
import io.uniserve.sql.execute.SqlShuffleOperators;
import io.uniserve.sql.execute.TestingPlan;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables that are looked up after the groups are known. */
class DeferredLookupJoinTest {
    private static final String JOIN = "SELECT m_id, m_text, count(*) FROM big, mid WHERE b_mid = m_id"
            + " GROUP BY m_id, m_text ORDER BY 3 LIMIT 3";

    private String key = "7";
    private final SqlPlanner planner = new SqlPlanner(
            new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
            (tables, statement, life) -> new SqlRows(
                    List.of("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR"), List.of(List.of(key, "0", "5", key))),
            Optional.of(SqlShuffleOperators.calls("test", "v1")));

    private static TestingPlan plan(long mid) {
        return new TestingPlan()
                .table("big", "b_id bigint, b_mid bigint, b_text varchar", 7_000)
                .table("mid", "m_id bigint, m_small bigint, m_text varchar", mid)
                .table("small", "s_id bigint, s_text varchar", 3)
                .values(row -> row.substring(row.lastIndexOf(' ') + 1));
    }

    private static FragmentedPlan split(String sql, Set<Integer> after) {
        TestingPlan plan = plan(1);
        Map<String, ColumnSchema> tables = Map.of(
                "big", ColumnSchema.of(plan.table(new TableName("big"))),
                "mid", ColumnSchema.of(plan.table(new TableName("mid"))),
                "small", ColumnSchema.of(plan.table(new TableName("small"))));
        SqlQuery query = SqlQuery.of(sql, tables).withLookups(after);
        return SqlQuery.CODEC
                .decode(SqlQuery.CODEC.encode(query.withStep(SqlQuery.Step.PARTIAL, 0, 0, Map.of())))
                .fragment();
    }

    private static List<Integer> lookups(String sql) {
        TestingPlan plan = plan(1);
        Map<String, ColumnSchema> tables = Map.of(
                "big", ColumnSchema.of(plan.table(new TableName("big"))),
                "mid", ColumnSchema.of(plan.table(new TableName("mid"))),
                "small", ColumnSchema.of(plan.table(new TableName("small"))));
        return SqlQuery.of(sql, tables).withStep(SqlQuery.Step.PARTIAL, 0, 0, Map.of()).lookups().stream()
                .map(DeferredLookupJoin::item)
                .toList();
    }

    @Test
    void aTableAndOneBehindItAreLeftOut() {
        FragmentedPlan split = split(
                "SELECT s_text, m_id, sum(b_id) AS v, m_text, s_id FROM big JOIN mid ON b_mid = m_id JOIN small ON m_small = s_id"
                        + " WHERE b_text = 'x' GROUP BY m_id, m_text, s_text, s_id ORDER BY v DESC LIMIT 9",
                Set.of(1, 2));
        assertThat(split.partialStatement())
                .isEqualTo(
                        "SELECT rows.\"b_mid\" AS c0, sum(rows.\"b_id\") AS c1 FROM rows WHERE (rows.\"b_text\" = 'x')"
                                + " GROUP BY 1");
        assertThat(split.mergeStatement())
                .isEqualTo("SELECT 0, c0, sum(c1), 0, 0, c0, 0 FROM parts GROUP BY c0 ORDER BY 3 DESC LIMIT 9");
        assertThat(split.lateColumns())
                .containsExactly(
                        new FragmentedPlan.LateColumns(
                                1,
                                5,
                                0,
                                List.of(3, 6),
                                "SELECT \"m_id\" AS c0, \"m_small\" AS c1, \"m_text\" AS c2, \"m_small\" AS c3 FROM rows"
                                        + " WHERE \"m_id\" IN (SELECT c0 FROM b1)"),
                        new FragmentedPlan.LateColumns(
                                2,
                                6,
                                0,
                                List.of(0, 4),
                                "SELECT \"s_id\" AS c0, \"s_text\" AS c1, \"s_id\" AS c2 FROM rows WHERE \"s_id\" IN (SELECT c0"
                                        + " FROM b2)"));
    }

    /** A condition of an ON remains if another table of the ON is removed. */
    @Test
    void otherConditionsStay() {
        assertThat(split(
                                "SELECT m.m_id, s_text, count(*) FROM big, mid, small JOIN mid m ON s_id = m.m_id AND s_id = 3"
                                        + " WHERE b_mid = mid.m_id AND b_id = s_id AND mid.m_text > s_text"
                                        + " GROUP BY m.m_id, s_text LIMIT 3",
                                Set.of())
                        .partialStatement())
                .contains("b1.")
                .contains("b3.");
        assertThat(split(
                                "SELECT m_text, s_id, count(*) FROM (big JOIN small ON b_id = s_id) JOIN mid ON b_mid = m_id"
                                        + " AND b_text > s_text GROUP BY s_id, m_id, m_text LIMIT 3",
                                Set.of(2))
                        .partialStatement())
                .isEqualTo("SELECT b1.c0 AS c0, rows.\"b_mid\" AS c1, count(*) AS c2 FROM (rows JOIN b1 ON"
                        + " (rows.\"b_id\" = b1.c0)) WHERE (rows.\"b_text\" > b1.c1) GROUP BY 1, 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text LIMIT 3 | 1",
                "SELECT m_text, b_mid, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY b_mid, m_text LIMIT 3 | 1",
                "SELECT count(*) FROM big, mid WHERE b_mid = m_id GROUP BY b_mid LIMIT 3 | 1",
                "SELECT s_text, m_id, count(*) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id GROUP BY m_id, s_text LIMIT 3 | 1, 2",
                "SELECT s_text, m_id, count(*) FROM big, small, mid WHERE b_mid = m_id AND m_small = s_id GROUP BY m_id, s_text LIMIT 3 | 2, 1",
                "SELECT s_text, m_id, count(*) FROM big, mid, small WHERE b_mid = m_id AND b_id = s_id GROUP BY m_id, s_id, s_text LIMIT 3 | 1, 2",
                "SELECT s_text, m_id, count(*) FROM big, mid, small WHERE b_mid = m_id AND b_id = s_id GROUP BY m_id, s_text LIMIT 3 | 1",
                "SELECT s_text, m_id, count(*) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id AND s_text > 'a' GROUP BY m_id, s_text LIMIT 3 | ",
                "SELECT s_text, m_id, max(s_text) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id GROUP BY m_id, s_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text LIMIT 3 OFFSET 1 | ",
                "SELECT DISTINCT m_text, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_text LIMIT 3 | ",
                "SELECT m_text, m_id, b_id FROM big, mid WHERE b_mid = m_id LIMIT 3 | ",
                "SELECT m_text, m_id, sum(m_small) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text HAVING m_text > 'a' LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text ORDER BY m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, m_text ORDER BY max(m_small) LIMIT 3 | ",
                "SELECT upper(m_text), m_id, count(*) FROM big, mid WHERE b_mid = m_id GROUP BY m_id, upper(m_text) LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND m_small = 1 GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND b_text > m_text GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND b_id = m_small GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND b_id = m_id GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_id, s_id, count(*) FROM big, mid, small WHERE m_id = s_id AND s_id = m_id AND b_mid = m_id GROUP BY m_id, s_id LIMIT 3 | ",
                "SELECT m.m_id, s_id, n.m_id, count(*) FROM big, mid m, small, mid n WHERE m.m_id = s_id AND s_id = n.m_id AND n.m_id = m.m_id AND b_mid = s_id GROUP BY m.m_id, s_id, n.m_id LIMIT 3 | ",
                "SELECT m.m_id, s_id, n.m_id, count(*) FROM big, mid m, small, mid n WHERE m.m_id = s_id AND s_id = n.m_id AND b_mid = s_id GROUP BY m.m_id, s_id, n.m_id LIMIT 3 | 1",
                "SELECT m_text, m_small, count(*) FROM big, mid WHERE b_mid = m_small GROUP BY m_small, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big LEFT JOIN mid ON b_mid = m_id GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid + 1 = m_id GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND m_small IN (SELECT s_id FROM small) GROUP BY m_id, m_text LIMIT 3 | ",
                "SELECT m_text, m_id, count(*) FROM big, mid WHERE b_mid = m_id AND EXISTS (SELECT 1 FROM small WHERE s_id = m_small) GROUP BY m_id, m_text LIMIT 3 | "
            })
    void whichTablesMayCome(String sql, String items) {
        assertThat(lookups(sql).toString()).isEqualTo("[" + (items == null ? "" : items) + "]");
    }

    @Test
    void othersAreRefused() {
        for (Set<Integer> wrong : List.of(Set.of(0), Set.of(1), Set.of(2), Set.of(7), Set.of(1, 2, 9))) {
            assertThatThrownBy(() -> split(
                            "SELECT s_text, m_id, count(*) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id"
                                    + " GROUP BY m_id, s_text LIMIT 3",
                            wrong))
                    .hasMessageContaining("of FROM cannot come after the groups");
        }
    }

    private String answer(TestingPlan plan, String sql) {
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    @Test
    void itsColumnsComeToTheAnswersRows() {
        TestingPlan plan = plan(6_000);
        assertThat(answer(plan, JOIN)).contains("[\"7\",\"7\",\"5\"]");
        assertThat(plan.asked).containsExactly("COUNT big []", "COUNT mid []", "PARTIAL big []", "LATE mid [1]");
    }

    @Test
    void ofFewRowsItIsJoined() {
        TestingPlan few = plan(LateMaterialization.TABLE_ROWS_MIN - 1);
        answer(few, JOIN);
        assertThat(few.asked).endsWith("SIDE mid []", "PARTIAL big [1]");
    }

    @Test
    void whereAKeyHasNoRowTheTableIsJoinedForAWhile() {
        TestingPlan plan = plan(6_000);
        key = "6000";
        assertThat(answer(plan, "EXPLAIN " + JOIN)).contains("mid has no row for a key; ");
        assertThat(plan.asked).endsWith("PARTIAL big []", "LATE mid [1]", "SIDE mid []", "PARTIAL big [1]");
        plan.asked.clear();
        answer(plan, JOIN);
        assertThat(plan.asked).endsWith("SIDE mid []", "PARTIAL big [1]");
        assertThat(plan.asked).doesNotContain("PARTIAL big []");
        plan.nanos = CardinalityCache.FRESH_NANOS + 1;
        answer(plan, JOIN); // again, and so for twice as long
        plan.nanos = 3 * CardinalityCache.FRESH_NANOS;
        plan.asked.clear();
        answer(plan, JOIN);
        assertThat(plan.asked).endsWith("SIDE mid []", "PARTIAL big [1]").doesNotContain("PARTIAL big []");
        plan.nanos = 4 * CardinalityCache.FRESH_NANOS;
        key = "7";
        plan.asked.clear();
        answer(plan, JOIN);
        assertThat(plan.asked).endsWith("PARTIAL big []", "LATE mid [1]");
    }
}
