package io.uniserve.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.Routing.TableRoute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UniserveClientTest {
    private static final RetrieveCall<String, List<Document>> ROWS =
            new RetrieveCall<>("rows@1", Codecs.STRING, ScriptedCluster.ROWS);

    private final ScriptedCluster cluster = new ScriptedCluster("c1", 3);
    private UniserveClient client = build();

    private UniserveClient build() {
        return UniserveClient.builder()
                .bootstrap(cluster.address(1))
                .deadline(Duration.ofSeconds(20))
                .build();
    }

    @BeforeEach
    void table() {
        client.admin().createTable(TableSpec.named("t").port("kv").hash(8).replicas(2));
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void createWriteReadQueryDrop() {
        UpdateOutcome outcome = put(100).run().orThrow();
        assertThat(outcome.requestIds()).hasSize(1);
        assertThat(outcome.acked()).hasSize(8);
        assertThat(count()).isEqualTo(100);
        assertThat(client.table("t").key("k7").retrieve(ROWS, "", UniserveClientTest::total))
                .isBetween(1, 99);
        assertThat(client.table("t").actors(List.of()).retrieve(ROWS, "", UniserveClientTest::total))
                .isZero();
        Answer answer = client.query("t", "count");
        assertThat(answer.body().utf8()).isEqualTo("count 100");
        assertThat(answer.effort().requests()).isOne();

        client.admin().dropTable("t");
        assertCode(ErrorCode.TABLE_NOT_FOUND, this::count);
        assertCode(ErrorCode.TABLE_NOT_FOUND, () -> client.query("t", "count"));
        assertCode(ErrorCode.TABLE_NOT_FOUND, () -> put(1).run());
        assertCode(ErrorCode.TABLE_NOT_FOUND, () -> client.admin().dropTable("t"));
        assertThat(client.admin().listTables()).isEmpty();
    }

    @Test
    void asynchronousTwins() throws Exception {
        UpdateOutcome outcome = get(put(50).runAsync());
        assertThat(outcome.complete()).isTrue();
        assertThat(get(client.table("t").all().retrieveAsync(ROWS, "", UniserveClientTest::total)))
                .isEqualTo(50);
        assertThat(get(client.queryAsync("t", "count")).body().utf8()).isEqualTo("count 50");
        TableRoute route = get(client.admin().describeTableAsync("t"));
        assertThat(route.meta().rf()).isEqualTo(2);
        assertThat(get(client.admin().statusAsync()).routing().servers()).hasSize(3);
        assertThat(get(client.table("t").key("k1").retrieveAsync(ROWS, "", UniserveClientTest::total)))
                .isPositive();
        assertFails(
                ErrorCode.TABLE_NOT_FOUND,
                client.table("nope").key("k").retrieveAsync(ROWS, "", UniserveClientTest::total));
        assertFails(
                ErrorCode.TABLE_NOT_FOUND,
                client.table("nope").updateDocuments("kv.put@1", List.of()).runAsync());
    }

    @Test
    void stoppedServerIsReplacedAtOnce() {
        put(100).run().orThrow();
        cluster.node(2).close();
        assertThat(count()).isEqualTo(100);
        assertThat(client.query("t", "count").body().utf8()).isEqualTo("count 100");
    }

    @Test
    void silentServerIsHedged() {
        put(100).run().orThrow();
        cluster.node(2).silent = true;
        for (int i = 0; i < 10; i++) {
            assertThat(count()).isEqualTo(100);
            assertThat(client.query("t", "count").body().utf8()).isEqualTo("count 100");
        }
    }

    @Test
    void unknownOperatorNamesTheServers() {
        RetrieveCall<String, Long> call = new RetrieveCall<>("nope@1", Codecs.STRING, Codecs.LONG);
        assertThatThrownBy(() -> client.table("t").all().retrieve(call, "", List::size))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_OPERATOR);
                    assertThat(e.tried()).isNotEmpty();
                });
    }

    @Test
    void deadlineListsWhatWasTried() {
        cluster.nodes.values().forEach(node -> node.silent = true);
        assertThatThrownBy(() -> client.table("t")
                        .all()
                        .deadline(Duration.ofMillis(300))
                        .retrieve(ROWS, "", UniserveClientTest::total))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
                    assertThat(e.tried()).isNotEmpty();
                });
        UpdateOutcome outcome = put(1).deadline(Duration.ofMillis(300)).run();
        assertThat(outcome.failed())
                .singleElement()
                .satisfies(failure -> assertThat(failure.error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN));
        assertCode(ErrorCode.OUTCOME_UNKNOWN, outcome::orThrow);
    }

    @Test
    void badDeadlinesAndNamesAreRefused() {
        for (Duration bad : List.of(
                Duration.ZERO,
                Duration.ofNanos(-1),
                Duration.ofSeconds(Long.MIN_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofHours(2))) {
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> client.query("t", "count", bad));
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> client.table("t").all().deadline(bad));
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> client.admin().deadline(bad));
            assertFails(ErrorCode.INVALID_ARGUMENT, client.queryAsync("t", "count", bad));
        }
        for (String bad : List.of("", "../x", "a/b", "a\u0000b", "x".repeat(65), "7up")) {
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> client.table(bad));
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> client.query(bad, "count"));
            assertCode(ErrorCode.INVALID_ARGUMENT, () -> TableSpec.named(bad));
        }
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> TableSpec.named("x").hash(0));
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> TableSpec.named("x").hash(1_000_000_000));
        assertCode(
                ErrorCode.INVALID_ARGUMENT,
                () -> client.table("t").actors(List.of(8)).retrieve(ROWS, "", UniserveClientTest::total));
    }

    @Test
    void badRowsAreNamedAndNothingIsSent() {
        List<Map<String, Object>> rows = List.of(Map.of("id", "a"), Map.of("text", "no key"));
        assertThatThrownBy(() ->
                        client.table("t").updateDocuments("kv.put@1", rows).run())
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW);
                    assertThat(e).hasMessageContaining("row 1");
                });
        assertThat(cluster.updateCalls).hasValue(0);
        assertThat(client.table("t").key(Long.MIN_VALUE).retrieve(ROWS, "", UniserveClientTest::total))
                .isZero();
    }

    @Test
    void sameRequestIdIsAppliedOnce() {
        RequestId id = new RequestId(1, 2, 3);
        put(20).requestId(id).run().orThrow();
        put(20).requestId(id).run().orThrow();
        assertThat(count()).isEqualTo(20);
    }

    @Test
    void clientOfAnotherClusterIsRefused() {
        UniserveClientBuilder other = UniserveClient.builder()
                .bootstrap(cluster.address(1), cluster.address(2))
                .clusterId("other");
        assertCode(ErrorCode.WRONG_CLUSTER, other::build);
    }

    @Test
    void nobodyThereListsWhatWasTried() {
        String gone = cluster.address(3);
        cluster.node(3).close();
        assertThatThrownBy(() -> UniserveClient.builder()
                        .bootstrap(gone)
                        .connectTimeout(Duration.ofSeconds(1))
                        .build())
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                    assertThat(e.tried()).isNotEmpty();
                    assertThat(e).hasMessageContaining(gone);
                });
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> UniserveClient.builder().build());
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> UniserveClient.builder().bootstrap("nonsense"));
    }

    @Test
    void createWithUnknownOutcomeIsFoundToBeDone() {
        cluster.adminError = new UniserveException(ErrorCode.OUTCOME_UNKNOWN, "connection lost");
        TableRoute route =
                client.admin().createTable(TableSpec.named("u").port("kv").hash(4));
        assertThat(route.map().actors()).hasSize(4);
        assertThat(cluster.createCalls.get()).isEqualTo(3);
        assertCode(
                ErrorCode.TABLE_EXISTS,
                () -> client.admin().createTable(TableSpec.named("u").port("kv").hash(4)));
    }

    @Test
    void coordinatorThatHangsIsLeftWhenAnotherOneLeads() {
        cluster.adminSilent = true;
        CompletableFuture<List<TableRoute>> tables =
                client.admin().listTablesAsync().toCompletableFuture();
        await().until(() -> cluster.adminCalls.get() > 1);
        assertThat(tables).isNotDone();
        cluster.adminSilent = false;
        cluster.leader = 2;
        cluster.publish();
        assertThat(tables.orTimeout(10, TimeUnit.SECONDS).join()).hasSize(1);
    }

    @Test
    void whatACombinerThrowsReachesTheCaller() {
        CompletableFuture<Object> failing = client.table("t")
                .all()
                .retrieveAsync(ROWS, "", parts -> {
                    throw new IllegalStateException("no sense");
                })
                .toCompletableFuture();
        assertThatThrownBy(() -> get(failing)).cause().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closeIsPromptAndIdempotentAndEndsWhatRuns() {
        cluster.nodes.values().forEach(node -> node.silent = true);
        CompletableFuture<Integer> read = client.table("t")
                .all()
                .retrieveAsync(ROWS, "", UniserveClientTest::total)
                .toCompletableFuture();
        CompletableFuture<UpdateOutcome> update = put(1).runAsync().toCompletableFuture();
        await().until(() -> cluster.updateCalls.get() > 0);
        client.close();
        client.close();
        assertFails(ErrorCode.CANCELLED, read);
        assertThat(update.join().failed().get(0).error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertCode(ErrorCode.CANCELLED, this::count);
        assertCode(ErrorCode.CANCELLED, () -> client.admin().listTables());
        assertFails(ErrorCode.CANCELLED, client.queryAsync("t", "count"));
    }

    @Test
    void noRoomFailsAsynchronousCallsAtOnceAndBlockingOnesAtTheirDeadline() {
        try (UniserveClient small = UniserveClient.builder()
                .bootstrap(cluster.address(1))
                .maxInFlight(2)
                .build()) {
            cluster.nodes.values().forEach(node -> node.silent = true);
            List<CompletableFuture<Integer>> running = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                running.add(small.table("t")
                        .all()
                        .retrieveAsync(ROWS, "", UniserveClientTest::total)
                        .toCompletableFuture());
            }
            assertFails(ErrorCode.RESOURCE_EXHAUSTED, small.queryAsync("t", "count"));
            assertCode(ErrorCode.RESOURCE_EXHAUSTED, () -> small.query("t", "count", Duration.ofMillis(50)));
            running.forEach(future -> assertThat(future.cancel(true)).isTrue());
            cluster.nodes.values().forEach(node -> node.silent = false);
            assertThat(small.query("t", "count").body().utf8()).isEqualTo("count 0");
        }
    }

    @Test
    void blockingInsideACallbackIsRefused() throws Exception {
        cluster.node(1).silent = false;
        AtomicReference<Throwable> seen = new AtomicReference<>();
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletionStage<Answer> stage = client.queryAsync("t", "count");
        CompletableFuture<Void> unused = stage.toCompletableFuture().thenAccept(answer -> {
            try {
                count();
            } catch (UniserveException e) {
                seen.set(e);
            }
            done.complete(null);
        });
        done.get(20, TimeUnit.SECONDS);
        // If the answer arrives before the callback is attached, the callback runs on this thread, where blocking is
        // allowed.
        if (seen.get() != null) {
            assertThat(seen.get()).hasMessageContaining("callback");
        }
    }

    @Test
    void threadsDoNotGrowWithOperations() throws Exception {
        get(CompletableFuture.allOf(queries(50)));
        int before = Thread.activeCount();
        get(CompletableFuture.allOf(queries(900)));
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(before + 2);
    }

    private CompletableFuture<?>[] queries(int count) {
        return java.util.stream.IntStream.range(0, count)
                .mapToObj(i -> client.table("t")
                        .all()
                        .retrieveAsync(ROWS, "", UniserveClientTest::total)
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
    }

    private TableUpdate<Document> put(int count) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(Map.of("id", "k" + i, "n", (long) i));
        }
        return client.table("t").updateDocuments("kv.put@1", rows);
    }

    private int count() {
        return client.table("t").all().retrieve(ROWS, "", UniserveClientTest::total);
    }

    private static int total(List<List<Document>> parts) {
        return parts.stream().mapToInt(List::size).sum();
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void assertFails(ErrorCode code, CompletionStage<?> stage) {
        assertThatThrownBy(() -> get(stage))
                .cause()
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
