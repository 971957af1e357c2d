package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.parse.FunctionCatalog;
import io.uniserve.sql.rows.SqlAnswer;
import io.uniserve.sql.rows.SqlRows;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every function and aggregate that queries may use, over hostile values on several actors; answers equal those of one DuckDB. */
class FunctionCasesTest {
    private static final Logger LOG = LoggerFactory.getLogger(FunctionCasesTest.class);

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        Random random = new Random(11);
        load("h", 4, 90, random);
        load("v", 3, 40, random);
        load("e", 2, 0, random);
        load("u", 3, 1, random);
        List<String> partners = IntStream.range(0, 30)
                .mapToObj(i -> i + "|" + (i % 7 - 2) + "|" + "pqr".charAt(i % 3) + "|")
                .toList();
        cluster.load(new Tpch.Table("w", "k", "k bigint, wa bigint, wt varchar"), 2, 1, partners);
        List<String> far = IntStream.range(0, 600)
                .mapToObj(i -> i + "|" + i % 3 + "|" + (1_000_000_000L + i * 7919L % 101) + "." + (i % 8) * 125 + "|"
                        + (4_000_000_000_000_000L + i * 7919L % 1013) + "|")
                .toList();
        cluster.load(new Tpch.Table("far", "id", "id bigint, g integer, x double, y bigint"), 4, 1, far);
    }

    private static void load(String table, int actors, int rows, Random random) throws Exception {
        cluster.load(
                new Tpch.Table(table, "id", "id bigint" + FunctionCases.COLUMNS),
                actors,
                1,
                IntStream.range(0, rows)
                        .mapToObj(i -> i + "|" + FunctionCases.row(random))
                        .toList());
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return TpchCluster.rows(cluster.ask(sql.replaceFirst("(?s).*?\\bFROM (h|v|e|u|w|far)\\b.*", "$1"), sql));
    }

    /** Checks that both are equal, errors included; numbers may differ like sums in another order. */
    private static boolean compare(String sql, String theirs, boolean exact) {
        String told = sql + "\n" + theirs;
        String expected;
        try {
            SqlRows rows = CancellableJdbcExecutor.answer(cluster.whole(), theirs);
            expected = TpchCluster.rows(SqlAnswer.of(rows.types(), rows).body().utf8());
        } catch (SQLException | UniserveException e) {
            String answer = told + " fails with " + e.getMessage() + ", and is answered";
            try {
                answer += ask(sql);
            } catch (UniserveException mine) {
                assertThat(mine.code()).as(told).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                return false;
            }
            throw new AssertionError(answer, e);
        }
        String answer;
        try {
            answer = ask(sql);
        } catch (UniserveException e) {
            throw new AssertionError(told + "\n" + expected, e);
        }
        if (exact) {
            assertThat(answer).as(told).isEqualTo(expected);
        } else {
            FunctionCases.assertClose(told, answer, expected);
        }
        return !expected.equals("[]");
    }

    @Test
    void everythingThatIsAnsweredHasACase() {
        assertThat(FunctionCases.names()).containsExactlyInAnyOrderElementsOf(FunctionCatalog.supportedNames());
    }

    static Stream<String> scalars() {
        return FunctionCases.SCALARS.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("scalars")
    void aFunctionOfHostileValues(String name) {
        int rows = 0;
        for (FunctionCases.Pair one : FunctionCases.scalars(name)) {
            for (String shape : List.of(
                    "SELECT id, # FROM h ORDER BY id", "SELECT id, # FROM v WHERE (#) IS NOT NULL ORDER BY id")) {
                rows += compare(one.ours(shape), one.theirs(shape), true) ? 1 : 0;
            }
        }
        assertThat(rows).isPositive();
    }

    static Stream<String> aggregates() {
        return FunctionCases.AGGREGATES.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("aggregates")
    void anAggregateOverSeveralActors(String name) {
        int rows = 0;
        List<FunctionCases.Pair> cases = FunctionCases.aggregates(name);
        // Each name gets all templates, not each of its cases: the cases alternate.
        for (int i = 0; i < FunctionCases.SHAPES.size(); i++) {
            String shape = FunctionCases.SHAPES.get(i);
            FunctionCases.Pair one = cases.get(i % cases.size());
            rows += compare(one.ours(shape), one.theirs(shape), false) ? 1 : 0;
        }
        for (FunctionCases.Pair one : cases) {
            String shape = "SELECT g, # FROM h GROUP BY g ORDER BY g NULLS FIRST";
            rows += compare(one.ours(shape), one.theirs(shape), false) ? 1 : 0;
        }
        assertThat(rows).isGreaterThan(FunctionCases.SHAPES.size() / 2);
    }

    /** Number of queries: {@code -Duniserve.parity.aggregates}; seed: {@code -Duniserve.parity.seed}, else that of the day. */
    @Test
    void randomAggregatesAreAnsweredAsByOneEngine() {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261126));
        int count = Integer.getInteger("uniserve.parity.aggregates", 60);
        LOG.warn("{} generated queries with -Duniserve.parity.seed={}", count, seed);
        RandomAggregates queries = new RandomAggregates(new Random(seed));
        int rows = 0;
        for (int i = 0; i < count; i++) {
            FunctionCases.Pair query = queries.next();
            rows += compare(query.ours(), query.theirs(), false) ? 1 : 0;
        }
        assertThat(rows).as("answers with rows").isGreaterThan(count / 3);
    }

    /** Squares of these values would lose all digits of the distances. The answer's error is that of doubles of this magnitude. */
    @ParameterizedTest
    @CsvSource({"x, 1e9", "y, 4e15", "x - 999999990, 1e9", "-x / 3, 1e9", "1000000 + id % 10, 1e6", "id % 10, 1"})
    void varianceOfValuesFarFromZero(String of, double far) throws SQLException {
        List<BigDecimal> values = new ArrayList<>();
        try (Statement all = cluster.whole().createStatement();
                ResultSet rows = all.executeQuery("SELECT CAST(" + of + " AS DOUBLE) FROM far")) {
            while (rows.next()) {
                values.add(new BigDecimal(rows.getDouble(1)));
            }
        }
        BigDecimal count = BigDecimal.valueOf(values.size());
        BigDecimal mean =
                values.stream().reduce(BigDecimal.ZERO, BigDecimal::add).divide(count, MathContext.DECIMAL128);
        BigDecimal squares =
                values.stream().map(value -> value.subtract(mean).pow(2)).reduce(BigDecimal.ZERO, BigDecimal::add);
        double variance = squares.divide(count, MathContext.DECIMAL128).doubleValue();
        double off = variance * (1e-12 + 16 * Math.ulp(far) / Math.sqrt(variance));
        assertThat(number("SELECT var_pop(" + of + ") FROM far")).isCloseTo(variance, within(off));
        assertThat(number("SELECT stddev(" + of + ") * stddev(" + of + ") * 599 / 600 FROM far"))
                .isCloseTo(variance, within(off));
    }

    private static double number(String sql) {
        return Double.parseDouble(ask(sql).replaceAll("[\\[\\]\\s]", ""));
    }

    @Test
    void theOrderOfTextsIsThatOfTheirValuesWhereNoneIsGiven() throws SQLException {
        assertThat(ask("SELECT string_agg(wt, '') FROM w")).contains("p".repeat(10) + "q".repeat(10) + "r".repeat(10));
        assertThat(ask("SELECT string_agg(wt, '-' ORDER BY k DESC) FROM w WHERE k < 3"))
                .contains("r-q-p");
        assertThat(ask("SELECT listagg(DISTINCT wt) WITHIN GROUP (ORDER BY wt DESC) FROM w"))
                .contains("r,q,p");
    }

    /** Values that must be in one place are more than an actor may send. */
    @Test
    void tooManyValuesAreTold() {
        String sql = "SELECT string_agg('" + "x".repeat(600)
                + "' || CAST(p.id AS VARCHAR), ',') FROM far AS p JOIN far AS q ON p.g = q.g";
        assertThatThrownBy(() -> ask(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void nothingIsAskedOfActorsForWhatIsRefused() {
        for (String sql :
                List.of("SELECT mode(a) FROM h", "SELECT corr(a, b) FROM h", "SELECT a, rank() OVER () FROM h")) {
            assertThatThrownBy(() -> ask(sql))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isIn(Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT)));
        }
    }
}
