package io.uniserve.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlRows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Check statement before sums within groups, and the answers that allow the sum. */
class SumOverflowCheckerTest {
    private final List<String> asked = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT sum(c0) AS c0 FROM parts",
                "SELECT \"a\" AS c0, count(*) AS c1 FROM rows GROUP BY 1",
                "SELECT \"sum(b\" AS c0, ' sum(c)' AS c1, checksum(\"d\") FROM rows GROUP BY 1",
                "SELECT sum(\"a\") AS c0 FROM rows WHERE \"b\" = ' GROUP BY 1'"
            })
    void nothingIsAskedWithoutSumsOfGroups(String statement) throws SQLException {
        SumOverflowChecker.check(statement, answering("BIGINT", "1"));
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT \"a\" AS c0, sum(\"b\") AS c1 FROM rows WHERE \"c\" = 1 GROUP BY 1 | \"b\" | FROM rows WHERE \"c\" = 1",
                "SELECT c0, sum(DISTINCT c1) FROM parts GROUP BY c0 | c1 | FROM parts",
                "SELECT c0 FROM parts GROUP BY c0 HAVING (sum(c2) > 3) ORDER BY sum(c2) | c2 | FROM parts",
                "SELECT ' FROM sum(x)', sum(substring('it''s )', (\"b\" + 1))) FROM rows AS \"a FROM b\" GROUP BY 1 | substring('it''s )', (\"b\" + 1)) | FROM rows AS \"a FROM b\"",
                "SELECT 1, (sum(extract(year FROM \"d\")) / 2) FROM (SELECT 1 FROM t GROUP BY 2) AS g GROUP BY 1 | extract(year FROM \"d\") | FROM (SELECT 1 FROM t GROUP BY 2) AS g"
            })
    void eachSumIsBoundOverAllRows(String statement, String value, String from) throws SQLException {
        SumOverflowChecker.check(statement, answering("BIGINT", "9.1E18"));
        assertThat(asked)
                .containsExactly("SELECT max(%1$s), sum(abs(CAST(%1$s AS DOUBLE))) %2$s".formatted(value, from));
    }

    @Test
    void sumsThatCouldBeTooLargeAreRefused() throws SQLException {
        String statement = "SELECT c0, sum(c1) FROM parts GROUP BY c0";
        SumOverflowChecker.check(statement, answering("DECIMAL(15,2)", "9.1E16"));
        SumOverflowChecker.check(statement, answering("DOUBLE", "1.0E300"));
        SumOverflowChecker.check(statement, answering("BIGINT", null));
        for (String type : List.of("BIGINT", "INTEGER", "DECIMAL(15,0)", "DECIMAL(15,2)")) {
            String bound = type.equals("DECIMAL(15,2)") ? "9.2E16" : "9.2E18";
            assertThatThrownBy(() -> SumOverflowChecker.check(statement, answering(type, bound)))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("sums of groups of type " + type + " could be out of range");
        }
    }

    private SumOverflowChecker.Engine answering(String type, @Nullable String bound) {
        return statement -> {
            asked.add(statement);
            return new SqlRows(List.of(type, "DOUBLE"), List.of(Arrays.asList(bound == null ? null : "1", bound)));
        };
    }
}
