package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions of rows: prepared, revoked, retained for views, and removed. */
class MonetActorTest {
    private static final String SUM = "SELECT count(*) AS c0, sum(\"n\") AS c1 FROM rows";
    private static final int MANY = 12_000;

    private MonetActor actor;

    @BeforeEach
    void open() throws Exception {
        MonetDatabase.start();
        ColumnType bigint = new ColumnType(ColumnType.Kind.BIGINT, 0, 0);
        actor = new MonetActor(new ColumnSchema(
                List.of(new ColumnSchema.Column("id", bigint), new ColumnSchema.Column("n", bigint)), List.of("id")));
    }

    @AfterEach
    void close() {
        actor.close();
    }

    private void put(long ids, long n) {
        actor.put(LongStream.range(0, ids).mapToObj(id -> List.of(id, n)).toList());
    }

    private static List<String> sum(MonetTable table) {
        return List.copyOf(table.query(new ActorStatement(SUM, Map.of())).rows().get(0));
    }

    @Test
    void preparedRowsAreSeenWhenTheyArePublishedAndGoWhenTheyAreRevoked() {
        put(3, 1);
        actor.publish();
        put(4, 2);
        put(2, 5);
        actor.delete(List.of(List.of(3L, 0L)));
        assertThat(sum(actor)).containsExactly("3", "3");
        actor.revoke();
        assertThat(sum(actor)).containsExactly("3", "3");
        assertThat(actor.usage().rows()).isEqualTo(3);
        put(4, 2);
        put(2, 5);
        actor.delete(List.of(List.of(3L, 0L)));
        actor.publish();
        assertThat(sum(actor)).containsExactly("3", "12");
        assertThat(actor.usage().rows()).isEqualTo(3);
    }

    @Test
    void aViewKeepsItsRowsWhileTheTableIsWrittenAnew() {
        put(MANY, 1);
        actor.publish();
        try (MonetTable view = actor.snapshot()) {
            for (int n = 2; n < 5; n++) {
                put(MANY, n);
                actor.publish();
                assertThat(sum(actor)).containsExactly("" + MANY, "" + MANY * n);
                assertThat(sum(view)).containsExactly("" + MANY, "" + MANY);
            }
            assertThat(view.usage().memoryBytes()).isPositive();
        }
        long kept = actor.usage().memoryBytes();
        put(MANY, 6);
        actor.publish();
        assertThat(sum(actor)).containsExactly("" + MANY, "" + MANY * 6);
        assertThat(actor.usage().memoryBytes()).isLessThan(kept);
    }

    @Test
    void readersSeeOneVersionWhileOthersComeAndTheTableIsWrittenAnew() {
        put(MANY, 1);
        actor.publish();
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(CompletableFuture.runAsync(() -> {
                do {
                    List<String> sum = sum(actor);
                    assertThat(sum.get(0)).isEqualTo("" + MANY);
                    assertThat(Long.parseLong(sum.get(1)) % MANY).isZero();
                } while (!stop.get());
            }));
        }
        try {
            for (int n = 2; n < 12; n++) {
                put(MANY, n);
                actor.publish();
            }
        } finally {
            stop.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
    }

    /** MonetDB's messages differ: they are more detailed while it parses a statement than while it runs one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT sum(\"n\" * 4000000000000000000) AS c0 FROM rows",
                "SELECT (1 / (\"n\" - 1)) AS c0 FROM rows",
                "SELECT CAST(\"n\" * 1000000000 AS DECIMAL(18,15)) AS c0 FROM rows",
                "SELECT (CAST(\"n\" AS DECIMAL(18,2)) / CAST(\"n\" AS DECIMAL(18,17))) AS c0 FROM rows",
                "SELECT (CAST(\"n\" AS DECIMAL(18,9)) * CAST(\"n\" AS DECIMAL(18,12))) AS c0 FROM rows",
                "SELECT CAST(\"n\" AS DECIMAL(19,2)) AS c0 FROM rows",
                "SELECT (12345678901234567890123 + \"n\") AS c0 FROM rows",
                "SELECT CAST('x' || \"n\" AS DATE) AS c0 FROM rows"
            })
    void whatValuesDoIsTheQuerysFault(String statement) {
        put(3, 1);
        actor.publish();
        assertThatThrownBy(() -> actor.query(new ActorStatement(statement, Map.of())))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("CAST to DOUBLE");
    }

    /** MonetDBLite ends the process if a group's sum overflows, so a bound is computed first. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT \"id\" AS c0, sum(\"n\" * 4000000000000000000) AS c1 FROM rows GROUP BY 1",
                "SELECT (\"id\" % 2) AS c0, sum(DISTINCT (\"n\" * 4000000000000000000)) AS c1 FROM rows GROUP BY 1",
                "SELECT 'FROM sum(' AS c0, sum(CAST(\"n\" AS DECIMAL(18,0)) * 4000000000000000) AS c1 FROM rows GROUP BY 1",
                "SELECT \"n\" AS c0, sum(CAST(\"n\" AS DOUBLE) * 100E306) AS c1 FROM rows GROUP BY 1",
                "SELECT \"n\" AS c0, sum(CAST(\"n\" AS DECIMAL(4,2)) * CAST(80000000000.00 AS DECIMAL(13,2))) AS c1 FROM rows GROUP BY 1",
                "SELECT \"n\" AS c0 FROM rows GROUP BY 1 HAVING sum(\"n\" * 4000000000000000000) > 1"
            })
    void aGroupsSumThatMayOverflowIsRefused(String statement) {
        put(MANY, 1);
        actor.publish();
        assertThatThrownBy(() -> actor.query(new ActorStatement(statement, Map.of())))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("the query fails on some value");
    }

    @Test
    void groupsSumsNearTheirLimitAreRight() {
        put(3, 1);
        actor.publish();
        ActorStatement work = new ActorStatement(
                "SELECT \"n\" AS c0, sum(\"n\" * 3000000000000000000) AS c1, sum(CAST(\"n\" AS DECIMAL(9,2)) * 300.00) AS c2"
                        + " FROM rows WHERE \"id\" < 3 GROUP BY 1",
                Map.of());
        assertThat(actor.query(work).rows().get(0)).startsWith("1", "9000000000000000000", "900.0000");
    }

    /** Also decimals of nine digits, which the driver reads as 64 bits, and a difference with more digits than its type. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9, 10, 17, 18})
    void decimalsOfAllDigitsComeBackFromActorsAndFromMergedAnswers(int digits) throws Exception {
        ColumnType decimal = new ColumnType(ColumnType.Kind.DECIMAL, digits, 1);
        String largest = BigDecimal.TEN
                .pow(digits)
                .subtract(BigDecimal.ONE)
                .movePointLeft(1)
                .toPlainString();
        MonetActor decimals = new MonetActor(new ColumnSchema(
                List.of(new ColumnSchema.Column("id", decimal), new ColumnSchema.Column("n", decimal)), List.of("id")));
        try {
            decimals.put(List.of(
                    List.of(new BigDecimal("0.1"), new BigDecimal(largest)),
                    List.of(new BigDecimal("0.2"), new BigDecimal("-" + largest)),
                    Arrays.asList(new BigDecimal("0.3"), null),
                    List.of(new BigDecimal("0.4"), new BigDecimal("0.5"))));
            decimals.publish();
            SqlRows parts = decimals.query(
                    new ActorStatement("SELECT \"id\" AS c0, \"n\" AS c1, (\"n\" - 1) AS c2 FROM rows", Map.of()));
            SqlRows merged = MonetDatabase.RELATIONS.read(
                    PackedRows.of(Map.of("parts", parts)),
                    made -> MonetDatabase.answer(made, "SELECT c0 AS c0, c1 AS c1, c2 AS c2 FROM parts ORDER BY 1"));
            String below =
                    new BigDecimal("-" + largest).subtract(BigDecimal.ONE).toPlainString();
            String next = new BigDecimal(largest).subtract(BigDecimal.ONE).toPlainString();
            assertThat(merged.rows())
                    .containsExactly(
                            List.of("0.1", largest, next),
                            List.of("0.2", "-" + largest, below),
                            Arrays.asList("0.3", null, null),
                            List.of("0.4", "0.5", "-0.5"));
        } finally {
            decimals.close();
        }
    }

    @Test
    void aClosedActorAnswersNothing() {
        actor.close();
        assertThatThrownBy(() -> sum(actor))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void anotherCopyOfThePortIsRefusedByName() {
        String own = System.getProperty("uniserve.monetdb.loaded-by");
        assertThat(own).isNotNull();
        System.setProperty("uniserve.monetdb.loaded-by", "another");
        try {
            assertThatThrownBy(MonetDatabase::start)
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                    .hasMessageContaining("a second copy of port monetdb in one process");
        } finally {
            System.setProperty("uniserve.monetdb.loaded-by", own);
        }
    }
}
