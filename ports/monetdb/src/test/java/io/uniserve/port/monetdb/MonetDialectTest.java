package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements in MonetDB's dialect. */
class MonetDialectTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT \"a\" AS c0, count(*) AS c1 FROM rows GROUP BY 1 | SELECT \"a\" AS g0, count(*) AS g1 FROM mine GROUP BY g0",
                "SELECT rows.\"rows\" FROM b0 JOIN rows ON b0.c0 = 'rows' GROUP BY 1, 2 | SELECT mine.\"rows\" FROM b0 JOIN mine ON b0.c0 = 'rows' GROUP BY g0, g1",
                "SELECT (\"a\" / CASE WHEN (\"b\" - 1) = 0 THEN error('division by zero') ELSE (\"b\" - 1) END) FROM rows | SELECT (\"a\" / CAST((\"b\" - 1) AS DOUBLE)) FROM mine",
                "SELECT (\"a\" % CASE WHEN \"b\" = 0 THEN error('division by zero') ELSE \"b\" END) FROM rows | SELECT (\"a\" % \"b\") FROM mine",
                "SELECT (sum(\"a\") / 7.0), '(x / 7)', ('it''s' / 7) FROM rows | SELECT (sum(\"a\") / CAST(7.0 AS DOUBLE)), '(x / 7)', ('it''s' / CAST(7 AS DOUBLE)) FROM mine",
                "SELECT (sum(c1) / nullif(sum(c2), 0)) FROM parts | SELECT (CAST(sum(c1) AS DOUBLE) / CASE WHEN sum(c2) = 0 THEN NULL ELSE sum(c2) END) FROM parts",
                "SELECT (sum(DISTINCT c1) / nullif(count(DISTINCT c1), 0)) FROM parts | SELECT (CAST(sum(DISTINCT c1) AS DOUBLE) / CASE WHEN count(DISTINCT c1) = 0 THEN NULL ELSE count(DISTINCT c1) END) FROM parts",
                "SELECT (\"a\" - \"a\"), '(b - b)' FROM rows | SELECT (\"a\" * 0), '(b - b)' FROM mine",
                "SELECT 1 AS c0 FROM rows WHERE \"a\" <> 2147483647 LIMIT 127 | SELECT 1 AS c0 FROM mine WHERE \"a\" <> CAST(2147483647 AS BIGINT) LIMIT 127",
                "SELECT \"a\" AS c0 FROM rows ORDER BY c0 DESC NULLS FIRST LIMIT 3 | SELECT \"a\" AS c0 FROM mine ORDER BY CASE WHEN \"a\" IS NULL THEN 1 ELSE 0 END DESC, \"a\" DESC LIMIT 3",
                "SELECT c0, sum(c1) FROM parts GROUP BY c0 ORDER BY 2 | SELECT c0, sum(c1) FROM parts GROUP BY c0 ORDER BY CASE WHEN sum(c1) IS NULL THEN 1 ELSE 0 END, sum(c1)",
                "SELECT DISTINCT c0 FROM parts ORDER BY c0 LIMIT 1 | SELECT x0 FROM (SELECT DISTINCT c0 FROM parts) AS x(x0) ORDER BY CASE WHEN x0 IS NULL THEN 1 ELSE 0 END, x0 LIMIT 1",
                "SELECT CAST(\"a\" AS VARCHAR), 'AS VARCHAR', 'it''s rows' FROM rows | SELECT CAST(\"a\" AS CLOB), 'AS VARCHAR', 'it''s rows' FROM mine"
            })
    void whatIsInQuotesStays(String statement, String expected) {
        assertThat(MonetDialect.MONETDB.statement(Map.of(), statement)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 FROM mine JOIN b0 ON mine.\"a\" = b0.c0 WHERE lower(mine.\"t\") = b0.c1",
                "SELECT 1 FROM mine JOIN b0 ON lower(mine.\"t\") = b0.c1 AND (mine.\"n\" + 1) = b0.c2"
            })
    void whatMonetDbMayJoinWronglyIsRefused(String statement) {
        Map<String, String> relations = Map.of("mine", "SELECT 1", "b0", "SELECT 2");
        assertThatThrownBy(() -> MonetDialect.MONETDB.statement(relations, statement))
                .hasMessageContaining("computed value beside another equality");
    }

    @Test
    void answersOfSubQueriesAndBackslashesAreRefused() {
        Map<String, String> relations = Map.of("mine", "SELECT 1", "q1", "SELECT 2");
        assertThatThrownBy(() -> MonetDialect.MONETDB.statement(relations, "SELECT 1 FROM mine, q1 AS g"))
                .hasMessageContaining("a sub-query, or a backslash, on MonetDB");
        assertThatThrownBy(() -> MonetDialect.MONETDB.statement(Map.of(), "SELECT '\\'') OR 1=1 --' FROM rows"))
                .hasMessageContaining("a backslash");
    }

    /** A text constant may be as long as a query, and there may be thousands of short ones. */
    @Test
    void longTextsAreNoNestingOfAnything() {
        String letters = "x".repeat(60_000);
        String many = "'x', ".repeat(12_000) + "'y'";
        assertThat(MonetDialect.MONETDB.translate(
                        Set.of(), "SELECT '" + letters + "', (c0 / 7) FROM rows WHERE c1 IN (" + many + ")"))
                .isEqualTo("SELECT '" + letters + "', (c0 / CAST(7 AS DOUBLE)) FROM mine WHERE c1 IN (" + many + ")");
    }

    @Test
    void eachJoinHasOneEquality() {
        Map<String, String> relations = new TreeMap<>(Map.of("b0", "r", "b1", "r", "mine", "r"));
        assertThat(MonetDialect.MONETDB.statement(
                        relations,
                        "SELECT (rows.\"a\" = b0.c0) AS c0 FROM ((b0 CROSS JOIN b1) CROSS JOIN rows) WHERE (b0.c0 = b1.c0) AND"
                                + " (rows.\"a\" = b1.c1) AND (rows.\"b\" = b0.c1)"))
                .endsWith(
                        "SELECT (mine.\"a\" = b0.c0) AS c0 FROM ((b0 CROSS JOIN b1) CROSS JOIN mine) WHERE (b0.c0 = b1.c0) AND"
                                + " (mine.\"a\" = b1.c1) AND (CASE WHEN mine.\"b\" = b0.c1 THEN 1 WHEN mine.\"b\" <> b0.c1 THEN 0"
                                + " ELSE NULL END = 1)");
    }

    @Test
    void relationsComeFirst() {
        Map<String, String> relations = new TreeMap<>(Map.of("b0", "SELECT c0 FROM r", "mine", "SELECT 1"));
        assertThat(MonetDialect.MONETDB.statement(relations, "SELECT 1 FROM rows, b0"))
                .isEqualTo("WITH b0 AS (SELECT c0 FROM r), mine AS (SELECT 1) SELECT 1 FROM mine, b0");
    }

    /** Rows are passed as values and as arrays; COPY BINARY would accept files of the wrong byte order. */
    @Test
    void rowsNeverComeByCopy() throws IOException {
        Pattern copy = Pattern.compile("(?i)\\bcopy\\s+(binary|into|from|loader|\\d)");
        assertThat("COPY BINARY INTO t FROM ('a')")
                .matches(text -> copy.matcher(text).find());
        assertThat("\"copy 5 records into \" + table")
                .matches(text -> copy.matcher(text).find());
        int files = 0;
        for (String module : List.of("src/main/java", "../shared/sql/src/main/java")) {
            try (Stream<Path> all = Files.walk(Path.of(module))) {
                for (Path file :
                        all.filter(path -> path.toString().endsWith(".java")).toList()) {
                    files++;
                    assertThat(copy.matcher(Files.readString(file)).results().map(MatchResult::group))
                            .as(file.toString())
                            .isEmpty();
                }
            }
        }
        assertThat(files).isGreaterThan(40);
    }
}
