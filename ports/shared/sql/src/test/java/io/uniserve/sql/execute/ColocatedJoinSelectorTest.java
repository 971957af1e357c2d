package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.SqlActorView;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.ColocatedJoinSelector;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Co-located joins. */
class ColocatedJoinSelectorTest {
    private static final String JOIN = "SELECT count(*) FROM big, mid WHERE b_id = m_id AND m_small > 1";

    private final SqlPlanner planner = new SqlPlanner(
            new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
            (tables, statement, life) -> Objects.requireNonNull(tables.get(StatementNaming.PARTS)),
            Optional.of(SqlShuffleOperators.calls("test", "v1")));

    private static TestingPlan plan(long big, long mid, long small) {
        return TestingPlan.together(big, mid, small);
    }

    private String answer(TestingPlan plan, String sql) {
        return planner.answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    @Test
    void aTableWhoseKeyEqualsTheKeyIsNotSent() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        String told = answer(plan, "EXPLAIN " + JOIN);
        assertThat(plan.asked).containsExactly("COUNT big []", "COUNT mid []", "PARTIAL big [] beside [mid]");
        assertThat(told)
                .contains("joined beside it: mid, about 6,000 rows; ")
                .contains("SELECT \"m_id\" AS c0 FROM mid AS rows WHERE (\"m_small\" > 1)")
                .doesNotContain("broadcast")
                .doesNotContain("send by key");
    }

    @Test
    void soIsTheRightOfALeftJoin() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        answer(plan, "SELECT count(m_text) FROM big LEFT JOIN mid ON b_id = m_id AND m_small > 1");
        assertThat(plan.asked).endsWith("PARTIAL big [] beside [mid]");
    }

    @Test
    void othersAreSentAsBefore() {
        TestingPlan plan = plan(7_000, 6_000, 2);
        answer(plan, "SELECT count(*) FROM big, mid, small WHERE b_id = m_id AND m_small = s_id");
        assertThat(plan.asked).endsWith("SIDE small []", "PARTIAL big [2] beside [mid]");
    }

    @Test
    void anotherColumnThanTheKeyIsNoReason() {
        for (String on : new String[] {"b_mid = m_id", "b_id = m_small", "b_text = m_text"}) {
            TestingPlan plan = plan(7_000, 6_000, 0);
            answer(plan, "SELECT count(*) FROM big, mid WHERE " + on);
            assertThat(plan.asked).endsWith("SIDE mid []", "PARTIAL big [1]");
        }
    }

    @Test
    void norIsATableElsewhereOrAFewRowsOrAHint() {
        TestingPlan apart = plan(7_000, 6_000, 0);
        apart.together = false;
        answer(apart, JOIN);
        assertThat(apart.asked).endsWith("SIDE mid []", "PARTIAL big [1]");
        TestingPlan few = plan(7_000, ColocatedJoinSelector.ROWS_MIN - 1, 0);
        answer(few, JOIN + " AND m_small > 2");
        assertThat(few.asked).endsWith("SIDE mid []", "PARTIAL big [1]");
        TestingPlan hinted = plan(7_000, 6_000, 0);
        answer(hinted, JOIN.replace("SELECT", "SELECT /*+ shuffle */"));
        assertThat(hinted.asked).anyMatch(step -> step.startsWith("SCATTER"));
    }

    /** A table that stays in place does not reduce others. */
    @Test
    void aTableThatMakesALargerOneSmallerIsSent() {
        String sql = "SELECT count(*) FROM big, mid, small WHERE b_id = m_id AND m_small = s_id AND m_text = 'x'";
        TestingPlan larger = plan(90_000, 6_000, 6_001);
        answer(larger, sql);
        assertThat(larger.asked).endsWith("SIDE mid []", "SIDE small [1]", "PARTIAL big [1, 2]");
        TestingPlan smaller = plan(90_000, 6_000, 6_000);
        answer(smaller, sql + " AND s_text = 'y'");
        assertThat(smaller.asked).endsWith("SIDE small []", "PARTIAL big [2] beside [mid]");
    }

    @Test
    void whatIsNotThereIsSentAndNotLookedForAgainForAWhile() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        plan.beside = false;
        String told = answer(plan, "EXPLAIN " + JOIN);
        assertThat(plan.asked).endsWith("PARTIAL big [] beside [mid]", "SIDE mid []", "PARTIAL big [1]");
        assertThat(told).contains("not all of [mid] is where big is: once more, sent");
        plan.asked.clear();
        answer(plan, JOIN); // a single failure is not enough
        assertThat(plan.asked).containsExactly("PARTIAL big [] beside [mid]", "SIDE mid []", "PARTIAL big [1]");
        plan.asked.clear();
        answer(plan, JOIN);
        assertThat(plan.asked).containsExactly("SIDE mid []", "PARTIAL big [1]");
        plan.asked.clear();
        plan.beside = true;
        plan.nanos = CardinalityCache.FRESH_NANOS + 1;
        answer(plan, JOIN);
        assertThat(plan.asked).endsWith("PARTIAL big [] beside [mid]");
    }

    @Test
    void whatWasThereInBetweenIsStillLookedFor() {
        TestingPlan plan = plan(7_000, 6_000, 0);
        for (int round = 0; round < 3; round++) {
            plan.beside = false;
            answer(plan, JOIN);
            plan.beside = true;
            plan.asked.clear();
            answer(plan, JOIN);
            assertThat(plan.asked).containsExactly("PARTIAL big [] beside [mid]");
        }
    }

    /** Each of the two may be co-located with the stationary table, but not both. */
    @Test
    void ofTablesThatAreNotAllTogetherTheLargerIsJoinedWhereItIs() {
        TestingPlan plan = plan(90_000, 6_000, 7_000);
        plan.togetherMax = 1;
        answer(plan, "SELECT count(*) FROM big, mid, small WHERE b_id = m_id AND b_id = s_id AND m_small > 1");
        assertThat(plan.asked).endsWith("SIDE mid []", "PARTIAL big [1] beside [small]");
    }

    /** Without the rows of mid nothing is reduced. */
    @Test
    void whatIsTooLargeThenIsSentAsBefore() {
        TestingPlan plan = plan(300_000, 150_000, 100_001)
                .values(row -> row.startsWith("small") ? "1" : row.substring(row.lastIndexOf(' ') + 1));
        String sql =
                "EXPLAIN SELECT count(*) FROM big, mid, small WHERE b_id = m_id AND m_small = s_id AND m_text = 'x'";
        assertThat(answer(plan, sql))
                .contains("joined beside it: mid")
                .contains("what is sent is too large where [mid] makes nothing smaller: once more, sent");
        assertThat(plan.asked).doesNotContain("PARTIAL big [2] beside [mid]");
    }

    @Test
    void anActorWritesWhatItReadsBesideIt() {
        SqlQuery query = SqlQuery.of(JOIN, Map.of("big", whole("big"), "mid", whole("mid")))
                .withStep(SqlQuery.Step.PARTIAL, 0, 0, Map.of(), Map.of(1, new TableName("mid")));
        ActorStatement work =
                SqlQuery.CODEC.decode(SqlQuery.CODEC.encode(query)).work(whole("big"), 0);
        assertThat(work.statement(beside(whole("mid")), Other.class, other -> "there.rows"))
                .hasValue("SELECT * FROM (WITH b1 AS NOT MATERIALIZED (SELECT \"m_id\" AS c0 FROM there.rows AS rows"
                        + " WHERE (\"m_small\" > 1)) " + work.statement() + ")");
        assertThat(work.statement(beside(whole("small")), Other.class, other -> "there.rows"))
                .isEmpty();
        assertThat(work.statement(new Context(Optional.empty()), Other.class, other -> "there.rows"))
                .isEmpty();
        assertThatThrownBy(() ->
                        query.withStep(SqlQuery.Step.PARTIAL, 0, 0, Map.of()).work(whole("big"), 0))
                .hasMessageContaining("needs the rows of tables [1]");
        Map<Integer, TableName> itself = Map.of(0, new TableName("big"), 1, new TableName("mid"));
        assertThatThrownBy(() -> query.withStep(SqlQuery.Step.PARTIAL, 0, 0, Map.of(), itself)
                        .work(whole("big"), 0))
                .hasMessageContaining("table 0 of FROM cannot be joined in place");
    }

    private static ColumnSchema whole(String table) {
        return ColumnSchema.of(plan(1, 1, 1).table(new TableName(table)));
    }

    private static OperatorContext beside(ColumnSchema columns) {
        return new Context(Optional.of(new Other(columns)));
    }

    private record Context(Optional<ActorView> other) implements OperatorContext {
        @Override
        public int actor() {
            return 0;
        }

        @Override
        public long remainingNanos() {
            return 1;
        }

        @Override
        public void checkActive() {}

        @Override
        public Optional<ActorView> colocatedActor(TableName table) {
            return table.value().equals("mid") ? other : Optional.empty();
        }
    }

    private record Other(ColumnSchema columns) implements SqlActorView {
        @Override
        public Path scratch() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<Path, Long> export(ActorStatement work, Path folder, OperatorContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SqlRows answer(ActorStatement work, OperatorContext context) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ActorUsage usage() {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] digest() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }
}
