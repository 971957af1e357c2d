package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlRows;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements that would take hours end when they are cancelled. */
class GivenUpTest {
    private static final String ENDLESS =
            "SELECT count(*) AS c0 FROM range(1000000) a(i), range(1000000) b(j), range(1000000) c(k) WHERE i + j + k"
                    + " = 7";

    /** Caller with one hour of time that may cancel earlier. */
    private static final class Caller implements QueryCancellation {
        private final List<Runnable> stops = new CopyOnWriteArrayList<>();

        @Override
        public long remainingNanos() {
            return Duration.ofHours(1).toNanos();
        }

        @Override
        public Watch onCancel(Runnable stop) {
            stops.add(stop);
            return () -> stops.remove(stop);
        }

        private void giveUp() {
            stops.forEach(Runnable::run);
        }
    }

    /** Returns the threads of servers and of this test that run a statement of DuckDB. */
    private static long joining() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack ->
                        Stream.of(stack).anyMatch(frame -> frame.getClassName().equals("org.duckdb.DuckDBNative")))
                .count();
    }

    /** Cancels. A stop may come before the statement has started; a host repeats it, and so does this test. */
    private static void giveUp(Caller caller) {
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            caller.giveUp();
            return joining() == 0;
        });
    }

    @Test
    void aMergeEnds() {
        Caller caller = new Caller();
        CompletableFuture<SqlRows> merge =
                CompletableFuture.supplyAsync(() -> new DuckResultMerger().merge(Map.of(), ENDLESS, caller));
        await().until(() -> !caller.stops.isEmpty() && joining() > 0);
        giveUp(caller);
        assertThatThrownBy(merge::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        assertThat(caller.stops).isEmpty();
    }

    /** From the client's cancel to the engine's threads on all servers. */
    @Test
    void aQueryOfACluster(@TempDir Path directory) throws Exception {
        try (TpchCluster cluster = new TpchCluster(directory)) {
            cluster.load(Tpch.ORDERS, 3, 1, 0.01);
            CompletableFuture<Answer> answer = cluster.client()
                    .queryAsync(
                            "orders",
                            "SELECT count(*) FROM orders a, orders b, orders c WHERE a.o_shippriority ="
                                    + " b.o_shippriority AND b.o_shippriority = c.o_shippriority AND a.o_totalprice +"
                                    + " b.o_totalprice < c.o_totalprice")
                    .toCompletableFuture();
            // Counting and collecting rows end soon.
            await().during(Duration.ofSeconds(3)).atMost(Duration.ofMinutes(1)).until(() -> joining() > 0);
            assertThat(answer.cancel(true)).isTrue();
            await().atMost(Duration.ofMinutes(1)).until(() -> joining() == 0);
            assertThat(cluster.ask("orders", "SELECT count(*) FROM orders")).contains("15000");
        }
    }
}
