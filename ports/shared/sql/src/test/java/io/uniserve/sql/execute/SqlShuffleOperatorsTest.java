package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.plan.ShuffleQuery.Link;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Choice of the shuffled tables and their columns, and the request of every step. */
class SqlShuffleOperatorsTest {
    private static final String JOIN =
            "SELECT b_text, count(*) FROM big, mid, small WHERE b_mid = m_id AND m_small = s_id"
                    + " AND s_text = 'x' AND b_id > 7 GROUP BY b_text";

    private static SqlPlanner planner() {
        return new SqlPlanner(
                new RetrieveCall<>("test.select@1", SqlQuery.CODEC, SqlRows.CODEC),
                (parts, statement, life) -> Objects.requireNonNull(parts.get(StatementNaming.PARTS)),
                Optional.of(SqlShuffleOperators.calls("test", "v1")));
    }

    private static TestingPlan plan(long big, long mid) {
        return new TestingPlan()
                .table("big", "b_id bigint, b_mid integer, b_text varchar, b_price decimal(9,2), b_rate double", big)
                .table("mid", "m_id bigint, m_small bigint, m_text varchar, m_price decimal(15,2), m_rate double", mid)
                .table("small", "s_id bigint, s_text varchar", 2);
    }

    private static String answer(TestingPlan plan, String sql) {
        return planner()
                .answer(new QueryText(new TableName("big"), sql), plan)
                .body()
                .utf8();
    }

    @Test
    void aTableThatIsTooLargeIsCutWithTheOneThatStays() {
        TestingPlan plan = plan(200_000, 150_000);
        String told = answer(plan, "EXPLAIN " + JOIN);
        assertThat(plan.asked)
                .containsExactly(
                        "COUNT big []",
                        "COUNT mid []",
                        "COUNT small []",
                        "SIDE small []",
                        "SIDE mid [2]",
                        "SCATTER big [] SELECT \"b_text\" AS c0, \"b_id\" AS c1, \"b_mid\" AS c2,"
                                + " CAST(hash(CAST(\"b_mid\" AS BIGINT)) % 2 AS INTEGER) AS s FROM rows"
                                + " WHERE (\"b_id\" > 7) AND \"b_mid\" IS NOT NULL",
                        "SCATTER mid [b2] SELECT \"m_id\" AS c0, \"m_small\" AS c1,"
                                + " CAST(hash(CAST(\"m_id\" AS BIGINT)) % 2 AS INTEGER) AS s FROM rows"
                                + " WHERE \"m_small\" IN (SELECT c0 FROM b2) AND \"m_id\" IS NOT NULL",
                        "GATHER big SELECT * FROM (WITH rows AS (SELECT c0 AS \"b_text\", c1 AS \"b_id\", c2 AS \"b_mid\" FROM files),"
                                + " b1 AS (SELECT CAST(NULL AS BIGINT) AS c0, CAST(NULL AS BIGINT) AS c1 WHERE 1 = 0)"
                                + " SELECT rows.\"b_text\" AS c0, count(*) AS c1 FROM ((rows CROSS JOIN b1) CROSS JOIN b2)"
                                + " WHERE (rows.\"b_id\" > 7) AND (rows.\"b_mid\" = b1.c0) AND (b1.c1 = b2.c0) GROUP BY 1)");
        assertThat(told)
                .contains("shuffle big by b_mid from 2 actors of big: 3 rows, 4,000 bytes")
                .contains("shuffle mid by m_id from 2 actors of mid: 3 rows")
                .contains("joined in 2 slots, at the actors of big: 1 row of 3 rows")
                .contains("; 2 attempts");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"b_mid = m_id     | BIGINT", "b_text = m_text  | VARCHAR", "b_price = m_price| DECIMAL(38,2)"})
    void columnsAreCutAsWhatTheyHaveInCommon(String equality, String type) {
        TestingPlan plan = plan(3, 2);
        answer(plan, "SELECT /*+ shuffle */ count(*) FROM big JOIN mid ON " + equality);
        assertThat(plan.asked)
                .filteredOn(step -> step.startsWith("SCATTER"))
                .hasSize(2)
                .allSatisfy(step -> assertThat(step).contains(" AS " + type + ")) % 2"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT count(*) FROM big JOIN mid ON b_rate = m_rate",
                "SELECT count(*) FROM big JOIN mid ON b_mid = m_price",
                "SELECT count(*) FROM big JOIN mid ON b_mid + 1 = m_id",
                "SELECT count(*) FROM big LEFT JOIN mid ON b_mid = m_price",
                "SELECT count(*) FROM big LEFT JOIN (small s LEFT JOIN mid ON s_id = m_small) ON b_mid = m_id"
            })
    void whatHasNoSuchColumnsIsNotCut(String sql) {
        TestingPlan plan = plan(200_000, 150_000);
        assertThatThrownBy(() -> answer(plan, sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
        assertThat(plan.asked).noneMatch(step -> step.startsWith("SCATTER"));
        TestingPlan small = plan(3, 2);
        answer(small, sql.replace("SELECT", "SELECT /*+ shuffle */"));
        assertThat(small.asked).noneMatch(step -> step.startsWith("SCATTER"));
    }

    @Test
    void rowsOfALeftJoinThatMatchNothingAreKeptOnce() {
        TestingPlan plan = plan(200_000, 150_000);
        answer(
                plan,
                "SELECT /*+ shuffle */ count(*) FROM big LEFT JOIN mid ON m_id = b_mid AND m_text = 'x' WHERE b_id > 7");
        assertThat(plan.asked)
                .contains("SCATTER big [] SELECT \"b_id\" AS c0, \"b_mid\" AS c1, CASE WHEN \"b_mid\" IS NULL THEN 0"
                        + " ELSE CAST(hash(CAST(\"b_mid\" AS BIGINT)) % 2 AS INTEGER) END AS s FROM rows"
                        + " WHERE (\"b_id\" > 7)")
                .anySatisfy(step -> assertThat(step)
                        .startsWith("SCATTER mid")
                        .contains("WHERE (\"m_text\" = 'x') AND \"m_id\" IS NOT NULL"));
    }

    @Test
    void aHintIsAComment() {
        for (String sql : List.of(
                "SELECT count(*) FROM big JOIN mid ON b_mid = m_id WHERE b_text <> '/*+ shuffle */'",
                "SELECT count(*) AS \"/*+ shuffle */\" FROM big JOIN mid ON b_mid = m_id",
                "SELECT count(*) -- /*+ shuffle */\n FROM big JOIN mid ON b_mid = m_id")) {
            TestingPlan plan = plan(3, 2);
            answer(plan, sql);
            assertThat(plan.asked).noneMatch(step -> step.startsWith("SCATTER"));
        }
        TestingPlan plan = plan(3, 2);
        answer(plan, "SELECT /*+ SHUFFLE */ count(*) FROM big JOIN mid ON b_mid = m_id WHERE b_text <> 'it''s'");
        assertThat(plan.asked).anyMatch(step -> step.startsWith("SCATTER"));
        TestingPlan session = plan(3, 2);
        session.shuffles = false;
        answer(session, "SELECT /*+ shuffle */ count(*) FROM big JOIN mid ON b_mid = m_id");
        assertThat(session.asked).noneMatch(step -> step.startsWith("SCATTER"));
    }

    @Test
    void whatDoesNotFitTheQueryIsRefused() {
        TestingPlan plan = plan(3, 2);
        answer(plan, "SELECT /*+ shuffle */ count(*) FROM big JOIN mid ON b_mid = m_id");
        Map<String, io.uniserve.api.extra.ColumnSchema> tables = Map.of(
                "big", io.uniserve.api.extra.ColumnSchema.of(plan.table(new TableName("big"))),
                "mid", io.uniserve.api.extra.ColumnSchema.of(plan.table(new TableName("mid"))));
        SqlQuery query = SqlQuery.of("SELECT count(*) FROM big JOIN mid ON b_mid = m_id", tables)
                .withStep(SqlQuery.Step.SIDE, 0, 1, Map.of());
        ShuffleQuery good = new ShuffleQuery(query, List.of(new Link(1, "m_id", 0, "b_mid")), 0);
        ColumnSchema mid = Objects.requireNonNull(query.tables().get("mid"));
        good.scatter(mid, 4, key -> key);
        assertThatThrownBy(() -> new ShuffleQuery(query, List.of(new Link(1, "x\" OR 1 = 1 --", 0, "b_mid")), 0)
                        .scatter(mid, 4, key -> key))
                .hasMessageContaining("table mid has no column");
        assertThatThrownBy(() -> new ShuffleQuery(query, List.of(new Link(2, "m_id", 0, "b_mid")), 0)
                        .scatter(mid, 4, key -> key))
                .hasMessageContaining("table to shuffle is 2, and the query has 2 tables");
        for (List<Link> links : List.of(
                List.<Link>of(),
                List.of(new Link(0, "b_mid", 0, "b_mid")),
                List.of(new Link(1, "m_text", 0, "b_mid")),
                List.of(new Link(1, "m_id", 0, "b_mid"), new Link(1, "m_id", 0, "b_mid")))) {
            assertThatThrownBy(() -> new ShuffleQuery(query, links, 0).scatter(mid, 4, key -> key))
                    .hasMessageContaining("cannot be shuffled");
        }
        assertThatThrownBy(
                        () -> good.scatter(Objects.requireNonNull(query.tables().get("big")), 4, key -> key))
                .hasMessageContaining("other columns than the query was made for");
        assertThatThrownBy(() -> good.join("f", "g", 4, key -> key, 0)).hasMessageContaining("link 0 of 1 of a join");
        assertThatThrownBy(() -> good.gather(Optional.empty(), Optional.empty()))
                .hasMessageContaining("ends at link 0");
        SqlQuery sent = query.withStep(
                SqlQuery.Step.SIDE, 0, 0, Map.of(1, PackedRows.of(new SqlRows(List.of("BIGINT"), List.of()))));
        assertThatThrownBy(() -> new ShuffleQuery(sent, good.links(), 1).gather(Optional.empty(), Optional.empty()))
                .hasMessageContaining("needs the rows of tables []");
    }

    private static final String CHAIN =
            "SELECT b_text, count(*), max(m_text) FROM big, mid, more, small WHERE b_mid = m_id AND m_id2 = o_id"
                    + " AND m_small = s_id AND s_text = 'x' GROUP BY b_text";

    private static TestingPlan chain(long more) {
        return new TestingPlan()
                .table("big", "b_id bigint, b_mid integer, b_text varchar", 400_000)
                .table("mid", "m_id bigint, m_small bigint, m_id2 bigint, m_text varchar", 150_000)
                .table("more", "o_id bigint, o_text varchar", more)
                .table("small", "s_id bigint, s_text varchar", 2);
    }

    /** The largest comes last, so that it is sent once. */
    @Test
    void threeTablesThatAreTooLargeAreAChain() {
        TestingPlan plan = chain(120_000);
        String told = answer(plan, "EXPLAIN " + CHAIN);
        assertThat(plan.asked)
                .filteredOn(step -> step.startsWith("SCATTER") || step.startsWith("MAP") || step.startsWith("GATHER"))
                .containsExactly(
                        "SCATTER more [] SELECT \"o_id\" AS c0, CAST(hash(CAST(\"o_id\" AS BIGINT)) % 2 AS INTEGER) AS s"
                                + " FROM rows WHERE \"o_id\" IS NOT NULL",
                        "SCATTER mid [b3] SELECT \"m_text\" AS c0, \"m_id\" AS c1, \"m_id2\" AS c2, \"m_small\" AS c3,"
                                + " CAST(hash(CAST(\"m_id2\" AS BIGINT)) % 2 AS INTEGER) AS s FROM rows"
                                + " WHERE \"m_small\" IN (SELECT c0 FROM b3) AND \"m_id2\" IS NOT NULL",
                        "MAP big SELECT c2_0, c1_0, c1_1, c1_2, c1_3,"
                                + " CAST(1 AS BIGINT) * 1099511627776 + row_number() OVER () AS \"#\","
                                + " CAST(hash(CAST(c1_1 AS BIGINT)) % 2 AS INTEGER) AS s"
                                + " FROM (SELECT c0 AS c2_0 FROM files) AS a"
                                + " JOIN (SELECT c0 AS c1_0, c1 AS c1_1, c2 AS c1_2, c3 AS c1_3 FROM others) AS b"
                                + " ON c1_2 = c2_0 WHERE c1_1 IS NOT NULL",
                        "SCATTER big [] SELECT \"b_text\" AS c0, \"b_mid\" AS c1,"
                                + " CAST(hash(CAST(\"b_mid\" AS BIGINT)) % 2 AS INTEGER) AS s FROM rows"
                                + " WHERE \"b_mid\" IS NOT NULL",
                        "GATHER big SELECT * FROM (WITH b2 AS (SELECT c2_0 AS c0, \"#\" FROM files),"
                                + " b1 AS (SELECT c1_0 AS c0, c1_1 AS c1, c1_2 AS c2, c1_3 AS c3, \"#\" FROM files),"
                                + " rows AS (SELECT CAST(NULL AS VARCHAR) AS \"b_text\", CAST(NULL AS INTEGER) AS \"b_mid\" WHERE 1 = 0)"
                                + " SELECT rows.\"b_text\" AS c0, count(*) AS c1, max(b1.c0) AS c2"
                                + " FROM (((rows CROSS JOIN b1) CROSS JOIN b2) CROSS JOIN b3)"
                                + " WHERE (rows.\"b_mid\" = b1.c1) AND (b1.c2 = b2.c0) AND (b1.c3 = b3.c0)"
                                + " AND (b2.\"#\" = b1.\"#\") GROUP BY 1)");
        assertThat(told)
                .contains("shuffle more by o_id from 2 actors of more: 3 rows, 4,000 bytes")
                .contains(
                        "joined more, mid in 2 slots, at the actors of big, and shuffled by m_id: 3 rows, 4,000 bytes")
                .contains("shuffle big by b_mid from 2 actors of big: 3 rows")
                .contains("joined in 2 slots, at the actors of big: 1 row of 3 rows");
    }

    /** A small table may connect two that are too large. */
    @Test
    void aTableBetweenIsCutToo() {
        TestingPlan plan = new TestingPlan()
                .table("big", "b_id bigint, b_mid integer, b_text varchar", 400_000)
                .table("mid", "m_id bigint, m_id2 bigint", 90)
                .table("more", "o_id bigint, o_text varchar", 150_000);
        String sql = "SELECT count(*) FROM big, mid, more WHERE b_mid = m_id AND m_id2 = o_id";
        answer(plan, sql);
        assertThat(plan.asked)
                .filteredOn(step -> step.startsWith("SCATTER"))
                .extracting(step -> step.split(" ")[1])
                .containsExactly("mid", "more", "big");
        TestingPlan none = new TestingPlan()
                .table("big", "b_id bigint, b_mid double", 400_000)
                .table("mid", "m_id bigint, m_id2 bigint, m_mid double", 90)
                .table("more", "o_id bigint, o_text varchar", 150_000);
        assertThatThrownBy(
                        () -> answer(none, "SELECT count(*) FROM big, mid, more WHERE b_mid = m_mid AND m_id2 = o_id"))
                .hasMessageContaining("all 150,000 rows of table more");
        assertThat(none.asked).noneMatch(step -> step.startsWith("SCATTER"));
    }

    @Test
    void aLeftJoinIsTheLastOfAChain() {
        TestingPlan plan = chain(120_000);
        answer(
                plan,
                "SELECT /*+ shuffle_all */ count(*) FROM big JOIN mid ON b_mid = m_id LEFT JOIN more ON m_id2 = o_id"
                        + " AND o_text = 'x'");
        assertThat(plan.asked)
                .filteredOn(step -> step.startsWith("SCATTER"))
                .extracting(step -> step.split(" ")[1])
                .containsExactly("big", "mid", "more");
        assertThat(plan.asked)
                .filteredOn(step -> step.startsWith("MAP"))
                .singleElement()
                .satisfies(step -> assertThat(step)
                        .contains("CASE WHEN c1_0 IS NULL THEN 0 ELSE")
                        .endsWith("ON c1_1 = c0_0"));
    }
}
