package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;
import static io.uniserve.protocol.exchange.ExchangeWorld.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Plans among servers that crash and come back, with messages that are lost, late and out of order, runs that happen twice and
 * replies that do not come. One seed is one history. An answer is the model's or there is none, and nothing stays.
 */
class ExchangeSimulationTest {
    private static final int SEEDS = 300;
    private static final TableName TABLE = new TableName("t");

    /** How one seed ended. */
    private record Ending(boolean answered, boolean right, int attempts, boolean clean) {}

    private static ShuffleMachine.Plan plan(Random random) {
        List<Integer> slots = IntStream.range(0, 1 + random.nextInt(4)).boxed().toList();
        List<ShuffleMachine.Scatter> scatters = IntStream.range(0, 1 + random.nextInt(2))
                .mapToObj(stage -> new ShuffleMachine.Scatter(
                        TABLE,
                        IntStream.range(0, 1 + random.nextInt(5)).boxed().toList(),
                        "scatter",
                        Bytes.EMPTY,
                        random.nextInt(4) == 0))
                .toList();
        return new ShuffleMachine.Plan(scatters, TABLE, slots, "gather", Bytes.EMPTY);
    }

    private static long model(ShuffleMachine.Plan plan) {
        long sum = 0;
        for (int stage = 0; stage < plan.scatters().size(); stage++) {
            ShuffleMachine.Scatter scatter = plan.scatters().get(stage);
            for (int actor : scatter.actors()) {
                for (int slot = 0; slot < plan.actors().size(); slot++) {
                    sum += SimulatedReads.numbers(stage, actor, scatter.broadcast() ? 0 : slot).stream()
                            .mapToLong(Integer::longValue)
                            .sum();
                }
            }
        }
        return sum;
    }

    private static Ending run(long seed, boolean countsAttemptsTwice) {
        Random random = new Random(seed);
        int servers = 2 + random.nextInt(3);
        ExchangeWorld world = new ExchangeWorld(servers, limits(40 + random.nextInt(200), 100_000));
        world.loop.uneven(seed, 1 + random.nextLong(SECOND / 10));
        int lossPercent = random.nextInt(3) * 10;
        world.network.lose((to, request) -> random.nextInt(100) < lossPercent);
        for (int crashes = random.nextInt(4); crashes > 0; crashes--) {
            int server = random.nextInt(servers);
            long at = random.nextLong(3 * SECOND / 2);
            world.loop.after(at, () -> world.crash(server));
            world.loop.after(at + random.nextLong(SECOND), () -> {
                if (!world.up(server)) {
                    world.start(server);
                }
            });
        }
        ShuffleMachine.Plan plan = plan(random);
        SimulatedReads reads = new SimulatedReads(world, random, servers, countsAttemptsTwice);
        AtomicReference<Outcome<ShuffleMachine.Result>> ended = new AtomicReference<>();
        ShuffleMachine machine = new ShuffleMachine(
                world.loop,
                world.loop,
                reads,
                id -> IntStream.range(0, servers)
                        .forEach(server -> world.network.call(
                                ExchangeWorld.address(server), new PeerRequest.EndExchange(id), SECOND, done -> {})),
                seed,
                plan,
                outcome -> {
                    assertThat(ended.getAndSet(outcome)).as("a second end").isNull();
                });
        machine.start();
        boolean cancelled = random.nextInt(8) == 0;
        if (cancelled) {
            world.loop.after(random.nextLong(2 * SECOND), machine::cancel);
        }
        world.loop.runUntil(() -> ended.get() != null, 200 * SECOND);
        assertThat(ended.get()).as("no end within 200 s").isNotNull();
        world.loop.run(100 * SECOND);
        boolean clean = true;
        for (int server = 0; server < servers; server++) {
            if (!world.up(server)) {
                world.start(server);
                world.loop.run(SECOND);
            }
            clean &= world.machine(server).usage().equals(new ExchangeMachine.Usage(0, 0, 0, 0, 0, 0));
        }
        if (ended.get() instanceof Outcome.Ok<ShuffleMachine.Result> ok) {
            long sum = ok.value().gathered().parts().stream()
                    .mapToLong(Codecs.LONG::decode)
                    .sum();
            return new Ending(true, sum == model(plan), ok.value().attempts(), clean);
        }
        ErrorCode code = ((Outcome.Err<ShuffleMachine.Result>) Objects.requireNonNull(ended.get()))
                .error()
                .code();
        assertThat(code).isIn(ErrorCode.EXCHANGE_LOST, ErrorCode.UNAVAILABLE, ErrorCode.CANCELLED);
        assertThat(cancelled || code != ErrorCode.CANCELLED)
                .as("cancelled by nobody")
                .isTrue();
        return new Ending(false, true, 0, clean);
    }

    @Test
    void anAnswerIsTheModelsOrThereIsNoneAndNothingStays() {
        int answered = 0;
        int again = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Ending ending = run(seed, false);
            assertThat(ending.right).as("right, seed " + seed).isTrue();
            assertThat(ending.clean).as("nothing is left, seed " + seed).isTrue();
            answered += ending.answered ? 1 : 0;
            again += ending.attempts > 1 ? 1 : 0;
        }
        assertThat(answered).as("answers").isGreaterThan(SEEDS / 2);
        assertThat(again).as("answers of a second attempt or a later one").isGreaterThan(SEEDS / 50);
    }

    /** The checker is checked: what one that tells attempts not apart would answer is found. */
    @Test
    void anAttemptThatCountsTwiceIsFound() {
        long found = 1;
        while (found <= SEEDS && run(found, true).right) {
            found++;
        }
        assertThat(found).as("first seed that finds it").isLessThanOrEqualTo(200L);
    }
}
