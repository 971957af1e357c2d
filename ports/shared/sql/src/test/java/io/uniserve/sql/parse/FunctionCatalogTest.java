package io.uniserve.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
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
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.QueryPlan;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator of Calcite is either supported, and then compared with the engine in the DuckDB port's FunctionCasesTest, or on the list
 * of refused ones here. An operator of a newer Calcite is on neither list, and fails the test.
 */
class FunctionCatalogTest {
    private static final Map<String, ColumnSchema> TABLES =
            Map.of("t", columns("id bigint, a bigint, b integer, s varchar, d double, c date, f boolean", "id"));

    /** Names of Calcite's standard operators that queries may not use, by group. */
    private static final Set<String> REFUSED = names(
            // sets of rows, and other parts of FROM and GROUP BY
            "UNION; UNION ALL; EXCEPT; EXCEPT ALL; INTERSECT; INTERSECT ALL; VALUES; TABLE; UNNEST; LATERAL; TABLESAMPLE; EXTEND;"
                    + " CUBE; ROLLUP; GROUPING SETS; GROUPING; GROUPING_ID; GROUP_ID; SET_SEMANTICS_TABLE; DESCRIPTOR;"
                    + " TUMBLE; TUMBLE_START; TUMBLE_END; HOP; HOP_START; HOP_END; SESSION; SESSION_START; SESSION_END;"
                    + " $TUMBLE; $HOP; $SESSION",
            // windows and patterns
            "OVER; RANK; DENSE_RANK; PERCENT_RANK; CUME_DIST; ROW_NUMBER; NTILE; LEAD; LAG; FIRST_VALUE; LAST_VALUE; NTH_VALUE;"
                    + " IGNORE NULLS; RESPECT NULLS; FINAL; RUNNING; FIRST; LAST; PREV; NEXT; CLASSIFIER; MATCH_NUMBER;"
                    + " PATTERN_EXCLUDE; PATTERN_PERMUTE; PATTERN_QUANTIFIER; |; ",
            // aggregates
            "WITHIN DISTINCT; MODE; ARG_MAX; ARG_MIN; SINGLE_VALUE; REGR_COUNT; REGR_SXX; REGR_SYY; COVAR_POP; COVAR_SAMP;"
                    + " BIT_AND; BIT_OR; BIT_XOR; COLLECT; FUSION; INTERSECTION; $SUM0; $HISTOGRAM; $HISTOGRAM_MIN;"
                    + " $HISTOGRAM_MAX; $HISTOGRAM_FIRST_VALUE; $HISTOGRAM_LAST_VALUE; JSON_ARRAYAGG_ABSENT_ON_NULL;"
                    + " JSON_OBJECTAGG_NULL_ON_NULL",
            // conditions
            "< SOME; <= SOME; > SOME; >= SOME; = SOME; <> SOME; < ALL; <= ALL; > ALL; >= ALL; = ALL; <> ALL; UNIQUE;"
                    + " BETWEEN SYMMETRIC; NOT BETWEEN SYMMETRIC; SIMILAR TO; NOT SIMILAR TO; POSIX REGEX CASE SENSITIVE;"
                    + " POSIX REGEX CASE INSENSITIVE; NEGATED POSIX REGEX CASE SENSITIVE; NEGATED POSIX REGEX CASE INSENSITIVE;"
                    + " ESCAPE; OVERLAPS; CONTAINS; PRECEDES; IMMEDIATELY PRECEDES; SUCCEEDS; IMMEDIATELY SUCCEEDS; EQUALS;"
                    + " $IS_DIFFERENT_FROM; SEARCH",
            // multisets, arrays, rows and JSON
            "MULTISET; MULTISET UNION DISTINCT; MULTISET UNION ALL; MULTISET EXCEPT DISTINCT; MULTISET EXCEPT ALL;"
                    + " MULTISET INTERSECT DISTINCT; MULTISET INTERSECT ALL; MEMBER OF; SUBMULTISET OF; NOT SUBMULTISET OF;"
                    + " IS A SET; IS NOT A SET; IS EMPTY; IS NOT EMPTY; CARDINALITY; ELEMENT; ITEM; ARRAY; MAP; ROW; COLUMN_LIST;"
                    + " CURSOR; DOT; $SLICE; $ELEMENT_SLICE; $STRUCT_ACCESS; $SCALAR_QUERY; IS JSON VALUE; IS NOT JSON VALUE;"
                    + " IS JSON OBJECT; IS NOT JSON OBJECT; IS JSON ARRAY; IS NOT JSON ARRAY; IS JSON SCALAR; IS NOT JSON SCALAR;"
                    + " FORMAT JSON; JSON_TYPE; JSON_EXISTS; JSON_VALUE; JSON_QUERY; JSON_OBJECT; JSON_ARRAY; JSON_DEPTH;"
                    + " JSON_LENGTH; JSON_KEYS; JSON_PRETTY; JSON_REMOVE; JSON_STORAGE_SIZE; JSON_INSERT; JSON_REPLACE; JSON_SET",
            // numbers
            "/INT; RAND; RAND_INTEGER; POWER; SQRT; CBRT; LN; LOG10; EXP; SIGN; TRUNCATE; PI; ACOS; ASIN; ATAN; ATAN2; COS; COT;"
                    + " SIN; TAN; DEGREES; RADIANS; BITCOUNT; BITAND; BITOR; BITXOR; BITNOT",
            // texts
            "REPLACE; CONVERT; TRANSLATE; OVERLAY; POSITION; OCTET_LENGTH; INITCAP; ASCII",
            // days and times
            "INTERVAL; TIMESTAMPADD; TIMESTAMPDIFF; YEAR; QUARTER; MONTH; WEEK; DAYOFYEAR; DAYOFMONTH; DAYOFWEEK; HOUR; MINUTE;"
                    + " SECOND; LAST_DAY; CURRENT_DATE; CURRENT_TIME; CURRENT_TIMESTAMP; LOCALTIME; LOCALTIMESTAMP",
            // the session, and what only Calcite makes
            "USER; CURRENT_USER; SESSION_USER; SYSTEM_USER; CURRENT_PATH; CURRENT_ROLE; CURRENT_CATALOG; CURRENT_SCHEMA; DEFAULT;"
                    + " =>; CALL; NEW; NEXT_VALUE; CURRENT_VALUE; Reinterpret; TYPEOF; VARIANTNULL; $LiteralChain; $throw");

    private static Set<String> names(String... groups) {
        return Stream.of(groups)
                .flatMap(group -> Stream.of(group.split(";", -1)))
                .map(String::strip)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static ColumnSchema columns(String columns, String key) {
        return ColumnSchema.of(new TableMeta(
                new TableName("t"),
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

    private static Collection<SqlOperator> standard() {
        return SqlStdOperatorTable.instance().getOperatorList();
    }

    /** Operators of particular databases; the parser makes calls of some of them. */
    private static List<SqlOperator> others() throws IllegalAccessException {
        List<SqlOperator> all = new ArrayList<>();
        for (Field field : SqlLibraryOperators.class.getFields()) {
            if (SqlOperator.class.isAssignableFrom(field.getType())) {
                all.add((SqlOperator) field.get(null));
            }
        }
        assertThat(all).hasSizeGreaterThan(200);
        return all;
    }

    private static void plan(String sql) {
        QueryPlan.of(TABLES, sql);
    }

    /** Refused in any case of the name, with line and column. */
    private static void refused(String sql, String name) {
        assertThatThrownBy(() -> plan(sql)).as(sql).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(sql).isIn(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT);
            assertThat(e.getMessage().toUpperCase(Locale.ROOT))
                    .as(sql)
                    .contains("LINE 1, COLUMN ")
                    .contains(name.toUpperCase(Locale.ROOT));
        });
    }

    @Test
    void everyStandardOperatorIsOnOneList() {
        Set<String> all = standard().stream().map(SqlOperator::getName).collect(Collectors.toCollection(TreeSet::new));
        Set<String> neither = new TreeSet<>(all);
        neither.removeAll(REFUSED);
        neither.removeAll(FunctionCatalog.supportedNames());
        assertThat(neither).as("neither answered nor refused").isEmpty();
        Set<String> both = new TreeSet<>(REFUSED);
        both.retainAll(FunctionCatalog.supportedNames());
        assertThat(both).as("answered and refused").isEmpty();
        assertThat(all).as("refused ones that there are not").containsAll(REFUSED);
    }

    @Test
    void whatIsAnsweredIsNoMoreThanTheList() {
        assertThat(FunctionCatalog.all().getOperatorList().stream().map(SqlOperator::getName))
                .filteredOn(name -> !name.equals("ROW"))
                .filteredOn(name -> !name.equals("$SCALAR_QUERY"))
                .isSubsetOf(FunctionCatalog.supportedNames());
    }

    static Stream<String> refusedNames() throws IllegalAccessException {
        Stream<String> others = others().stream()
                .map(SqlOperator::getName)
                .filter(name -> !FunctionCatalog.supportedNames().contains(name));
        return Stream.concat(REFUSED.stream(), others)
                .filter(name -> !name.isEmpty())
                .distinct();
    }

    /** As a function by its name, and as a call if the parser makes one of it. */
    @ParameterizedTest
    @MethodSource("refusedNames")
    void whatIsNotAnsweredIsRefusedByName(String name) {
        refused("SELECT \"" + name + "\"(a) FROM t", name);
        refused("SELECT a FROM t WHERE \"" + name + "\"(a, s) = 1", name);
        refused("SELECT s FROM t GROUP BY s HAVING max(\"" + name + "\"(a)) > 1 ORDER BY s", name);
        for (String operands : List.of("a", "a, b", "s, 1", "")) {
            assertThatThrownBy(() -> plan("SELECT " + name + "(" + operands + ") FROM t"))
                    .as(name + "(" + operands + ")")
                    .isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void callsOfWhatIsNotAnsweredAreRefusedByName() throws IllegalAccessException {
        SqlNode operand = new SqlIdentifier("a", SqlParserPos.ZERO);
        for (SqlOperator one :
                Stream.concat(standard().stream(), others().stream()).toList()) {
            boolean clause = Set.of("ROW", "$SCALAR_QUERY").contains(one.getName());
            if (!FunctionCatalog.supportedNames().contains(one.getName()) && !clause) {
                SqlNode call = new SqlBasicCall(one, List.of(operand), SqlParserPos.ZERO);
                assertThatThrownBy(() -> FunctionCatalog.check(call))
                        .as(one.getName())
                        .isInstanceOf(UniserveException.class)
                        .hasMessageContaining(one.getName().toUpperCase(Locale.ROOT));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a FROM t UNION ALL SELECT a FROM t | UNION ALL",
                "SELECT a FROM t WHERE a IN (SELECT a FROM t EXCEPT SELECT a FROM t) | EXCEPT",
                "SELECT a FROM t WHERE a < SOME (SELECT a FROM t) | < SOME",
                "SELECT a FROM t WHERE a = ANY (SELECT a FROM t) | = SOME",
                "SELECT a FROM t WHERE a <> ALL (SELECT a FROM t) | <> ALL",
                "SELECT a FROM t WHERE UNIQUE (SELECT a FROM t) | UNIQUE",
                "SELECT a FROM t WHERE a BETWEEN SYMMETRIC 2 AND 1 | BETWEEN SYMMETRIC",
                "SELECT a FROM t WHERE a NOT BETWEEN SYMMETRIC 2 AND 1 | NOT BETWEEN SYMMETRIC",
                "SELECT a FROM t WHERE s SIMILAR TO 'a' | SIMILAR TO",
                "SELECT a FROM t WHERE s ILIKE 'a' | ILIKE",
                "SELECT a FROM t WHERE s NOT RLIKE 'a' | RLIKE",
                "SELECT a FROM t WHERE (c, c) OVERLAPS (c, c) | OVERLAPS",
                "SELECT a FROM t WHERE (c, c) IMMEDIATELY PRECEDES (c, c) | IMMEDIATELY PRECEDES",
                "SELECT s IS JSON FROM t | IS JSON VALUE",
                "SELECT s IS NOT JSON ARRAY FROM t | IS NOT JSON ARRAY",
                "SELECT s FORMAT JSON FROM t | FORMAT JSON",
                "SELECT JSON_VALUE(s, '$.a') FROM t | JSON_VALUE",
                "SELECT JSON_OBJECT('a': s) FROM t | JSON_OBJECT",
                "SELECT JSON_ARRAYAGG(s) FROM t | JSON_ARRAYAGG",
                "SELECT s IS A SET FROM t | IS A SET",
                "SELECT s MEMBER OF s FROM t | MEMBER OF",
                "SELECT s[1] FROM t | ITEM",
                "SELECT ARRAY[1] FROM t | ARRAY",
                "SELECT MAP['a', 1] FROM t | MAP",
                "SELECT MULTISET[1] FROM t | MULTISET",
                "SELECT (a, b) FROM t | ROW",
                "SELECT a FROM t WHERE (a, b) = (1, 2) | ROW",
                "SELECT count(DISTINCT (a, b)) FROM t | ROW",
                "SELECT count(DISTINCT a, b) FROM t | COUNT of several",
                "SELECT approx_count_distinct(a, b) FROM t | COUNT of several"
            })
    void operatorsAreRefusedByName(String sql, String name) {
        refused(sql, name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT count(DISTINCT *) FROM t | *",
                "SELECT approx_count_distinct(*) FROM t | *",
                "SELECT sum(a) OVER (PARTITION BY s) FROM t | OVER",
                "SELECT rank() OVER (ORDER BY a) FROM t | OVER",
                "SELECT first_value(a) IGNORE NULLS FROM t | IGNORE NULLS",
                "SELECT sum(a) RESPECT NULLS FROM t | RESPECT NULLS",
                "SELECT sum(a) WITHIN DISTINCT (s) FROM t | WITHIN DISTINCT",
                "SELECT sum(a) WITHIN GROUP (ORDER BY a) FROM t | WITHIN GROUP",
                "SELECT percentile_cont(a, 0.5) FROM t | PERCENTILE_CONT without WITHIN GROUP",
                "SELECT percentile_disc(0.5) FROM t | PERCENTILE_DISC without WITHIN GROUP",
                "SELECT mode() WITHIN GROUP (ORDER BY a) FROM t | WITHIN GROUP",
                "SELECT array_agg(a ORDER BY b) FROM t | ARRAY_AGG",
                "SELECT group_concat(s ORDER BY b SEPARATOR ';') FROM t | GROUP_CONCAT",
                "SELECT upper(s) FILTER (WHERE f) FROM t | FILTER",
                "SELECT s FROM t GROUP BY ROLLUP (s) | ROLLUP",
                "SELECT s FROM t GROUP BY CUBE (s) | CUBE",
                "SELECT s FROM t GROUP BY GROUPING SETS ((s), ()) | GROUPING SETS",
                "SELECT grouping(s) FROM t GROUP BY s | GROUPING",
                "SELECT current_date FROM t | CURRENT_DATE",
                "SELECT localtimestamp FROM t | LOCALTIMESTAMP",
                "SELECT current_user FROM t | CURRENT_USER",
                "SELECT pi FROM t | PI",
                "SELECT NEXT VALUE FOR s FROM t | NEXT_VALUE",
                "SELECT {fn ucase(s)} FROM t | UCASE",
                "SELECT TRY_CAST(s AS INTEGER) FROM t | TRY_CAST",
                "SELECT DATE_TRUNC('year', c) FROM t | DATE_TRUNC",
                "SELECT TIMESTAMPADD(DAY, 1, c) FROM t | TIMESTAMPADD",
                "SELECT POSITION('a' IN s) FROM t | POSITION",
                "SELECT OVERLAY(s PLACING 'a' FROM 1) FROM t | OVERLAY",
                "SELECT FLOOR(c TO YEAR) FROM t | FLOOR to YEAR",
                "SELECT upper(s => s) FROM t | =>",
                "SELECT main.median(s) FROM t | MAIN.MEDIAN",
                "SELECT main.bool_and(f) FROM t | MAIN.BOOL_AND",
                "SELECT nosuch(s) FROM t | function NOSUCH is not known",
                "SELECT a FROM t, UNNEST(ARRAY[1]) AS u (x) | UNNEST",
                "SELECT a FROM t TABLESAMPLE BERNOULLI (10) | TABLESAMPLE",
                "SELECT s FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.a = t.a AND soundex(u.s) = '1') | SOUNDEX",
                "SELECT s, rank() FROM t GROUP BY s ORDER BY sqrt(count(*)) | RANK"
            })
    void syntaxOfItsOwnIsRefusedByName(String sql, String name) {
        refused(sql, name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT quantile(a) FROM t | QUANTILE needs a value and a constant",
                "SELECT quantile_cont(a, b) FROM t | QUANTILE_CONT needs a constant from 0 to 1, not b",
                "SELECT quantile_cont(a, 1.5) FROM t | QUANTILE_CONT needs a constant from 0 to 1, not 1.5",
                "SELECT quantile_disc(a, -0.5) FROM t | QUANTILE_DISC needs a constant from 0 to 1, not",
                "SELECT percentile_cont(2) WITHIN GROUP (ORDER BY a) FROM t | PERCENTILE_CONT needs a constant",
                "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a, b) FROM t | PERCENTILE_CONT needs one fraction",
                "SELECT median(s) FROM t | MEDIAN",
                "SELECT quantile_cont(c, 0.5) FROM t | QUANTILE_CONT",
                "SELECT stddev(s) FROM t | STDDEV",
                "SELECT bool_and(a) FROM t | BOOL_AND",
                "SELECT every(s) FROM t | EVERY",
                "SELECT string_agg(a, ',') FROM t | STRING_AGG",
                "SELECT string_agg(s, s) FROM t | STRING_AGG needs a text, and a constant",
                "SELECT string_agg(s, NULL) FROM t | STRING_AGG needs a text, and a constant",
                "SELECT listagg(s, ',', ',') FROM t | LISTAGG needs a text, and a constant",
                "SELECT string_agg(DISTINCT s, ',' ORDER BY a) FROM t | STRING_AGG of DISTINCT values",
                "SELECT median(sum(a)) FROM t | Aggregate expressions cannot be nested",
                "SELECT a, median(b) FROM t | Expression 'a' is not being grouped",
                "SELECT a FROM t WHERE median(b) > 1 | aggregate",
                "SELECT string_agg(s, ',' ORDER BY sum(a)) FROM t | Aggregate expressions cannot be nested"
            })
    void aggregatesOfOtherOperandsAreRefusedWhereTheyStand(String sql, String message) {
        refused(sql, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT approx_count_distinct(a) FROM t | SELECT count(DISTINCT a) FROM t",
                "SELECT Approx_Count_Distinct(a) FILTER (WHERE f) FROM t | SELECT count(DISTINCT CASE WHEN f THEN a END) FROM t",
                "SELECT bool_and(f) FILTER (WHERE a > 1) FROM t | SELECT min(CASE WHEN a > 1 THEN f END) FROM t",
                "SELECT every(f), some(f), bool_or(f) FROM t | SELECT min(f), max(f), max(f) FROM t",
                "SELECT any_value(DISTINCT s) FROM t | SELECT min(s) FROM t",
                "SELECT sum(ALL a) FROM t | SELECT sum(a) FROM t",
                "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY a) FROM t | SELECT quantile_cont(a, 0.25) FROM t",
                "SELECT listagg(s) WITHIN GROUP (ORDER BY a DESC, b) FILTER (WHERE f) FROM t"
                        + " | SELECT string_agg(s, ',' ORDER BY a DESC, b) FILTER (WHERE f) FROM t"
            })
    void differentWordsForTheSame(String one, String other) {
        FragmentedPlan first = TestingPlan.fragmented(TABLES, one, -1);
        FragmentedPlan second = TestingPlan.fragmented(TABLES, other, -1);
        assertThat(first.partialStatement()).isEqualTo(second.partialStatement());
        assertThat(first.mergeStatement()).isEqualTo(second.mergeStatement());
    }

    @Test
    void valuesThatMustMeetAreSentAsTheyAre() {
        FragmentedPlan split = TestingPlan.fragmented(
                TABLES,
                "SELECT s, median(a), count(*), sum(DISTINCT b) FROM t WHERE f GROUP BY s HAVING avg(d) > 1",
                -1);
        assertThat(split.partialStatement())
                .isEqualTo("SELECT \"s\" AS c0, \"a\" AS c1, \"b\" AS c2, \"d\" AS c3 FROM rows WHERE \"f\"");
        assertThat(split.mergeStatement())
                .isEqualTo("SELECT c0, median(c1), count(*), sum(DISTINCT c2) FROM parts GROUP BY c0"
                        + " HAVING ((sum(c3) / nullif(count(c3), 0)) > 1)");
        assertThat(split.top()).isEmpty();
        assertThat(split.keepsEachRow()).isFalse();
    }

    @Test
    void aColumnMayHaveTheNameOfAFunction() {
        Map<String, ColumnSchema> tables = Map.of("t", columns("median bigint, rank bigint, pi bigint", "median"));
        assertThatCode(() -> QueryPlan.of(tables, "SELECT median, \"rank\", pi FROM t"))
                .doesNotThrowAnyException();
    }
}
