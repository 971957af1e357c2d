package io.uniserve.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.apache.calcite.util.Litmus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParsedQueryTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a::bigint FROM t | SELECT CAST(a AS bigint) FROM t",
                "SELECT t.a::decimal(9, 2) + 1 FROM t | SELECT CAST(t.a AS decimal(9, 2)) + 1 FROM t",
                "SELECT a::varchar::date FROM t | SELECT CAST(CAST(a AS varchar) AS date) FROM t",
                "SELECT (a + 1) :: varchar FROM t | SELECT CAST((a + 1) AS varchar) FROM t",
                "SELECT coalesce(s, '(')::varchar(3) FROM t | SELECT CAST(coalesce(s, '(') AS varchar(3)) FROM t",
                "SELECT DATE '2020-01-01'::varchar | SELECT CAST(DATE '2020-01-01' AS varchar)",
                "SELECT -1.5e3::integer | SELECT -CAST(1.5e3 AS integer)",
                "SELECT CASE WHEN (a) IN (1) THEN 1 END::double precision FROM t | SELECT CAST(CASE WHEN (a) IN (1) THEN 1 END AS double precision) FROM t",
                "SELECT \"x::y\"::integer FROM t | SELECT CAST(\"x::y\" AS integer) FROM t",
                "SELECT 'a::b' FROM t -- c::d | SELECT 'a::b' FROM t",
                "SELECT a FROM t WHERE (a)::integer = 1 | SELECT a FROM t WHERE CAST((a) AS integer) = 1",
                "SELECT a FROM t WHERE a = b::bigint AND s::text LIKE 'x' | SELECT a FROM t WHERE a = CAST(b AS bigint) AND CAST(s AS varchar) LIKE 'x'",
                "SELECT sum(a::bigint) FILTER (WHERE b::integer > 1) FROM t | SELECT sum(CASE WHEN CAST(b AS integer) > 1 THEN CAST(a AS bigint) END) FROM t",
                "SELECT a FROM (SELECT a::date AS a FROM t) AS q ORDER BY a::string | SELECT a FROM (SELECT CAST(a AS date) AS a FROM t) AS q ORDER BY CAST(a AS varchar)",
                "SELECT NULL::integer | SELECT CAST(NULL AS integer)",
            })
    void castsWithColonsAreCasts(String given, String written) {
        assertThat(ParsedQuery.of(given)
                        .tree()
                        .equalsDeep(ParsedQuery.of(written).tree(), Litmus.IGNORE))
                .as(ParsedQuery.of(given).tree() + " is "
                        + ParsedQuery.of(written).tree())
                .isTrue();
    }

    @Test
    void placesAreThoseOfTheText() {
        for (String sql : new String[] {
            "SELECT 1::integer,\n  2::varchar(3), nofunction(4)", "SELECT 1,\n  2,             nofunction(4)"
        }) {
            assertThatThrownBy(() -> ParsedQuery.of(sql))
                    .hasMessageContaining("line 2, column 18: function NOFUNCTION is not known");
        }
        assertThatThrownBy(() -> ParsedQuery.of("SELECT ::integer FROM t"))
                .hasMessageContaining("line 1, column 8: syntax error");
        assertThatThrownBy(() -> ParsedQuery.of("SELECT 1::integer +, 2"))
                .hasMessageContaining("line 1, column 19: syntax error");
    }

    /** Each of these ends at the line's end: a quote in it opens no text. */
    @ParameterizedTest
    @ValueSource(strings = {"--'\n", "//'\n", "--'\r", "//'\r\n", "/*'*/"})
    void quotesInCommentsOpenNoText(String comment) {
        assertThat(ParsedQuery.of("SELECT 1 " + comment + " FROM t WHERE s = 'a::integer'")
                        .tree()
                        .toString())
                .contains("'a::integer'");
    }

    @Test
    void listsAreNotCast() {
        assertThatThrownBy(() -> ParsedQuery.of("SELECT a FROM t WHERE a IN (1, 2)::boolean"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("line 1, column 28: a list of values cannot be cast");
    }

    /** DuckDB's reserved words are not names, nor is a word that changes the kind of a join. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a and FROM t | 10 | and",
                "SELECT a isnull FROM t | 10 | isnull",
                "SELECT a FROM t semi JOIN u ON a = b | 17 | semi",
                "SELECT a FROM t ANTI JOIN u ON a = b | 17 | ANTI",
                "SELECT a FROM t positional JOIN u ON a = b | 17 | positional",
                "SELECT t.end FROM t | 8 | end",
                "SELECT a FROM not | 15 | not",
                "SELECT range FROM t | 8 | range",
                "SELECT a FROM t WHERE range = 1 | 23 | range",
                "SELECT a FROM t GROUP BY order | 26 | order",
                "SELECT integer '5' FROM t | 8 | integer",
                "SELECT a FROM t ORDER BY to | 26 | to",
                "WITH q (true) AS (SELECT a FROM t) SELECT a FROM q | 9 | true",
            })
    void reservedWordsAreRefusedWhereTheyStand(String sql, int column, String word) {
        assertThatThrownBy(() -> ParsedQuery.of(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("line 1, column " + column + ": syntax error at \"")
                .hasMessageContaining(
                        word + " is a reserved word: a column of this name stands in double quotes, \"" + word + "\"");
        String quoted = sql.replaceFirst("\\b" + word + "\\b", "\"" + word + "\"");
        assertThat(ParsedQuery.of(quoted).tree()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BEGIN | BEGIN is not supported",
                "COMMIT | COMMIT is not supported",
                "SHOW x | line 1, column 1: SHOW is not supported",
                "SET x = 1 | SET_OPTION is not supported",
                "CREATE TABLE t (a INTEGER) | line 1, column 1: CREATE TABLE is not supported",
            })
    void otherStatementsAreRefused(String sql, String message) {
        assertThatThrownBy(() -> ParsedQuery.of(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class,
                        e -> assertThat(e.code()).isIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNSUPPORTED))
                .hasMessageContaining(": " + message)
                .hasMessageNotContaining("line 0");
    }
}
