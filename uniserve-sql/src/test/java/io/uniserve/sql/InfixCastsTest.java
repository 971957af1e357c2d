package io.uniserve.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InfixCastsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT a::bigint FROM t | SELECT CAST(a AS bigint) FROM t",
                "SELECT t.a::decimal(9, 2) + 1 FROM t | SELECT CAST(t.a AS decimal(9, 2)) + 1 FROM t",
                "SELECT a::varchar::date FROM t | SELECT CAST(CAST(a AS varchar) AS date) FROM t",
                "SELECT (a + 1) :: varchar FROM t | SELECT CAST((a + 1)  AS  varchar) FROM t",
                "SELECT coalesce(s, '(')::varchar(3) FROM t | SELECT CAST(coalesce(s, '(') AS varchar(3)) FROM t",
                "SELECT DATE '2020-01-01'::varchar | SELECT CAST(DATE '2020-01-01' AS varchar)",
                "SELECT -1.5e3::integer | SELECT -CAST(1.5e3 AS integer)",
                "SELECT CASE WHEN (a) IN (1) THEN 1 END::double precision FROM t | SELECT CAST(CASE WHEN (a) IN (1) THEN 1 END AS double precision) FROM t",
                "SELECT \"x::y\"::integer FROM t | SELECT CAST(\"x::y\" AS integer) FROM t",
                "SELECT 'a::b' FROM t -- c::d | SELECT 'a::b' FROM t -- c::d",
                "SELECT a FROM t WHERE (a)::integer = 1 | SELECT a FROM t WHERE CAST((a) AS integer) = 1",
                "SELECT ::integer FROM t | SELECT ::integer FROM t",
            })
    void areWrittenAsCast(String given, String written) {
        assertThat(InfixCasts.of(given).text()).isEqualTo(written);
    }

    /** Each of these ends at the line's end: a quote in it opens no text. */
    @ParameterizedTest
    @ValueSource(strings = {"--'\n", "//'\n", "--'\r", "//'\r\n", "/*'*/"})
    void nothingIsWrittenIntoATextBehindAComment(String comment) {
        String sql = "SELECT 1 " + comment + " FROM t WHERE s = 'a::integer'";
        assertThat(InfixCasts.of(sql).text()).isEqualTo(sql);
        assertThat(ParsedQuery.of(sql).tree().toString()).contains("'a::integer'");
    }

    @Test
    void placesAreThoseOfTheUsersText() {
        for (String sql : new String[] {
            "SELECT 1::integer,\n  2::varchar(3), nofunction(4)", "SELECT 1,\n  2,             nofunction(4)"
        }) {
            assertThatThrownBy(() -> ParsedQuery.of(sql))
                    .hasMessageContaining("line 2, column 18: function NOFUNCTION is not known");
        }
        assertThatThrownBy(() -> ParsedQuery.of("SELECT 1::integer +, 2"))
                .hasMessageContaining("line 1, column 19: syntax error");
    }
}
