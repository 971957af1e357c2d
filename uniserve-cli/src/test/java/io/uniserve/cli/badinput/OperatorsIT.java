package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.badinput.TroubleOperators.Trouble;
import io.uniserve.client.ActorSelection;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Unknown operators and functions, and operators that throw, hang or return too much. */
@ExtendWith(BadInputCluster.Shared.class)
class OperatorsIT {
    private static final long HUNDRED_MEGABYTES = 100L << 20;

    private final BadInputCluster bad;
    private final ActorSelection actors;

    OperatorsIT(BadInputCluster bad) {
        this.bad = bad;
        this.actors = bad.client.table("trouble").all();
    }

    private long ask(ActorSelection selection, Trouble<Long> operator, long parameter) {
        return selection.retrieve(
                operator.call(),
                parameter,
                values -> values.stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void unknownOperatorsAndVersions() {
        for (String id : List.of("kv.count@9", "no.such@1", "", "../x", "\0", "x".repeat(250))) {
            RetrieveCall<String, Long> call = new RetrieveCall<>(id, Codecs.STRING, Codecs.LONG);
            bad.refused(ErrorCode.UNKNOWN_OPERATOR, () -> actors.retrieve(call, "", List::size), "no operator");
        }
        RetrieveCall<String, Long> longName = new RetrieveCall<>("x".repeat(100_000), Codecs.STRING, Codecs.LONG);
        bad.refused(ErrorCode.INVALID_ARGUMENT, () -> actors.retrieve(longName, "", List::size), "operator", "256");
    }

    @Test
    void unknownUpdatesAndVersions() {
        for (String id : List.of("kv.put@9", "no.such@1", "", "../x", "\0", "x".repeat(250))) {
            bad.refused(
                    ErrorCode.UNKNOWN_UPDATE,
                    () -> bad.client
                            .table("words")
                            .updateDocuments(id, List.of(Map.of("id", "new")))
                            .run()
                            .orThrow(),
                    "has no update",
                    "it has [");
        }
    }

    @Test
    void operatorsThatThrow() {
        bad.refused(
                ErrorCode.PORT_FAILED,
                () -> ask(actors, TroubleOperators.THROW, 0),
                "trouble.throw@1",
                "java.lang.IllegalStateException: broken on purpose");
        bad.refused(ErrorCode.PORT_FAILED, () -> ask(actors, TroubleOperators.ERROR, 0), "deep on purpose");
        bad.refused(ErrorCode.PORT_FAILED, () -> ask(actors, TroubleOperators.ASSERT, 0), "wrong on purpose");
    }

    @Test
    void operatorsThatHangPastTheDeadlineAndOthersGoOn() {
        ActorSelection soon = actors.deadline(Duration.ofMillis(700));
        for (int i = 0; i < 3; i++) {
            bad.refused(ErrorCode.DEADLINE_EXCEEDED, () -> ask(soon, TroubleOperators.HANG, 0), "no answer after");
        }
        assertThat(bad.client.query("words", "count").body().utf8()).isEqualTo("{\"count\":50}");
    }

    @Test
    void resultsOfAHundredMegabytesAreRefusedBeforeTheyAreMade() {
        for (Trouble<Long> operator : List.of(TroubleOperators.HUGE, TroubleOperators.HUGE_MERGED)) {
            for (int count : new int[] {1, 4}) {
                ActorSelection some = bad.client
                        .table("trouble")
                        .actors(IntStream.range(0, count).boxed().toList());
                TroubleOperators.WRITTEN.set(0);
                bad.refused(
                        ErrorCode.TOO_LARGE,
                        () -> ask(some, operator, HUNDRED_MEGABYTES),
                        operator.id(),
                        "" + Limits.RESULT_BYTES_PER_ACTOR_MAX,
                        "ask for less");
                // Each actor may reach its limit before the first refusal ends the query, on two replicas if the query
                // is hedged.
                assertThat(TroubleOperators.WRITTEN.get())
                        .isLessThanOrEqualTo(2L * count * Limits.RESULT_BYTES_PER_ACTOR_MAX);
            }
        }
        assertThat(ask(bad.client.table("trouble").actors(List.of(0)), TroubleOperators.HUGE, 15 << 20))
                .isEqualTo(15 << 20);
    }

    @Test
    void resultsThatAreTooLargeTogether() {
        ClusterState before = ClusterState.settled(bad.client);
        bad.client.admin().createTable(TableSpec.named("many").port("trouble").hash(12));
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> ask(bad.client.table("many").all(), TroubleOperators.HUGE, 15 << 20),
                "" + Limits.RESULT_BYTES_PER_QUERY_MAX,
                "ask for less");
        bad.client.admin().dropTable("many");
        await().until(() -> ClusterState.of(bad.client).equals(before));
    }

    @Test
    void answersThatAreTooLarge() {
        ClusterState before = ClusterState.settled(bad.client);
        bad.client.admin().createTable(TableSpec.named("large").port("kv").hash(4));
        String megabyte = "x".repeat(1 << 20);
        for (int i = 0; i < 30; i++) {
            bad.client
                    .table("large")
                    .updateDocuments("kv.put@1", List.of(Map.of("id", "k" + i, "x", megabyte)))
                    .run()
                    .orThrow();
        }
        var run = bad.run(List.of("query", "large", "scan 100"));
        assertThat(run.err()).startsWith("uniserve: TOO_LARGE: ").contains("ask for less");
        assertThat(run.exit()).isEqualTo(4);
        assertThat(bad.client.query("large", "count").body().utf8()).isEqualTo("{\"count\":30}");
        bad.client.admin().dropTable("large");
        await().until(() -> ClusterState.of(bad.client).equals(before));
    }

    @Test
    void parametersOverTheLimitOrOfAnotherType() {
        RetrieveCall<String, Long> count = new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
        String much = "x".repeat(Limits.PARAMETER_BYTES_MAX);
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> actors.retrieve(count, much, List::size),
                "parameters of kv.count@1",
                "at most");
        RetrieveCall<Long, Long> number = new RetrieveCall<>("kv.count@1", Codecs.LONG, Codecs.LONG);
        for (long value : new long[] {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE}) {
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> actors.retrieve(number, value, List::size),
                    "parameters of kv.count@1");
        }
    }

    @Test
    void deadlinesThatCannotBe() {
        for (Duration wrong : List.of(Duration.ofSeconds(-1), Duration.ZERO, Duration.ofHours(2))) {
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> actors.deadline(wrong), "deadline", "more than 0");
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> bad.client.query("words", "count", wrong),
                    "deadline",
                    "more than 0");
        }
        for (String wrong : List.of("-5s", "0s", "61m", "5", "5 parsecs", "")) {
            ClusterState before = ClusterState.settled(bad.client);
            for (List<String> command : List.of(
                    List.of("query", "words", "count", "--deadline", wrong),
                    List.of("load", "words", "-", "--deadline", wrong))) {
                var run = bad.run(command);
                assertThat(run.exit()).isEqualTo(2);
                assertThat(run.err()).contains("--deadline").containsAnyOf("500ms", "1ms to 60m");
            }
            assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        }
    }
}
