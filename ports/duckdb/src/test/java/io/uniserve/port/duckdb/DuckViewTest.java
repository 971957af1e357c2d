package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.ActorStatement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Views after a failed query, which ends DuckDB's transaction. */
class DuckViewTest {
    private static final String FAILING = "SELECT 9223372036854775807 + \"id\" AS c0 FROM rows";
    private static final String COUNT = "SELECT count(*) AS c0 FROM rows";

    @TempDir
    Path directory;

    private DuckDatabase duckDatabase;
    private DuckActor actor;

    @BeforeEach
    void open() throws Exception {
        duckDatabase = new DuckDatabase(Optional.of(directory), Optional.empty());
        ColumnType bigint = new ColumnType(ColumnType.Kind.BIGINT, 0, 0);
        ColumnSchema columns = new ColumnSchema(List.of(new ColumnSchema.Column("id", bigint)), List.of("id"));
        actor = new DuckActor(duckDatabase, "one", columns);
        put(1);
    }

    @AfterEach
    void close() {
        actor.close();
        duckDatabase.close();
    }

    private void put(long id) {
        actor.put(List.of(List.of(id)));
        actor.publish();
    }

    private static ActorStatement work(String statement) {
        return new ActorStatement(statement, Map.of());
    }

    private static String count(DuckTable table) {
        return String.valueOf(table.answer(work(COUNT), new TestingOperatorContext())
                .rows()
                .get(0)
                .get(0));
    }

    private static void fail(DuckTable table) {
        assertThatThrownBy(() -> table.answer(work(FAILING), new TestingOperatorContext()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void theNewestStateOutlivesAFailedQuery() {
        try (DuckTable view = actor.snapshot()) {
            fail(view);
            assertThat(count(view)).isEqualTo("1");
            put(2);
            assertThat(count(view)).isEqualTo("1");
            assertThat(count(actor)).isEqualTo("2");
        }
    }

    @Test
    void anOlderStateIsGoneAndNeverANewerOne() {
        try (DuckTable view = actor.snapshot()) {
            put(2);
            assertThat(count(view)).isEqualTo("1");
            fail(view);
            assertThatThrownBy(() -> count(view))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_GONE));
        }
        fail(actor);
        assertThat(count(actor)).isEqualTo("2");
    }

    /** A cancelled statement of a view ends its transaction, which others read too. */
    @Test
    void onlyAStateThatIsTheNewestIsReadByStatementsThatAreStopped() {
        List<Runnable> given = new ArrayList<>();
        QueryCancellation asked = new QueryCancellation() {
            @Override
            public long remainingNanos() {
                return 1;
            }

            @Override
            public Watch onCancel(Runnable stop) {
                given.add(stop);
                return () -> {};
            }
        };
        AtomicInteger stops = new AtomicInteger();
        try (DuckTable view = actor.snapshot();
                QueryCancellation.Watch unused = view.cancellationOf(asked).onCancel(stops::incrementAndGet)) {
            given.forEach(Runnable::run);
            assertThat(stops).hasValue(1);
            put(2);
            given.forEach(Runnable::run);
            assertThat(stops).hasValue(1);
        }
    }

    @Test
    void answersThatAreTooLargeAreRefused() {
        assertThatThrownBy(() -> actor.answer(
                        work("SELECT repeat('x', 1000000) AS c0 FROM range(20)"), new TestingOperatorContext()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }
}
