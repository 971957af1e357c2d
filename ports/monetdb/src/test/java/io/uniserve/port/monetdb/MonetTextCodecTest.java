package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.ActorStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MonetTextCodecTest {
    private static final int[] LETTERS = {
        1, ' ', 'a', 'Z', 0x301, 0xe9, 0xd7ff, 0xe800, 0xf8ff, 0xfb01, 0xfbff, 0xfc00, 0xff21, 0xff5e, 0xfffd, 0xffff,
        0x10000, 0x103ff, 0x1d49c, 0x1f600, 0x20000, 0xe0001, 0xf0000, 0x10ffff
    };

    private static final ColumnSchema COLUMNS = new ColumnSchema(
            List.of(
                    new ColumnSchema.Column("id", new ColumnType(ColumnType.Kind.BIGINT, 0, 0)),
                    new ColumnSchema.Column("s", new ColumnType(ColumnType.Kind.VARCHAR, 0, 0))),
            List.of("id"));

    private static List<String> texts(int count) {
        Random random = new Random(5);
        return Stream.generate(() -> {
                    int[] letters = random.ints(random.nextInt(4), 0, LETTERS.length)
                            .map(at -> LETTERS[at])
                            .toArray();
                    return new String(letters, 0, letters.length);
                })
                .distinct()
                .limit(count)
                .toList();
    }

    @Test
    void aTextComesBackAndHasNoPairs() {
        for (String text : texts(500)) {
            String sent = MonetTextCodec.encode(text);
            assertThat(sent.chars().noneMatch(c -> Character.isSurrogate((char) c)))
                    .isTrue();
            assertThat(MonetTextCodec.text("VARCHAR", sent)).isEqualTo(text);
        }
    }

    @Test
    void theOrderIsThatOfCodePoints() {
        List<String> texts = texts(300);
        for (String one : texts) {
            for (String other : texts) {
                assertThat(Integer.signum(MonetTextCodec.encode(one).compareTo(MonetTextCodec.encode(other))))
                        .isEqualTo(Integer.signum(CodePoints.compare(one, other)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0000", "a\ue000", "\ue7ff"})
    void whatItCannotHoldIsRefused(String text) {
        assertThat(MonetTextCodec.fits(text)).isFalse();
        assertThatThrownBy(() -> MonetTextCodec.encode(text)).isInstanceOf(UniserveException.class);
    }

    /** Sorted, truncated and compared by MonetDB itself. */
    @Test
    void monetDbOrdersByCodePoint() throws Exception {
        MonetDatabase.start();
        List<String> texts = texts(120);
        List<String> sorted = texts.stream().sorted(CodePoints.ORDER).toList();
        try (MonetActor actor = new MonetActor(COLUMNS)) {
            actor.put(LongStream.range(0, texts.size())
                    .mapToObj(id -> List.<Object>of(id, texts.get((int) id)))
                    .toList());
            actor.publish();
            assertThat(column(actor, "SELECT \"s\" AS c0 FROM rows ORDER BY 1")).isEqualTo(sorted);
            assertThat(column(actor, "SELECT \"s\" AS c0 FROM rows GROUP BY \"s\" ORDER BY 1 LIMIT 100"))
                    .isEqualTo(sorted.subList(0, 100));
            assertThat(column(actor, "SELECT min(\"s\") AS c0 FROM rows")).containsExactly(sorted.get(0));
            assertThat(column(actor, "SELECT max(\"s\") AS c0 FROM rows")).containsExactly(sorted.get(119));
            for (int at : IntStream.of(40, 100, 110, 118).toArray()) {
                String constant = "'" + sorted.get(at) + "'";
                assertThat(column(actor, "SELECT \"s\" AS c0 FROM rows WHERE \"s\" >= " + constant + " ORDER BY 1"))
                        .isEqualTo(sorted.subList(at, 120));
            }
        }
    }

    /** Texts for which MonetDB's answer differs from DuckDB's are marked as odd. */
    @Test
    void theOtherCasesOfTextsThatAreNotOddAreDuckDbs() throws Exception {
        MonetDatabase.start();
        List<List<Object>> letters = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = duck.createStatement();
                ResultSet found = statement.executeQuery(
                        "SELECT i, x, upper(x), lower(x) FROM (SELECT i, chr(i::INTEGER) AS x FROM range(1, 131072)"
                                + " t(i) WHERE i NOT BETWEEN 55296 AND 59391) ORDER BY i")) {
            while (found.next()) {
                if ((MonetTextCodec.oddKinds(found.getString(2)) & 1) == 0) {
                    letters.add(List.of(found.getLong(1), found.getString(2)));
                    expected.add(found.getString(3) + found.getString(4));
                }
            }
        }
        assertThat(letters.size()).isGreaterThan(70_000);
        try (MonetActor actor = new MonetActor(COLUMNS)) {
            actor.put(letters);
            actor.publish();
            List<String> found = column(actor, "SELECT (upper(\"s\") || lower(\"s\")) AS c0 FROM rows ORDER BY \"id\"");
            assertThat(found).hasSameSizeAs(expected);
            assertThat(IntStream.range(0, found.size())
                            .filter(i -> !expected.get(i).equals(found.get(i)))
                            .mapToObj(i -> letters.get(i) + " is " + found.get(i)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "ж, upper(\"s\")",
                "ß, upper(\"s\")",
                "Ａ, lower(\"s\")",
                "a, `upper('ā')`",
                "😀, length(\"s\")",
                "😀, `substring(\"s\", 2)`",
                "😀, `(\"s\" LIKE '_')`",
                "a, `length('😀')`",
                "`a\nb`, `(\"s\" LIKE '%a')`"
            })
    void whatMonetDbTakesWronglyIsRefused(String text, String value) throws Exception {
        MonetDatabase.start();
        String statement = "SELECT " + value + " AS c0 FROM rows";
        try (MonetActor actor = new MonetActor(COLUMNS)) {
            actor.put(List.of(List.of(1L, text)));
            actor.publish();
            assertThatThrownBy(() -> column(actor, statement))
                    .hasMessageContaining("UPPER and LOWER on MonetDB beside");
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "Éÿ—日本, `upper(\"s\")`, ÉŸ—日本",
                "ж日本, `substring(\"s\", 2)`, 日本",
                "ж—, `length(\"s\")`, 2",
                "a😀b, `(\"s\" LIKE '%😀%')`, true",
                "a😀b, `lower(\"s\")`, a😀b"
            })
    void whatItTakesRightlyIsAnswered(String text, String value, String answer) throws Exception {
        MonetDatabase.start();
        try (MonetActor actor = new MonetActor(COLUMNS)) {
            actor.put(List.of(List.of(1L, text)));
            actor.publish();
            assertThat(column(actor, "SELECT " + value + " AS c0 FROM rows")).containsExactly(answer);
        }
    }

    private static List<String> column(MonetActor actor, String statement) {
        return actor.query(new ActorStatement(statement, Map.of())).rows().stream()
                .map(row -> row.get(0))
                .toList();
    }
}
