package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of roles in a cluster of processes: requests beyond them are refused by name, and other users are not affected. */
class UserLimitsIT {
    private static final String TABLE = "numbers";
    private static final String ALL = "SELECT id FROM numbers";
    /** 10^9 combinations of rows: longer than any deadline here. */
    private static final String SLOW = "SELECT count(*) FROM numbers a JOIN numbers b ON a.same = b.same"
            + " JOIN numbers c ON b.same = c.same WHERE a.word < b.word || c.word";

    private static final int ROWS = 1_000;
    private static final int GREEDY_CALLERS = 12;

    @TempDir
    private Path directory;

    private static List<Document> rows(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(id -> new Document("id", Map.of("id", id, "same", 1L, "word", "word " + id)))
                .toList();
    }

    private static void put(UniserveClient client, long from, long to) {
        client.table(TABLE)
                .update("duckdb.put@1", Document.CODEC, rows(from, to))
                .run()
                .orThrow();
    }

    private static void grant(UniserveClient admin, String user, Role role) {
        admin.admin().changeGrant(new RoleGrant(user, role, TablePattern.ALL), false);
    }

    /** Fails with a text that names the limit. */
    private static void assertRefused(ThrowingCallable call, ErrorCode code, String limit) {
        Throwable thrown = ThrowableAssert.catchThrowable(call);
        assertThat(thrown).isInstanceOf(UniserveException.class);
        assertThat(((UniserveException) thrown).code()).as(thrown.getMessage()).isEqualTo(code);
        assertThat(thrown).hasMessageContaining(limit);
    }

    private static void eventuallyRefused(ThrowingCallable call, ErrorCode code, String limit) {
        await().atMost(SecuredProcessCluster.PATIENCE).untilAsserted(() -> assertRefused(call, code, limit));
    }

    @Test
    void eachLimitRefusesByNameAndOthersGoOn() throws Exception {
        try (SecuredProcessCluster cluster = new SecuredProcessCluster(directory, "duckdb")) {
            UniserveClient admin = cluster.client("admin");
            admin.admin()
                    .createTable(TableSpec.named(TABLE)
                            .port("duckdb")
                            .keyField("id")
                            .hash(3)
                            .replicas(2)
                            .option("columns", "id bigint, same bigint, word varchar"));
            put(admin, 0, ROWS);
            UniserveClient ann = cluster.client("ann");
            UniserveClient bob = cluster.client("bob");
            grant(admin, "ann", Role.READER);
            grant(admin, "bob", Role.WRITER);
            await().atMost(SecuredProcessCluster.PATIENCE).ignoreExceptions().untilAsserted(() -> {
                assertThat(ann.query(TABLE, ALL).body().utf8()).contains("[999]");
                put(bob, 0, 1);
            });

            admin.admin().changeLimit(Role.READER, LimitKind.ANSWER_ROWS, 10);
            eventuallyRefused(() -> ann.query(TABLE, ALL), ErrorCode.TOO_LARGE, "answer-rows = 10 of role reader");
            assertThat(ann.query(TABLE, ALL + " ORDER BY id LIMIT 10").body().utf8())
                    .contains("[9]");
            assertThat(bob.query(TABLE, ALL).body().utf8()).as("another role").contains("[999]");
            assertThat(ann.admin().grants("").limits()).hasSize(1);
            admin.admin().changeLimit(Role.READER, LimitKind.ANSWER_ROWS, 0);

            admin.admin().changeLimit(Role.READER, LimitKind.DEADLINE_MS, 300);
            eventuallyRefused(() -> ann.query(TABLE, SLOW), ErrorCode.QUERY_KILLED, "deadline-ms = 300 of role reader");
            admin.admin().changeLimit(Role.READER, LimitKind.DEADLINE_MS, 0);

            admin.admin().changeLimit(Role.READER, LimitKind.RESULT_BYTES, 2_000);
            eventuallyRefused(() -> ann.query(TABLE, ALL), ErrorCode.TOO_LARGE, "result-bytes = 2000 of role reader");
            // A server that lags behind may still have the deadline.
            await().atMost(SecuredProcessCluster.PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(ann.query(TABLE, "SELECT count(*) FROM numbers")
                                    .body()
                                    .utf8())
                            .contains("[1000]"));
            assertThat(bob.query(TABLE, ALL).body().utf8()).contains("[999]");
            admin.admin().changeLimit(Role.READER, LimitKind.RESULT_BYTES, 0);

            admin.admin().changeLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 1);
            eventuallyRefused(
                    () -> {
                        put(bob, 0, 2);
                        put(bob, 0, 100);
                        put(bob, 0, 100);
                    },
                    ErrorCode.DEADLINE_EXCEEDED, // the client waits and sends again until then
                    "update-rows-per-second = 1 of role writer");
            put(admin, 0, 100);
            admin.admin().changeLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 1_000);
            aLargeAtomicUpdateIsOneUpdate(admin, bob);
            admin.admin().changeLimit(Role.WRITER, LimitKind.UPDATE_ROWS_PER_SECOND, 0);
            await().atMost(SecuredProcessCluster.PATIENCE).ignoreExceptions().untilAsserted(() -> put(bob, 0, 100));

            await().atMost(SecuredProcessCluster.PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() ->
                            assertThat(ann.query(TABLE, ALL).body().utf8()).contains("[999]"));
            admin.admin().changeLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 1);
            oneGreedyUserStarvesNoOther(ann, bob);
        }
    }

    /** Its rows are staged at several servers in several requests before it commits. */
    private static void aLargeAtomicUpdateIsOneUpdate(UniserveClient admin, UniserveClient bob) {
        admin.admin()
                .createTable(TableSpec.named("atomic")
                        .port("duckdb")
                        .keyField("id")
                        .hash(3)
                        .replicas(2)
                        .level(ConsistencyLevel.SERIALIZABLE)
                        .option("columns", "id bigint, same bigint, word varchar"));
        List<Document> rows = LongStream.range(0, 4_000)
                .mapToObj(id ->
                        new Document("id", Map.of("id", id, "same", 1L, "word", ("word " + id + " ").repeat(300))))
                .toList();
        await().atMost(SecuredProcessCluster.PATIENCE)
                .ignoreExceptionsMatching(e -> String.valueOf(e.getMessage()).contains("update-rows-per-second = 1"))
                .untilAsserted(() -> bob.table("atomic")
                        .update("duckdb.put@1", Document.CODEC, rows)
                        .run()
                        .orThrow());
        assertThat(bob.query("atomic", "SELECT count(*) FROM atomic").body().utf8())
                .contains("[4000]");
    }

    /** Ann sends slow queries from many threads. Each server runs one of them; bob's are answered meanwhile. */
    private static void oneGreedyUserStarvesNoOther(UniserveClient ann, UniserveClient bob) {
        AtomicBoolean ending = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        ExecutorService callers = Executors.newFixedThreadPool(GREEDY_CALLERS);
        List<CompletableFuture<Void>> greedy = new ArrayList<>();
        try {
            for (int i = 0; i < GREEDY_CALLERS; i++) {
                greedy.add(CompletableFuture.runAsync(
                        () -> {
                            while (!ending.get()) {
                                Throwable thrown = ThrowableAssert.catchThrowable(() -> ann.query(TABLE, SLOW));
                                if (thrown != null
                                        && thrown.getMessage().contains("concurrent-queries = 1 of role reader")) {
                                    refused.incrementAndGet();
                                }
                            }
                        },
                        callers));
            }
            await().atMost(SecuredProcessCluster.PATIENCE).until(() -> refused.get() > 0);
            for (int i = 0; i < 10; i++) {
                assertThat(bob.query(TABLE, ALL).body().utf8()).contains("[999]");
            }
        } finally {
            ending.set(true);
            ann.close();
            greedy.forEach(CompletableFuture::join);
            callers.shutdown();
        }
        assertThat(refused.get()).isPositive();
    }
}
