package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.PreparedStatementCache;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans are reused while no row changes, and never afterwards: DuckDB's plans are wrong for other rows. */
class PreparedStatementCacheTest {
    private static final List<String> STATEMENTS = List.of(
            "SELECT count(*) AS c0 FROM rows WHERE \"n\" < 5000",
            "SELECT count(*) AS c0 FROM rows WHERE \"n\" > 5000",
            "SELECT count(*) AS c0, max(\"n\") AS c1 FROM rows",
            "SELECT \"n\" AS c0, count(*) AS c1 FROM rows GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT 3",
            "SELECT count(*) AS c0 FROM rows WHERE \"n\" IS NULL");

    @TempDir
    Path directory;

    private DuckDatabase duckDatabase;
    private DuckActor actor;

    @BeforeEach
    void open() throws Exception {
        duckDatabase = new DuckDatabase(Optional.of(directory), Optional.empty());
        ColumnType bigint = new ColumnType(ColumnType.Kind.BIGINT, 0, 0);
        ColumnSchema columns = new ColumnSchema(
                List.of(new ColumnSchema.Column("id", bigint), new ColumnSchema.Column("n", bigint)), List.of("id"));
        actor = new DuckActor(duckDatabase, "one", columns);
    }

    @AfterEach
    void close() {
        actor.close();
        duckDatabase.close();
    }

    private void put(long from, long count, long n) {
        actor.put(LongStream.range(from, from + count)
                .mapToObj(id -> List.of(id, n + id % 100))
                .toList());
        actor.publish();
    }

    private static List<?> answer(DuckTable table, String statement) {
        return table.answer(new ActorStatement(statement, Map.of()), new TestingOperatorContext())
                .rows();
    }

    /** Reason for the guard: the result of this library's plans for other rows. */
    @Test
    void aPlanOfOtherRowsIsWrong() throws Exception {
        put(0, 1_000, 0);
        try (DuckDBConnection reader = duckDatabase.connect()) {
            DuckDatabase.execute(reader, "USE one");
            try (PreparedStatement planned = reader.prepareStatement(STATEMENTS.get(1))) {
                put(1_000, 1_000, 4_000_000_000_000_000_000L);
                try (ResultSet found = planned.executeQuery()) {
                    assertThat(found.next()).isTrue();
                    assertThat(found.getLong(1)).as("rows, of 1,000").isZero();
                }
            }
        }
    }

    @Test
    void everyAnswerIsOfThePresentRows() {
        long[] starts = {0, 4_000_000_000_000_000_000L, -7, 300, 1L << 40};
        for (int round = 0; round < starts.length; round++) {
            put(round * 1_000L, 1_000, starts[round]);
            try (DuckTable view = actor.snapshot()) {
                for (String statement : STATEMENTS) {
                    List<?> fresh = answer(view, statement);
                    for (int i = 0; i < 4; i++) {
                        assertThat(answer(actor, statement)).as(statement).isEqualTo(fresh);
                    }
                }
            }
        }
    }

    /** Each version has one more row with a greater number, so the count of rows above the last number identifies the version. */
    @Test
    void answersWhileRowsChangeAreOfOneState() {
        put(0, 1_000, 0);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong published = new AtomicLong(1_000);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int reader = 0; reader < 2; reader++) {
            readers.add(CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    long before = published.get();
                    for (int i = 0; i < 3; i++) {
                        String count = String.valueOf(
                                answer(actor, "SELECT count(*) AS c0, count(\"n\") AS c1 FROM rows WHERE \"id\" >= 0"));
                        String above =
                                String.valueOf(answer(actor, "SELECT count(*) AS c0 FROM rows WHERE \"id\" > 100000"));
                        assertThat(count).matches("\\[\\[(\\d+), \\1\\]\\]");
                        long rows = Long.parseLong(count.replaceAll("\\D+(\\d+).*", "$1"));
                        assertThat(rows).isGreaterThanOrEqualTo(before);
                        assertThat(Long.parseLong(above.replaceAll("\\D", ""))).isGreaterThanOrEqualTo(rows - 1_000);
                    }
                }
            }));
        }
        try {
            for (long version = 1; version <= 150; version++) {
                put(100_000 + (version << 32), 1, version << 32);
                published.incrementAndGet();
            }
        } finally {
            over.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
        assertThat(answer(actor, STATEMENTS.get(2)).toString()).contains("1150");
    }

    @Test
    void aPlanThatRowsChangedUnderIsNotUsed() throws Exception {
        put(0, 1_000, 0);
        DuckDBConnection connection = duckDatabase.connect();
        DuckDatabase.execute(connection, "USE one");
        try (PreparedStatementCache statements = new PreparedStatementCache(connection)) {
            AtomicLong looks = new AtomicLong();
            LongSupplier state = () -> {
                // The first answer reads the state once, each other one before and after: rows change after the third
                // read.
                boolean third = looks.incrementAndGet() == 4;
                if (third) {
                    put(1_000, 1_000, 4_000_000_000_000_000_000L);
                }
                return looks.get() <= 4 ? 2 : 4;
            };
            for (String count : List.of("0", "0", "1000", "1000", "1000")) {
                assertThat(statements
                                .answer(STATEMENTS.get(1), state, new TestingOperatorContext())
                                .rows())
                        .hasToString("[[" + count + "]]");
            }
        }
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void aStatementThatFailsIsPlannedAnew() throws Exception {
        put(0, 1_000, 0);
        Connection connection = duckDatabase.connect();
        DuckDatabase.execute(connection, "USE one");
        try (PreparedStatementCache statements = new PreparedStatementCache(connection)) {
            String failing = "SELECT 9223372036854775807 + \"n\" AS c0 FROM rows";
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> statements.answer(failing, () -> 2, new TestingOperatorContext()))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("Overflow");
            }
            for (int i = 0; i < 100; i++) {
                assertThat(statements
                                .answer(
                                        "SELECT count(*) + " + i / 2 + " AS c0 FROM rows",
                                        () -> 2,
                                        new TestingOperatorContext())
                                .rows())
                        .hasToString("[[" + (1_000 + i / 2) + "]]");
            }
        }
    }
}
