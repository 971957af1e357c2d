package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;
import static io.uniserve.protocol.exchange.ExchangeWorld.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.Distribution;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Plans on servers that crash and restart, with messages that are lost, late and reordered, operators that run twice, and lost replies. One
 * seed is one history. An answer equals that of the model, or there is none, and no state remains.
 */
class ExchangeSimulationTest {
    private static final int SEEDS = 300;
    private static final TableName TABLE = new TableName("t");

    /** Result of one seed. */
    private record Ending(boolean answered, boolean right, int attempts, boolean clean) {}

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** One or two scatters and a gather, often with maps between them, which consume all open outputs. */
    private static ShuffleStateMachine.Plan plan(Random random) {
        List<ShuffleStateMachine.Scatter> stages = new ArrayList<>();
        int next = 1 + random.nextInt(4);
        scatters(stages, 1 + random.nextInt(2), next, random);
        for (int maps = random.nextInt(3); maps > 0; maps--) {
            List<Integer> inputs = Shuffle.unconsumedStages(
                    stages.stream().map(ShuffleStateMachine.Scatter::inputs).toList());
            int after = 1 + random.nextInt(4);
            Distribution distribution =
                    next <= after ? Distribution.values()[random.nextInt(3)] : Distribution.values()[random.nextInt(2)];
            stages.add(new ShuffleStateMachine.Scatter(TABLE, upTo(next), "map", Bytes.EMPTY, distribution, inputs));
            next = after;
            scatters(stages, random.nextInt(2), next, random);
        }
        return new ShuffleStateMachine.Plan(stages, TABLE, upTo(next), "gather", Bytes.EMPTY);
    }

    private static void scatters(List<ShuffleStateMachine.Scatter> stages, int count, int slots, Random random) {
        for (int i = 0; i < count; i++) {
            Distribution distribution = switch (random.nextInt(6)) {
                case 0 -> Distribution.BROADCAST;
                case 1 -> Distribution.COLOCATED;
                default -> Distribution.PARTITIONED;
            };
            List<Integer> actors = upTo(1 + random.nextInt(distribution == Distribution.COLOCATED ? slots : 5));
            stages.add(new ShuffleStateMachine.Scatter(TABLE, actors, "scatter", Bytes.EMPTY, distribution));
        }
    }

    /** The rows of an actor of a stage for a slot. */
    private static List<Integer> put(ShuffleStateMachine.Plan plan, int stage, int actor, int slots, int slot) {
        ShuffleStateMachine.Scatter made = plan.scatters().get(stage);
        return made.inputs().isEmpty()
                ? SimulatedReads.numbers(stage, actor, slot)
                : SimulatedReads.mapped(got(plan, made.inputs(), made.actors(), actor), slots, slot);
    }

    /** The rows that arrive in an actor's slot. */
    private static List<Integer> got(
            ShuffleStateMachine.Plan plan, List<Integer> inputs, List<Integer> slots, int actor) {
        List<Integer> all = new ArrayList<>();
        for (int input : inputs) {
            ShuffleStateMachine.Scatter made = plan.scatters().get(input);
            boolean cut = made.distribution() == Distribution.PARTITIONED;
            for (int source : made.actors()) {
                if (made.distribution() != Distribution.COLOCATED || source == actor) {
                    all.addAll(put(plan, input, source, cut ? slots.size() : 1, cut ? slots.indexOf(actor) : 0));
                }
            }
        }
        return all;
    }

    private static long model(ShuffleStateMachine.Plan plan) {
        return plan.actors().stream()
                .flatMap(actor -> got(plan, plan.gatherInputs(), plan.actors(), actor).stream())
                .mapToLong(Integer::longValue)
                .sum();
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
        ShuffleStateMachine.Plan plan = plan(random);
        SimulatedReads reads = new SimulatedReads(world, random, servers, countsAttemptsTwice);
        AtomicReference<Outcome<ShuffleStateMachine.Result>> ended = new AtomicReference<>();
        ShuffleStateMachine machine = new ShuffleStateMachine(
                world.loop,
                world.loop,
                reads,
                id -> IntStream.range(0, servers)
                        .forEach(server -> world.network.call(
                                ExchangeWorld.address(server), new PeerRequest.EndExchange(id), SECOND, done -> {})),
                seed,
                world.loop.nanos() + 190 * SECOND,
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
            clean &= world.machine(server).usage().equals(new ExchangeStateMachine.Usage(0, 0, 0, 0, 0, 0));
        }
        if (ended.get() instanceof Outcome.Ok<ShuffleStateMachine.Result> ok) {
            long sum = ok.value().gathered().parts().stream()
                    .mapToLong(Codecs.LONG::decode)
                    .sum();
            return new Ending(true, sum == model(plan), ok.value().attempts(), clean);
        }
        ErrorCode code = ((Outcome.Err<ShuffleStateMachine.Result>) Objects.requireNonNull(ended.get()))
                .error()
                .code();
        assertThat(code).isIn(ErrorCode.EXCHANGE_LOST, ErrorCode.UNAVAILABLE, ErrorCode.CANCELLED);
        assertThat(cancelled || code != ErrorCode.CANCELLED)
                .as("not cancelled by a client")
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

    /** Test of the checker: it finds the answers of a consumer that does not distinguish attempts. */
    @Test
    void anAttemptThatCountsTwiceIsFound() {
        long found = 1;
        while (found <= SEEDS && run(found, true).right) {
            found++;
        }
        assertThat(found).as("first seed that finds it").isLessThanOrEqualTo(200L);
    }
}
