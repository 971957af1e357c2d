package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Release;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.ServerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Provider whose servers are scripted servers of a {@link TestingCluster}, with faults. Stable under restarts of coordinators. */
final class TestingServerProvider implements ServerProvider {
    private static final long MILLI = TestingCluster.MILLI;

    private final TestingCluster cluster;
    final Map<String, Machine> machines = new TreeMap<>();
    final List<String> calls = new ArrayList<>();
    private int numbers;

    /** Time from a launch to the server's registration. */
    long bootNanos = 20 * TestingCluster.SECOND;

    /** Time for which a change is missing in lists. */
    long listLagNanos;

    /** Launched servers never register. */
    boolean neverJoins;

    /** Release of the servers that are launched. */
    Release release = Release.CURRENT;

    /** Launches fail without an effect. */
    boolean outOfCapacity;

    /** Calls have their effect, and their answers are lost. */
    boolean losesAnswers;

    /** No call has an answer or an effect. */
    boolean hangs;

    /** Calls fail with an exception. */
    boolean throwsAtOnce;

    /** Source of random faults of each call; null for none. */
    @Nullable
    Random faults;

    /** One machine, by its id. */
    static final class Machine {
        final String id;
        final String token;
        final String server;
        final long since;
        Status status = Status.RUNNING;
        long endedNanos;

        Machine(String id, String token, String server, long since) {
            this.id = id;
            this.token = token;
            this.server = server;
            this.since = since;
        }
    }

    TestingServerProvider(TestingCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public String name() {
        return "testing";
    }

    /** Machines that run. */
    List<Machine> running() {
        return machines.values().stream()
                .filter(machine -> machine.status == Status.RUNNING)
                .toList();
    }

    @Override
    public void launch(Launch launch, Completion<Instance> completion) {
        calls.add("launch " + launch.token());
        requireNoThrow();
        if (hangs) {
            return;
        }
        if (outOfCapacity || fails(10)) {
            answer(completion, Outcome.err(new UniserveException(ErrorCode.RESOURCE_EXHAUSTED, "no capacity")));
            return;
        }
        Machine machine = machines.values().stream()
                .filter(one -> one.token.equals(launch.token()))
                .findFirst()
                .orElseGet(() -> start(launch));
        answer(completion, Outcome.ok(new Instance(machine.id, machine.token, machine.status)));
    }

    private Machine start(Launch launch) {
        Machine machine =
                new Machine("i-" + ++numbers, launch.token(), launch.server().value(), cluster.loop.nanos());
        machines.put(machine.id, machine);
        if (!neverJoins) {
            cluster.loop.after(bootNanos, () -> {
                if (machine.status == Status.RUNNING) {
                    cluster.server(machine.server).release = release;
                    cluster.server(machine.server).start();
                }
            });
        }
        return machine;
    }

    @Override
    public void terminate(String instanceId, Completion<Done> completion) {
        calls.add("terminate " + instanceId);
        if (hangs) {
            return;
        }
        if (fails(10)) {
            answer(completion, Outcome.err(new UniserveException(ErrorCode.RESOURCE_EXHAUSTED, "throttled")));
            return;
        }
        Machine machine = machines.get(instanceId);
        if (machine != null && machine.status == Status.RUNNING) {
            machine.status = Status.ENDED;
            machine.endedNanos = cluster.loop.nanos();
            cluster.server(machine.server).kill();
        }
        answer(completion, Outcome.ok(Done.DONE));
    }

    @Override
    public void list(String identity, Completion<List<Instance>> completion) {
        requireNoThrow();
        if (hangs) {
            return;
        }
        if (fails(10)) {
            answer(completion, Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "throttled")));
            return;
        }
        long seen = cluster.loop.nanos() - listLagNanos;
        List<Instance> found = machines.values().stream()
                .filter(machine -> machine.since - seen <= 0)
                .map(machine -> new Instance(
                        machine.id,
                        machine.token,
                        machine.status == Status.ENDED && machine.endedNanos - seen > 0
                                ? Status.RUNNING
                                : machine.status))
                .toList();
        answer(completion, Outcome.ok(found));
    }

    private void requireNoThrow() {
        if (throwsAtOnce) {
            throw new IllegalStateException("a bug of the provider");
        }
    }

    private boolean fails(int oneIn) {
        Random random = faults;
        return random != null && random.nextInt(oneIn) == 0;
    }

    /** Answers after a moment; some answers are lost. */
    private <T> void answer(Completion<T> completion, Outcome<T> outcome) {
        boolean lost = losesAnswers || fails(5);
        Random random = faults;
        long delay = 10 * MILLI + (random == null ? 0 : random.nextInt(5_000) * MILLI);
        cluster.loop.after(
                delay,
                () -> completion.done(
                        lost
                                ? Outcome.err(new UniserveException(ErrorCode.OUTCOME_UNKNOWN, "the answer was lost"))
                                : outcome));
    }
}
