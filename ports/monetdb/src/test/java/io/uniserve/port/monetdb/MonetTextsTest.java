package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ColumnType;
import io.uniserve.api.Columns;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SqlQuery;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MonetTextsTest {
    private static final int[] LETTERS = {
        1, ' ', 'a', 'Z', 0x301, 0xe9, 0xd7ff, 0xe800, 0xf8ff, 0xfb01, 0xfbff, 0xfc00, 0xff21, 0xff5e, 0xfffd, 0xffff,
        0x10000, 0x103ff, 0x1d49c, 0x1f600, 0x20000, 0xe0001, 0xf0000, 0x10ffff
    };

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
            String sent = MonetTexts.encoded(text);
            assertThat(sent.chars().noneMatch(c -> Character.isSurrogate((char) c)))
                    .isTrue();
            assertThat(MonetTexts.text("VARCHAR", sent)).isEqualTo(text);
        }
    }

    @Test
    void theOrderIsThatOfCodePoints() {
        List<String> texts = texts(300);
        for (String one : texts) {
            for (String other : texts) {
                assertThat(Integer.signum(MonetTexts.encoded(one).compareTo(MonetTexts.encoded(other))))
                        .isEqualTo(Integer.signum(CodePoints.compare(one, other)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0000", "a\ue000", "\ue7ff"})
    void whatItCannotHoldIsRefused(String text) {
        assertThat(MonetTexts.fits(text)).isFalse();
        assertThatThrownBy(() -> MonetTexts.encoded(text)).isInstanceOf(UniserveException.class);
    }

    /** Sorted, cut and compared by MonetDB itself. */
    @Test
    void monetDbOrdersByCodePoint() throws Exception {
        Monet.start();
        List<String> texts = texts(120);
        List<String> sorted = texts.stream().sorted(CodePoints.ORDER).toList();
        ColumnType bigint = new ColumnType(ColumnType.Kind.BIGINT, 0, 0);
        ColumnType text = new ColumnType(ColumnType.Kind.VARCHAR, 0, 0);
        Columns columns =
                new Columns(List.of(new Columns.Column("id", bigint), new Columns.Column("s", text)), List.of("id"));
        try (MonetActor actor = new MonetActor(columns)) {
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

    private static List<String> column(MonetActor actor, String statement) {
        return actor.query(new SqlQuery.Work(statement, Map.of())).rows().stream()
                .map(row -> row.get(0))
                .toList();
    }
}
