package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.Distribution;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.ScatterRunId;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Order of a plan's stages, their requests, and their end. */
class ShuffleStateMachineTest {
    private static final TableName BIG = new TableName("big");
    private static final TableName SMALL = new TableName("small");

    private final TestingLoop loop = new TestingLoop();
    private final List<ExchangeId> ended = new ArrayList<>();
    private final AtomicReference<Outcome<ShuffleStateMachine.Result>> outcome = new AtomicReference<>();
    private final Asker asker = new Asker();

    /** Read that waits for its answer. */
    private record Open(ShuffleStateMachine.StageRead asked, Completion<QueryResult> completion) {}

    private static final class Asker implements ShuffleStateMachine.Reads {
        private final List<Open> open = new ArrayList<>();
        private boolean settled;

        @Override
        public boolean hasFixedSnapshot() {
            return settled;
        }

        @Override
        public boolean readsCommonSnapshot(TableName table) {
            return settled && table.equals(BIG);
        }

        @Override
        public Timers.Cancel readAtOneSnapshot(
                List<ShuffleStateMachine.StageRead> scatters, Completion<List<QueryResult>> completion) {
            for (ShuffleStateMachine.StageRead asked : scatters) {
                open.add(new Open(asked, outcome -> completion.done(outcome.map(List::of))));
            }
            return () -> {};
        }

        @Override
        public Timers.Cancel read(ShuffleStateMachine.StageRead asked, Completion<QueryResult> completion) {
            open.add(new Open(asked, completion));
            return () -> {};
        }

        private List<String> operators() {
            return open.stream().map(one -> one.asked.operator()).toList();
        }

        private Open take(String operator) {
            Open found = open.stream()
                    .filter(one -> one.asked.operator().equals(operator))
                    .findFirst()
                    .orElseThrow();
            open.remove(found);
            return found;
        }
    }

    private void start(long deadlineNanos, ShuffleStateMachine.Scatter... stages) {
        new ShuffleStateMachine(
                        loop,
                        loop,
                        asker,
                        ended::add,
                        7,
                        loop.nanos() + deadlineNanos,
                        new ShuffleStateMachine.Plan(List.of(stages), BIG, List.of(0, 1), "gather", Bytes.EMPTY),
                        outcome::set)
                .start();
    }

    private static ShuffleStateMachine.Scatter stage(
            String operator, TableName table, Distribution distribution, Integer... inputs) {
        return new ShuffleStateMachine.Scatter(
                table, List.of(0, 1), operator, Bytes.EMPTY, distribution, List.of(inputs));
    }

    private static ScatterManifest receipt(int stage, int actor, int slots) {
        List<ChunkInfo> chunks = IntStream.range(0, slots)
                .mapToObj(slot -> new ChunkInfo(1, 10, 3))
                .toList();
        ScatterRunId scatterOutput = new ScatterRunId(new ExchangeId(7, 1), stage, actor, 100L + stage * 10L + actor);
        return new ScatterManifest(new Address("server" + actor, 1), scatterOutput, chunks, 0);
    }

    private void scattered(String operator, int stage, int slots) {
        answer(
                operator,
                List.of(
                        ScatterManifest.CODEC.encode(receipt(stage, 0, slots)),
                        ScatterManifest.CODEC.encode(receipt(stage, 1, slots))));
    }

    private void mapped(String operator, int stage, int slots) {
        answer(
                operator,
                IntStream.range(0, 2)
                        .mapToObj(actor -> GatherResult.codec(ScatterManifest.CODEC)
                                .encode(new GatherResult<>(receipt(stage, actor, slots), 2, 20, 5, 3, Set.of())))
                        .toList());
    }

    private void answer(String operator, List<Bytes> parts) {
        QueryResult.Stats stats = new QueryResult.Stats(1, 0, 0, Set.of());
        asker.take(operator)
                .completion
                .done(Outcome.ok(new QueryResult(parts, List.of(List.of(0), List.of(1)), stats)));
    }

    private void lost(String operator) {
        failed(operator, ErrorCode.EXCHANGE_LOST);
    }

    private void failed(String operator, ErrorCode code) {
        asker.take(operator).completion.done(Outcome.err(new UniserveException(code, "planted")));
    }

    @Test
    void aMomentThatWasSettledBeforeIsNotReplacedHere() {
        asker.settled = true;
        start(60 * SECOND, stage("a", BIG, Distribution.PARTITIONED), stage("b", SMALL, Distribution.PARTITIONED));
        assertThat(asker.operators()).as("one alone is read as of it too").containsExactlyInAnyOrder("a", "b");
        failed("a", ErrorCode.VERSION_GONE);
        assertThat(outcome.get())
                .isInstanceOfSatisfying(
                        Outcome.Err.class,
                        err -> assertThat(((UniserveException) err.error()).code())
                                .isEqualTo(ErrorCode.VERSION_GONE));
        assertThat(ended).hasSize(1);
    }

    @Test
    void aStageBeginsWhenThoseBeforeItHaveEnded() {
        start(
                60 * SECOND,
                stage("a", BIG, Distribution.PARTITIONED),
                stage("b", SMALL, Distribution.PARTITIONED),
                stage("map", BIG, Distribution.COLOCATED, 0, 1),
                stage("c", SMALL, Distribution.BROADCAST));
        assertThat(asker.operators()).containsExactly("a", "b", "c");
        scattered("b", 1, 2);
        scattered("c", 3, 1);
        assertThat(asker.operators()).containsExactly("a");
        scattered("a", 0, 2);
        assertThat(asker.operators()).containsExactly("map");
        GatherEnvelope map = GatherEnvelope.CODEC.decode(asker.open.get(0).asked.parameters());
        assertThat(map.inputs().stream().map(GatherEnvelope.Input::stage)).containsExactly(0, 1);
        assertThat(map.output()).contains(new GatherEnvelope.Output(2, 1));
        mapped("map", 2, 1);
        assertThat(asker.operators()).containsExactly("gather");
        ShuffleStateMachine.StageRead gather = asker.open.get(0).asked;
        GatherEnvelope last = GatherEnvelope.CODEC.decode(gather.parameters());
        assertThat(last.inputs().stream().map(GatherEnvelope.Input::stage)).containsExactly(2, 3);
        assertThat(last.output()).isEmpty();
        assertThat(last.requiredChunks(1).stream()
                        .map(one -> one.manifest().output().actor()))
                .as("of what is kept its own alone, of what is broadcast all")
                .containsExactly(1, 0, 1);
        assertThat(gather.preferredAddresses())
                .isEqualTo(Map.of(0, new Address("server0", 1), 1, new Address("server1", 1)));
        answer("gather", List.of(Bytes.EMPTY, Bytes.EMPTY));
        assertThat(outcome.get()).isInstanceOfSatisfying(Outcome.Ok.class, ok -> {
            ShuffleStateMachine.Result result = (ShuffleStateMachine.Result) ok.value();
            assertThat(result.inputs()).hasSize(4);
            assertThat(result.inputs().get(2).rows()).isEqualTo(2);
            assertThat(result.inputs().get(2).sentBytes()).isEqualTo(10);
            assertThat(result.inputs().get(2).inputSpilledBytes()).isEqualTo(6);
        });
        assertThat(ended).containsExactly(new ExchangeId(7, 1));
    }

    @Test
    void whatALaterStageLosesIsDoneAgainFromTheStart() {
        start(60 * SECOND, stage("a", BIG, Distribution.PARTITIONED), stage("map", BIG, Distribution.PARTITIONED, 0));
        scattered("a", 0, 2);
        lost("map");
        assertThat(ended).containsExactly(new ExchangeId(7, 1));
        assertThat(asker.operators()).isEmpty();
        loop.run(SECOND);
        assertThat(asker.operators()).containsExactly("a");
        scattered("a", 0, 2); // of the previous attempt
        assertThat(outcome.get())
                .isInstanceOfSatisfying(
                        Outcome.Err.class,
                        err -> assertThat(err.error())
                                .hasMessageContaining("answered with actor 0 of stage 0 (attempt 1"));
    }

    @Test
    void noAttemptBeginsAfterTheDeadline() {
        start(250_000_000, stage("a", BIG, Distribution.PARTITIONED));
        lost("a");
        loop.run(110_000_000);
        lost("a"); // 140 ms are left, and the pause would take 200
        assertThat(outcome.get()).isInstanceOfSatisfying(Outcome.Err.class, err -> {
            assertThat(err.error().code()).isEqualTo(ErrorCode.EXCHANGE_LOST);
            assertThat(err.error()).hasMessageContaining("planted; until the deadline no time is left");
        });
        loop.run(SECOND);
        assertThat(asker.operators()).isEmpty();
        assertThat(ended).hasSize(2);
    }

    @Test
    void attemptsAreCounted() {
        start(60 * SECOND, stage("a", BIG, Distribution.PARTITIONED));
        for (int attempt = 1; attempt <= Limits.EXCHANGE_ATTEMPTS; attempt++) {
            assertThat(outcome.get()).isNull();
            lost("a");
            loop.run(SECOND);
        }
        assertThat(outcome.get()).isInstanceOf(Outcome.Err.class);
        assertThat(asker.operators()).isEmpty();
    }

    @Test
    void momentsThatAreGoneAreNoLosses() {
        start(600 * SECOND, stage("a", BIG, Distribution.PARTITIONED));
        for (int moment = 0; moment < 2 * Limits.EXCHANGE_ATTEMPTS; moment++) {
            failed("a", ErrorCode.VERSION_GONE);
            loop.run(Limits.EXCHANGE_PAUSE_MAX_MS * 1_000_000);
            assertThat(asker.operators()).as("repeated in time").containsExactly("a");
        }
        for (int loss = 1; loss <= Limits.EXCHANGE_ATTEMPTS; loss++) {
            assertThat(outcome.get()).isNull();
            lost("a");
            loop.run(SECOND);
        }
        assertThat(outcome.get())
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.EXCHANGE_LOST));
        assertThat(asker.operators()).isEmpty();
    }

    @Test
    void momentsAreCountedToo() {
        start(600 * SECOND, stage("a", BIG, Distribution.PARTITIONED));
        for (int moment = 1; moment <= Limits.EXCHANGE_MOMENTS; moment++) {
            assertThat(outcome.get()).isNull();
            failed("a", ErrorCode.VERSION_GONE);
            loop.run(SECOND);
        }
        assertThat(outcome.get()).isInstanceOfSatisfying(Outcome.Err.class, err -> {
            assertThat(err.error().code()).isEqualTo(ErrorCode.EXCHANGE_LOST);
            assertThat(err.error()).hasMessageContaining("planted; " + Limits.EXCHANGE_MOMENTS + " snapshots");
        });
        assertThat(asker.operators()).isEmpty();
        assertThat(ended).hasSize(Limits.EXCHANGE_MOMENTS);
    }

    @Test
    void noMomentIsTriedAfterTheDeadline() {
        start(SECOND, stage("a", BIG, Distribution.PARTITIONED));
        while (outcome.get() == null) {
            failed("a", ErrorCode.VERSION_GONE);
            loop.run(SECOND / 2);
        }
        assertThat(outcome.get()).isInstanceOfSatisfying(Outcome.Err.class, err -> {
            assertThat(err.error().code()).isEqualTo(ErrorCode.EXCHANGE_LOST);
            assertThat(err.error()).hasMessageContaining("planted; until the deadline no time is left");
        });
        assertThat(asker.operators()).isEmpty();
    }
}
