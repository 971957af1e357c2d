package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.Functions;
import java.nio.file.Path;
import java.sql.SQLException;
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

/** Every function and aggregate that queries may use, over hostile values at several actors; answers are those of one DuckDB. */
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
        load("one", 3, 1, random);
        List<String> partners = IntStream.range(0, 30)
                .mapToObj(i -> i + "|" + (i % 7 - 2) + "|" + "pqr".charAt(i % 3) + "|")
                .toList();
        cluster.load(new Tpch.Table("w", "k", "k bigint, wa bigint, wt varchar"), 2, 1, partners);
        List<String> far = IntStream.range(0, 600)
                .mapToObj(i -> i + "|" + i % 3 + "|" + (1_000_000_000L + i * 7919L % 101) + "."
                        + (i % 8) * 125 + "|" + (4_000_000_000_000_000L + i * 7919L % 1013) + "|")
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
        return TpchCluster.rows(cluster.ask(sql.replaceFirst("(?s).*?\\bFROM (\\w+)\\b.*", "$1"), sql));
    }

    /** The same as one DuckDB, errors too; numbers may be off by as much as sums in another order. */
    private static boolean compare(String sql, String theirs, boolean exact) {
        String told = sql + "\n" + theirs;
        String expected;
        try {
            expected = cluster.expected(theirs);
        } catch (SQLException | UniserveException e) {
            assertThatThrownBy(() -> ask(sql))
                    .as(told + " fails with " + e.getMessage())
                    .isInstanceOfSatisfying(UniserveException.class, mine -> assertThat(mine.code())
                            .as(told)
                            .isEqualTo(ErrorCode.INVALID_ARGUMENT));
            return false;
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
        assertThat(FunctionCases.names()).containsExactlyInAnyOrderElementsOf(Functions.answered());
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
                    "SELECT id, # FROM h ORDER BY id",
                    "SELECT #, count(*) FROM h GROUP BY 1 ORDER BY 1, 2",
                    "SELECT id, # FROM v WHERE # IS NOT NULL ORDER BY id",
                    "SELECT max(#) FROM e")) {
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
        for (FunctionCases.Pair one : FunctionCases.aggregates(name)) {
            for (String shape : FunctionCases.SHAPES) {
                rows += compare(one.ours(shape), one.theirs(shape), false) ? 1 : 0;
            }
        }
        assertThat(rows).isGreaterThan(FunctionCases.SHAPES.size() / 2);
    }

    /** As many as {@code -Duniserve.parity.aggregates} says, of {@code -Duniserve.parity.seed}, else of the day. */
    @Test
    void randomAggregatesAreAnsweredAsByOneEngine() {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261126));
        int count = Integer.getInteger("uniserve.parity.aggregates", 120);
        LOG.warn("{} generated queries with -Duniserve.parity.seed={}", count, seed);
        RandomAggregates queries = new RandomAggregates(new Random(seed));
        int rows = 0;
        for (int i = 0; i < count; i++) {
            FunctionCases.Pair query = queries.next();
            rows += compare(query.ours(), query.theirs(), false) ? 1 : 0;
        }
        assertThat(rows).as("answers with rows").isGreaterThan(count / 3);
    }

    /** Squares of these would leave no digit of the distances. */
    @ParameterizedTest
    @CsvSource({"var_pop", "var_samp", "stddev", "stddev_pop", "variance", "stddev_samp"})
    void valuesFarFromZero(String function) {
        for (String of : List.of("x", "y", "x - 999999990", "-x / 3")) {
            String sql = function + "(" + of + ")";
            compare("SELECT " + sql + ", count(*) FROM far", "SELECT " + sql + ", count(*) FROM far", false);
            String groups = "SELECT g, " + sql + " FROM far GROUP BY g ORDER BY g";
            compare(groups, groups, false);
        }
    }

    @Test
    void varianceOfKnownValues() {
        // 0 to 9 at a distance of 1e9, at four actors: exactly 8.25.
        String told = ask("SELECT var_pop(1000000000 + id % 10) FROM far");
        assertThat(Double.parseDouble(told.replaceAll("[\\[\\]\\s]", ""))).isCloseTo(8.25, within(8.25e-9));
    }

    @Test
    void theOrderOfTextsIsThatOfTheirValuesWhereNoneIsGiven() throws SQLException {
        assertThat(ask("SELECT string_agg(wt, '') FROM w")).contains("p".repeat(10) + "q".repeat(10) + "r".repeat(10));
        assertThat(ask("SELECT string_agg(wt, '-' ORDER BY k DESC) FROM w WHERE k < 3")).contains("r-q-p");
        assertThat(ask("SELECT listagg(DISTINCT wt) WITHIN GROUP (ORDER BY wt DESC) FROM w")).contains("r,q,p");
    }

    /** Values that have to meet are more than an actor may send. */
    @Test
    void tooManyValuesAreTold() {
        assertThatThrownBy(() -> ask("SELECT string_agg(repeated, ',') FROM (SELECT "
                        + String.join(" || ", new ArrayList<>(java.util.Collections.nCopies(900, "'0123456789012345678901234567890123456789'")))
                        + " AS repeated FROM far) AS t"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void nothingIsAskedOfActorsForWhatIsRefused() {
        for (String sql : List.of("SELECT mode(a) FROM h", "SELECT corr(a, b) FROM h", "SELECT a, rank() OVER () FROM h")) {
            assertThatThrownBy(() -> ask(sql))
                    .isInstanceOfSatisfying(UniserveException.class, e -> assertThat(e.code())
                            .isIn(Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT)));
        }
    }
}
