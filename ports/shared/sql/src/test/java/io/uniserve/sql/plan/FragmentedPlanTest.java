package io.uniserve.sql.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.execute.TestingPlan;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FragmentedPlanTest {
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

    private static FragmentedPlan split(String text) {
        return TestingPlan.fragmented(Map.of("t", COLUMNS), text, -1);
    }

    @Test
    void aggregatesAreMadeOfPartialOnes() {
        FragmentedPlan query = split("SELECT s AS name, avg(b), count(*), 2 * sum(b) AS twice FROM t WHERE a < 5"
                + " GROUP BY s HAVING count(*) > 1 ORDER BY twice DESC, s LIMIT 3");
        assertThat(query.partialStatement())
                .isEqualTo("SELECT \"s\" AS c0, sum(\"b\") AS c1, count(\"b\") AS c2, count(*) AS c3"
                        + " FROM rows WHERE (\"a\" < 5) GROUP BY 1");
        assertThat(query.mergeStatement())
                .isEqualTo("SELECT c0, (sum(c1) / nullif(sum(c2), 0)), CAST(sum(c3) AS BIGINT), (2 * sum(c1))"
                        + " FROM parts GROUP BY c0 HAVING (CAST(sum(c3) AS BIGINT) > 1) ORDER BY 4 DESC, c0 LIMIT 3");
        assertThat(query.names()).containsExactly("name", "_2", "_3", "twice");
    }

    @Test
    void actorsSendNoMoreRowsThanTheAnswerMayHave() {
        FragmentedPlan query =
                split("SELECT a, a + 1 AS n, a FROM t ORDER BY b DESC NULLS LAST, n, 3 LIMIT 10 OFFSET 5");
        assertThat(query.partialStatement())
                .isEqualTo("SELECT \"a\" AS c0, (\"a\" + 1) AS c1, \"b\" AS c2 FROM rows"
                        + " ORDER BY c2 DESC NULLS LAST, c1, c0 LIMIT 15");
        assertThat(query.mergeStatement())
                .isEqualTo("SELECT c0, c1, c0 FROM parts ORDER BY c2 DESC NULLS LAST, c1, c0 LIMIT 10 OFFSET 5");
        assertThat(split("SELECT DISTINCT s FROM t").partialStatement())
                .isEqualTo("SELECT DISTINCT \"s\" AS c0 FROM rows");
        assertThat(split("select * from T").names()).containsExactly("a", "b", "c", "s", "x", "f");
    }

    @Test
    void groupsByNumberOrAliasAreThoseOfTheExpression() {
        for (String by : new String[] {"1", "y", "extract(year FROM c)"}) {
            assertThat(split("SELECT extract(year FROM c) AS y, count(*) FROM t GROUP BY " + by)
                            .partialStatement())
                    .as(by)
                    .isEqualTo("SELECT EXTRACT(YEAR FROM \"c\") AS c0, count(*) AS c1 FROM rows GROUP BY 1");
        }
    }

    @Test
    void groupsAreByColumnsBeforeAliases() {
        assertThat(split("SELECT upper(s) AS s, count(*) FROM t GROUP BY s").partialStatement())
                .isEqualTo("SELECT \"s\" AS c0, count(*) AS c1 FROM rows GROUP BY 1");
        assertThat(split("SELECT max(b) AS a FROM t GROUP BY a HAVING a > 1").mergeStatement())
                .isEqualTo("SELECT max(c1) FROM parts GROUP BY c0 HAVING (c0 > 1)");
        assertThat(split("SELECT max(b) AS a FROM t GROUP BY s HAVING a > 1").mergeStatement())
                .isEqualTo("SELECT max(c1) FROM parts GROUP BY c0 HAVING (max(c1) > 1)");
    }

    @Test
    void ordersAreByAliasesBeforeColumns() {
        assertThat(split("SELECT *, -a AS a FROM t ORDER BY a LIMIT 1").partialStatement())
                .endsWith("(-\"a\") AS c6 FROM rows ORDER BY c6 LIMIT 1");
        QueryPlan plan = QueryPlan.of(
                Map.of("t", COLUMNS), "SELECT a FROM t WHERE a = (SELECT a AS b FROM t ORDER BY b LIMIT 1)");
        assertThat(plan.fragment(new QueryStage(1, false), -1).partialStatement())
                .isEqualTo("SELECT \"a\" AS c0 FROM rows ORDER BY c0 LIMIT 1");
    }

    @Test
    void distinctValuesAreGroupedByAtTheirActors() {
        FragmentedPlan query = split("SELECT s, count(DISTINCT a), avg(DISTINCT b), sum(b) FROM t GROUP BY s");
        assertThat(query.partialStatement())
                .isEqualTo("SELECT \"s\" AS c0, \"a\" AS c1, \"b\" AS c2, sum(\"b\") AS c3 FROM rows GROUP BY 1, 2, 3");
        assertThat(query.mergeStatement())
                .isEqualTo("SELECT c0, count(DISTINCT c1), (sum(DISTINCT c2) / nullif(count(DISTINCT c2), 0)), sum(c3)"
                        + " FROM parts GROUP BY c0");
        assertThat(split("SELECT count(DISTINCT a), count(*) FROM t").mergeStatement())
                .isEqualTo("SELECT count(DISTINCT c0), CAST(coalesce(sum(c1), 0) AS BIGINT) FROM parts");
    }

    @Test
    void subQueriesAreReadFromAnswers() {
        assertThat(split("SELECT a FROM t WHERE a NOT IN (SELECT a FROM t WHERE f)")
                        .partialStatement())
                .endsWith(" FROM rows WHERE (\"a\" NOT IN (SELECT s1.c0 FROM q1 AS s1))");
        assertThat(split("SELECT a FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.a = o.a + 1 AND i.b < o.b)")
                        .partialStatement())
                .endsWith(" WHERE (EXISTS (SELECT 1 FROM q1 AS s1"
                        + " WHERE (s1.c0 = (rows.\"a\" + 1)) AND (s1.c1 < rows.\"b\")))");
        assertThat(split("SELECT v FROM (SELECT s, b * 2 AS v FROM t WHERE f) AS d WHERE s = 'x' ORDER BY v")
                        .partialStatement())
                .isEqualTo("SELECT (\"b\" * 2) AS c0 FROM rows WHERE \"f\" AND (\"s\" = 'x')");
        assertThat(split("SELECT n FROM (SELECT s, count(*) AS n FROM t GROUP BY s) AS d WHERE n > 1")
                        .partialStatement())
                .isEqualTo("SELECT b16.c1 AS c0 FROM (SELECT * FROM q1 AS g WHERE (g.c1 > 1)) AS b16");
    }

    @Test
    void stagesOfASubQuery() {
        QueryPlan plan = QueryPlan.of(
                Map.of("t", COLUMNS),
                "SELECT a FROM t o WHERE b > (SELECT sum(b) + count(*) FROM t i WHERE i.a = o.a AND i.s = o.s) AND f");
        assertThat(plan.fragment(new QueryStage(0, false), -1).partialStatement())
                .endsWith(
                        " WHERE (\"b\" > (CASE WHEN EXISTS (SELECT 1 FROM q1 AS s1 WHERE (s1.c1 = rows.\"a\") AND (s1.c2 = rows.\"s\"))"
                                + " THEN (SELECT s1.c0 FROM q1 AS s1 WHERE (s1.c1 = rows.\"a\") AND (s1.c2 = rows.\"s\"))"
                                + " ELSE (NULL + 0) END)) AND \"f\"");
        assertThat(plan.fragment(new QueryStage(1, false), -1).partialStatement())
                .isEqualTo("SELECT \"a\" AS c0, \"s\" AS c1, sum(\"b\") AS c2, count(*) AS c3 FROM rows GROUP BY 1, 2");
        assertThat(plan.fragment(new QueryStage(2, false), -1).partialStatement())
                .isEqualTo("SELECT DISTINCT \"a\" AS c0, \"s\" AS c1 FROM rows WHERE \"f\"");
        assertThat(plan.fragment(new QueryStage(1, true), -1).partialStatement())
                .endsWith(" FROM rows WHERE (EXISTS (SELECT 1 FROM q2 AS s2"
                        + " WHERE (s2.c0 = rows.\"a\") AND (s2.c1 = rows.\"s\"))) GROUP BY 1, 2");
    }

    /** More rows or groups of an actor than may be sent are an error only if each of them is in the answer. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | SELECT b FROM t",
                "true  | SELECT DISTINCT b, s FROM t",
                "true  | SELECT b FROM t ORDER BY b LIMIT 3",
                "true  | SELECT DISTINCT b FROM t LIMIT 3",
                "true  | SELECT s, count(*), avg(b), min(DISTINCT x) FROM t GROUP BY s",
                "true  | SELECT count(*) FROM t GROUP BY s, x",
                "false | SELECT b FROM t ORDER BY b LIMIT 3 OFFSET 1",
                "false | SELECT b FROM t WHERE f",
                "false | SELECT b FROM t WHERE a IN (SELECT a FROM t)",
                "false | SELECT i.b FROM t i JOIN t j ON i.a = j.a",
                "false | SELECT count(*) FROM t",
                "false | SELECT count(DISTINCT b) FROM t",
                "false | SELECT s, count(DISTINCT b) FROM t GROUP BY s",
                "false | SELECT DISTINCT s FROM t GROUP BY s, x",
                "false | SELECT s FROM t GROUP BY s HAVING count(*) > 1",
                "false | SELECT s FROM t GROUP BY s ORDER BY count(*) LIMIT 3"
            })
    void partsOfSubQueriesAreCutWhereTheyTellThatAllIsTooMuch(boolean cut, String sql) {
        FragmentedPlan split = split(sql);
        assertThat(split.limitedPartialStatement())
                .isEqualTo(
                        cut
                                ? "SELECT * FROM (" + split.partialStatement() + ") AS parts LIMIT 100001"
                                : split.partialStatement());
    }

    @Test
    void datesWithIntervalsAreConstants() {
        assertThat(split("SELECT a FROM t WHERE c <= date '1998-12-01' - interval '90' day (3)")
                        .partialStatement())
                .endsWith("WHERE (\"c\" <= DATE '1998-09-02')");
        assertThat(split("SELECT a FROM t WHERE c + interval '1' month < date '1996-02-29' + interval '1' year")
                        .partialStatement())
                .endsWith("WHERE (CAST((\"c\" + INTERVAL '1' MONTH) AS DATE) < DATE '1997-02-28')");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "s LIKE 'x%' AND NOT f                  | (\"s\" LIKE 'x%') AND (NOT \"f\")",
                "s NOT LIKE 'it''s'                      | (\"s\" NOT LIKE 'it''s')",
                "a IN (1, 2) OR a NOT IN (3)             | ((\"a\" IN (1, 2)) OR (\"a\" NOT IN (3)))",
                "b BETWEEN 0.05 AND 0.07                 | (\"b\" BETWEEN 0.05 AND 0.07)",
                "b NOT BETWEEN -1 AND 1e1                | (\"b\" NOT BETWEEN -1 AND CAST(1E+1 AS DOUBLE))",
                "a IS NULL OR s IS NOT NULL              | ((\"a\" IS NULL) OR (\"s\" IS NOT NULL))",
                "CASE WHEN f THEN 1 ELSE 0 END = 1       | ((CASE WHEN \"f\" THEN 1 ELSE 0 END) = 1)",
                "EXTRACT(YEAR FROM c) = 1994             | (EXTRACT(YEAR FROM \"c\") = 1994)",
                "substring(s from 1 for 2) = 'a'         | (SUBSTRING(\"s\", 1, 2) = 'a')",
                "a / 2 > 1                               | ((\"a\" / 2) > 1)",
                "CAST(b AS double) > x                   | (CAST(\"b\" AS DOUBLE) > \"x\")",
                "nullif(s, 'y') <> lower(s)              | (NULLIF(\"s\", 'y') <> LOWER(\"s\"))",
                "f IS TRUE OR f IS NOT FALSE             | ((CASE WHEN \"f\" THEN 1 ELSE 0 END = 1) OR (CASE WHEN NOT \"f\" THEN 1 ELSE 0 END = 0))",
                "f IS FALSE OR f IS NOT TRUE             | ((CASE WHEN NOT \"f\" THEN 1 ELSE 0 END = 1) OR (CASE WHEN \"f\" THEN 1 ELSE 0 END = 0))",
                "f IS UNKNOWN                            | (\"f\" IS NULL)",
                "a IS DISTINCT FROM b | (CASE WHEN \"a\" = \"b\" OR \"a\" IS NULL AND \"b\" IS NULL THEN 0 ELSE 1 END = 1)",
                "a IS NOT DISTINCT FROM b | (CASE WHEN \"a\" = \"b\" OR \"a\" IS NULL AND \"b\" IS NULL THEN 0 ELSE 1 END = 0)",
                "T.a = 1                                 | (\"a\" = 1)",
                "char_length(trim(s)) > 1                | (LENGTH(TRIM(BOTH ' ' FROM \"s\")) > 1)"
            })
    void expressionsAreWrittenInTheEnginesSql(String sql, String written) {
        assertThat(split("SELECT a FROM t WHERE " + sql).partialStatement()).endsWith(" WHERE " + written);
    }

    @Test
    void divisionByZeroIsAnError() {
        assertThat(split("SELECT coalesce(s, '') || 'x' FROM t").partialStatement())
                .contains("(COALESCE(\"s\", '') || 'x')");
        assertThat(split("SELECT a / (a - 1) FROM t").partialStatement())
                .contains("CASE WHEN (\"a\" - 1) = 0 THEN error('division by zero') ELSE (\"a\" - 1) END");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a FROM t WHER a = 1              | line 1, column 22: syntax error",
                "SELECT a FRM t                          | line 1, column 14: syntax error",
                "SELECT 'open FROM t                     | syntax error",
                "SELECT z FROM t                         | line 1, column 8: Column 'z' not found",
                "SELECT a FROM u                         | line 1, column 15: Object 'u' not found",
                "SELECT a, sum(b) FROM t                 | line 1, column 8: Expression 'a' is not being grouped",
                "SELECT a FROM t WHERE s = 3             | line 1, column 23: a VARCHAR cannot be compared with a INTEGER",
                "SELECT a FROM t WHERE c > '1998-01-01'  | line 1, column 23",
                "SELECT a FROM t WHERE a IN (1, 'x')     | line 1, column 28",
                "SELECT a FROM t WHERE f BETWEEN 1 AND 2 | line 1, column 23",
                "SELECT a FROM t WHERE a                 | line 1, column 23: WHERE clause must be a condition",
                "SELECT a FROM t WHERE sum(a) > 1        | line 1, column 23",
                "SELECT nosuch(a) FROM t                 | line 1, column 8",
                "SELECT a FROM t WHERE c = DATE '1998-02-31' | line 1, column 27",
                "SELECT a FROM t LIMIT -1                | line 1, column 23: syntax error at \"-\"",
                "SELECT a FROM t WHERE s LIKE 'a!' ESCAPE '!'  | line 1, column 30: the pattern ends with its ESCAPE",
                "SELECT a FROM t WHERE s LIKE 'a' ESCAPE 'xx'  | line 1, column 41: ESCAPE needs one character",
                "SELECT CAST(a AS DECIMAL(39, 2)) FROM t | line 1, column 18: CAST to DECIMAL(39, 2)",
                "SELECT CAST(a AS DECIMAL(0, 0)) FROM t  | DECIMAL precision 0",
                "WITH u AS (SELECT a FROM t), U AS (SELECT a FROM t) SELECT a FROM u | line 1, column 30: WITH names U twice",
                "SELECT a FROM t WHERE s IS DISTINCT FROM 3 | line 1, column 23: a VARCHAR cannot be compared with a INTEGER",
                "``                                      | query is empty"
            })
    void whatIsWrongIsRefusedWhereItStands(String sql, String message) {
        assertThatThrownBy(() -> split(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t UNION SELECT a FROM t",
                "SELECT a FROM (SELECT a FROM t INTERSECT SELECT a FROM t)",
                "SELECT a FROM t WHERE a IN (SELECT a FROM t EXCEPT SELECT a FROM t)",
                "SELECT a FROM t WHERE (a, b) IN (SELECT a, b FROM t)",
                "SELECT a FROM t WHERE a > SOME (SELECT a FROM t)",
                "SELECT a FROM t, LATERAL (SELECT a FROM t) AS u WHERE t.a = u.a",
                "SELECT a FROM t WHERE EXISTS (SELECT nosuch(a) FROM t)",
                "SELECT a FROM t WHERE a IN (SELECT covar_pop(a, b) FROM t)",
                "SELECT a FROM t WHERE a IN (VALUES 1, 2)",
                "SELECT a FROM (VALUES 1, 2) AS u (a)",
                "WITH RECURSIVE u AS (SELECT a FROM t) SELECT a FROM u",
                "SELECT count(DISTINCT a, b) FROM t",
                "SELECT sum(a) OVER (ORDER BY a) FROM t",
                "SELECT s, sum(a) FROM t GROUP BY ROLLUP(s)",
                "SELECT sum(a) FILTER (WHERE f) OVER (ORDER BY a) FROM t",
                "SELECT upper(s) FILTER (WHERE f) FROM t",
                "SELECT a FROM t TABLESAMPLE BERNOULLI(10)",
                "SELECT a FROM UNNEST(ARRAY[1]) AS u (a)",
                "SELECT covar_pop(a, b) FROM t",
                "SELECT current_timestamp FROM t",
                "INSERT INTO t VALUES (1)",
                "VALUES (1)"
            })
    void whatIsNotSupportedIsRefusedWithItsPlace(String sql) {
        assertThatThrownBy(() -> split(sql))
                .isInstanceOf(UniserveException.class)
                .hasMessageMatching("(?s).*line 1, column \\d+: .*");
    }

    @Test
    void deepExpressionsAreRefused() {
        String deep = "(".repeat(20_000) + "1" + ")".repeat(20_000);
        assertThatThrownBy(() -> split("SELECT " + deep + " FROM t")).hasMessageContaining("nested too deeply");
        assertThat(split("SELECT a FROM t").names()).containsExactly("a");
    }

    /** Each is written as often as it is named, and so are its parts. */
    @Test
    void expressionsThatWouldFillAllMemoryAreRefused() {
        String divisors = "SELECT " + "1 / (".repeat(30) + "a" + ")".repeat(30) + " FROM t";
        assertThatThrownBy(() -> split(divisors))
                .hasMessageMatching(
                        "(?s).*line 1, column \\d+: a divisor with too many divisors in it is not supported.*");
        assertThat(split("SELECT 1 / (1 / (1 / (1 / (a + 1)))) FROM t").names()).hasSize(1);
        String sums = "(SELECT k + k AS k FROM ".repeat(30) + "(SELECT a AS k FROM t) AS q" + ") AS q".repeat(30);
        assertThatThrownBy(() -> split("SELECT k FROM " + sums))
                .hasMessageMatching("(?s).*line 1, column \\d+: an expression of more than 4096 columns.*");
        String twice = "(a > 1)" + " IS DISTINCT FROM f".repeat(30);
        assertThatThrownBy(() -> split("SELECT a FROM t WHERE " + twice))
                .hasMessageMatching("(?s).*line 1, column \\d+: IS DISTINCT FROM of expressions this long is not.*");
    }

    @Test
    void filtersAreCases() {
        FragmentedPlan query = split("SELECT count(*) FILTER (WHERE f), sum(DISTINCT b) FILTER (WHERE a > 1) FROM t");
        assertThat(query.partialStatement())
                .isEqualTo("SELECT count((CASE WHEN \"f\" THEN 1 ELSE NULL END)) AS c0,"
                        + " (CASE WHEN (\"a\" > 1) THEN \"b\" ELSE NULL END) AS c1 FROM rows GROUP BY 2");
    }

    private static FragmentedPlan.Top top(String text) {
        return split(text).top().orElseThrow();
    }

    @Test
    void groupsThatAreWholeAreCutAtTheirActors() {
        FragmentedPlan.Top top = top("SELECT a, s, sum(b) * 2 AS twice FROM t GROUP BY a, s HAVING count(*) > 1"
                + " ORDER BY twice DESC NULLS LAST, s LIMIT 3 OFFSET 2");
        assertThat(top.columns()).containsExactlyInAnyOrder("a", "s");
        assertThat(top.statement())
                .isEqualTo("SELECT c0, c1, c2, c3 FROM (SELECT c0, c1, max(c2) AS c2, max(c3) AS c3,"
                        + " (sum(c2) * 2) AS o0, c1 AS o1 FROM (SELECT \"a\" AS c0, \"s\" AS c1, sum(\"b\") AS c2,"
                        + " count(*) AS c3 FROM rows GROUP BY 1, 2) AS parts GROUP BY c0, c1"
                        + " HAVING (CAST(sum(c3) AS BIGINT) > 1)) AS tops ORDER BY o0 DESC NULLS LAST, o1 LIMIT 5");
        assertThat(top("SELECT s FROM t GROUP BY s HAVING max(b) > 1").statement())
                .isEqualTo("SELECT c0, max(c1) AS c1 FROM (SELECT \"s\" AS c0, max(\"b\") AS c1 FROM rows GROUP BY 1)"
                        + " AS parts GROUP BY c0 HAVING (max(c1) > 1)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, sum(b) FROM t GROUP BY a",
                "SELECT sum(b) FROM t HAVING sum(b) > 1",
                "SELECT a, count(DISTINCT b) FROM t GROUP BY a LIMIT 3",
                "SELECT DISTINCT sum(b) FROM t GROUP BY a ORDER BY 1 LIMIT 3",
                "SELECT a FROM t ORDER BY b LIMIT 3"
            })
    void othersAreNot(String sql) {
        assertThat(split(sql).top()).isEmpty();
    }

    private static FragmentedPlan late(String text, int stays) {
        Map<String, ColumnSchema> tables =
                Map.of("t", COLUMNS, "u", columns("k bigint, a bigint, n varchar, m double", "k"));
        return QueryPlan.of(tables, text).fragment(new QueryStage(0, false, true), stays);
    }

    private static ColumnSchema columns(String columns, String key) {
        return ColumnSchema.of(new TableMeta(
                new TableName("u"),
                1,
                new Partitioner.Hash(2),
                key,
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "duckdb",
                Map.of("columns", columns)));
    }

    @Test
    void columnsThatOnlyShowComeLast() {
        FragmentedPlan query = late(
                "SELECT n, sum(b) AS v, k, m FROM t JOIN u ON t.a = u.k WHERE m > 1 GROUP BY n, k, m ORDER BY v DESC LIMIT 9",
                0);
        assertThat(query.partialStatement())
                .isEqualTo("SELECT b1.c0 AS c0, sum(rows.\"b\") AS c1 FROM (rows JOIN b1 ON (rows.\"a\" = b1.c0))"
                        + " GROUP BY 1");
        assertThat(query.mergeStatement())
                .isEqualTo("SELECT 0, sum(c1), c0, 0, c0 FROM parts GROUP BY c0 ORDER BY 2 DESC LIMIT 9");
        assertThat(query.sides().get(1).columns()).containsExactly("k");
        assertThat(query.lateColumns())
                .containsExactly(new FragmentedPlan.LateColumns(
                        1,
                        4,
                        0,
                        List.of(0, 3),
                        "SELECT \"k\" AS c0, \"n\" AS c1, \"m\" AS c2 FROM rows WHERE (\"m\" > 1) AND \"k\" IN (SELECT c0"
                                + " FROM b1)"));
        assertThat(query.top().orElseThrow().columns()).containsExactly("a");
    }

    /**
     * The same holds for a column that equals the key; columns that are ordered by, computed with, or not determined are fetched at once.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT n, t.a, sum(b) FROM t, u WHERE t.a = k GROUP BY n, t.a LIMIT 3 | 1",
                "SELECT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k | 0",
                "SELECT u.n, u.a, v.n, sum(b) FROM t, u, u v WHERE t.a = u.k AND u.a = v.k GROUP BY u.n, u.a, v.n, t.a LIMIT 3 | 2",
                "SELECT u.a, v.n, sum(b) FROM t, u, u v WHERE t.a = u.k AND u.a = v.k GROUP BY u.a, v.n, t.a LIMIT 3 | 1",
                "SELECT n, b, sum(t.a) FROM t, u WHERE b = k GROUP BY n, b LIMIT 3 | 0",
                "SELECT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k ORDER BY n LIMIT 3 | 0",
                "SELECT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k ORDER BY 1 DESC LIMIT 3 | 0",
                "SELECT n AS x, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k ORDER BY x LIMIT 3 | 0",
                "SELECT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k HAVING n > 'a' LIMIT 3 | 0",
                "SELECT upper(n), k, sum(b) FROM t, u WHERE t.a = k GROUP BY upper(n), k LIMIT 3 | 0",
                "SELECT n, sum(b) FROM t, u WHERE t.a = k GROUP BY n LIMIT 3 | 0",
                "SELECT n, t.s, sum(b) FROM t, u WHERE t.a = k GROUP BY n, t.s LIMIT 3 | 0",
                "SELECT n, k, sum(b) FROM t LEFT JOIN u ON t.a = k GROUP BY n, k LIMIT 3 | 0",
                "SELECT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k LIMIT 10001 | 0",
                "SELECT DISTINCT n, k, sum(b) FROM t, u WHERE t.a = k GROUP BY n, k LIMIT 3 | 0",
                "SELECT n, k, b FROM t, u WHERE t.a = k ORDER BY b LIMIT 3 | 0"
            })
    void whatIsLate(String sql, int tables) {
        assertThat(late(sql, 0).lateColumns()).hasSize(tables);
    }
}
