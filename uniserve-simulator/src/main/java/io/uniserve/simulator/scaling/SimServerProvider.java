package io.uniserve.simulator.scaling;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.plant.Plant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Provider outside of all processes. A call takes effect later, even if the caller has died; a tenth fails before, a tenth of the answers is
 * lost, some calls take effect twice or very late. Lists lag. At times there is no capacity. Addresses of ended machines are used again.
 */
public final class SimServerProvider {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final long BOOT_NANOS_MAX = 4 * SECOND;
    private static final long LATE_NANOS_MAX = 15 * SECOND;
    private static final long CAPACITY_ERA_NANOS = 10 * SECOND;
    private static final String STRANGER = "stranger";

    private final EventQueue queue;
    private final EventTrace trace;
    private final Prng random;
    private final Plant plant;
    private final ServerFleet fleet;
    private final ScalingCheck check;
    private final List<ServerMachine> machines = new ArrayList<>();
    private final long listLagNanos;
    private boolean calm;

    public SimServerProvider(
            EventQueue queue, EventTrace trace, Prng random, Plant plant, ServerFleet fleet, ScalingCheck check) {
        this.queue = queue;
        this.trace = trace;
        this.random = random;
        this.plant = plant;
        this.fleet = fleet;
        this.check = check;
        this.listLagNanos = random.fork("lag").below(6 * SECOND);
        machines.add(new ServerMachine("i-0", STRANGER, new ServerId(STRANGER), 0, 0));
    }

    /** Ends the faults of the provider; calls under way still take effect. */
    public void calm() {
        calm = true;
    }

    /** Tokens of the machines that run, without those of others. */
    public List<String> runningTokens() {
        return machines.stream()
                .filter(machine -> !machine.ended && !machine.token.equals(STRANGER))
                .map(machine -> machine.token)
                .sorted()
                .toList();
    }

    /** True if the machine of another user still runs. */
    public boolean strangerRuns() {
        return !machines.get(0).ended;
    }

    /** Returns the provider as one start of a process sees it. */
    public ServerProvider of(SimProcess process) {
        return new ServerProvider() {
            @Override
            public String name() {
                return "simulated";
            }

            @Override
            public void launch(Launch launch, Completion<Instance> completion) {
                call(process, "launch", completion, () -> launchNow(launch));
            }

            @Override
            public void terminate(String instanceId, Completion<Done> completion) {
                call(process, "terminate", completion, () -> terminateNow(instanceId));
            }

            @Override
            public void list(String identity, Completion<List<Instance>> completion) {
                call(process, "list", completion, () -> Outcome.ok(listNow()));
            }
        };
    }

    private <T> void call(SimProcess process, String what, Completion<T> completion, Supplier<Outcome<T>> effect) {
        SimProcess.Pending<T> pending = process.begin(completion);
        boolean faults = !calm;
        if (faults && random.below(10) == 0) {
            pending.complete(random.below(SECOND), Outcome.err(error(ErrorCode.RESOURCE_EXHAUSTED, "throttled")));
            return;
        }
        long delay = faults && random.below(15) == 0 ? random.below(LATE_NANOS_MAX) : random.below(400 * MILLI);
        queue.after(delay, () -> {
            Outcome<T> outcome = effect.get();
            if (faults && random.below(10) == 0) {
                queue.after(random.below(LATE_NANOS_MAX), () -> {
                    Outcome<T> again = effect.get();
                    trace.line(what + " again " + (again instanceof Outcome.Ok));
                });
            }
            boolean lost = faults && random.below(10) == 0;
            if (!pending.isEnded() && process.alive()) {
                trace.line(what + (lost ? " answer lost" : ""));
                pending.complete(
                        random.below(300 * MILLI),
                        lost ? Outcome.err(error(ErrorCode.OUTCOME_UNKNOWN, "the answer was lost")) : outcome);
            }
        });
    }

    private static UniserveException error(ErrorCode code, String message) {
        return new UniserveException(code, message);
    }

    private Outcome<ServerProvider.Instance> launchNow(ServerProvider.Launch launch) {
        for (ServerMachine machine : machines) {
            if (plant != Plant.LAUNCH_WITHOUT_TOKEN && machine.token.equals(launch.token())) {
                return Outcome.ok(instance(machine, machine.ended));
            }
        }
        boolean full = !calm
                && random.fork("capacity " + queue.now() / CAPACITY_ERA_NANOS).below(4) == 0;
        if (full) {
            return Outcome.err(error(ErrorCode.RESOURCE_EXHAUSTED, "no capacity"));
        }
        ServerMachine machine =
                new ServerMachine("i-" + machines.size(), launch.token(), launch.server(), freeAddress(), queue.now());
        machines.add(machine);
        check.launched(machine.token, runningTokens());
        trace.line("machine " + machine.id + " for " + machine.server);
        queue.after(random.below(BOOT_NANOS_MAX), () -> {
            if (!machine.ended) {
                fleet.launch(machine.server);
            }
        });
        return Outcome.ok(instance(machine, false));
    }

    /** Smallest address that no running machine has. */
    private int freeAddress() {
        int address = 0;
        while (isUsed(address)) {
            address++;
        }
        return address;
    }

    private boolean isUsed(int address) {
        return machines.stream().anyMatch(machine -> !machine.ended && machine.address == address);
    }

    private Outcome<Done> terminateNow(String id) {
        for (ServerMachine machine : machines) {
            if (machine.id.equals(id)) {
                if (plant == Plant.TERMINATE_BY_ADDRESS) {
                    end(runningAt(machine));
                    queue.after(random.below(LATE_NANOS_MAX), () -> end(runningAt(machine)));
                    return Outcome.ok(Done.DONE);
                }
                end(machine);
            }
        }
        return Outcome.ok(Done.DONE);
    }

    private ServerMachine runningAt(ServerMachine named) {
        return machines.stream()
                .filter(machine -> !machine.ended && machine.address == named.address)
                .findFirst()
                .orElse(named);
    }

    private void end(ServerMachine machine) {
        if (!machine.ended) {
            machine.ended = true;
            machine.endNanos = queue.now();
            trace.line("machine " + machine.id + " of " + machine.server + " ends");
            check.terminated(machine.server, machine.token, machine.token.equals(STRANGER));
            fleet.terminate(machine.server);
        }
    }

    private List<ServerProvider.Instance> listNow() {
        if (plant == Plant.TERMINATE_UNCERTIFIED) {
            machines.stream().filter(machine -> check.isDraining(machine.token)).forEach(this::end);
        }
        long seen = calm ? queue.now() : queue.now() - listLagNanos;
        return machines.stream()
                .filter(machine -> machine.startNanos <= seen)
                .map(machine -> instance(machine, machine.ended && machine.endNanos <= seen))
                .toList();
    }

    private static ServerProvider.Instance instance(ServerMachine machine, boolean ended) {
        return new ServerProvider.Instance(
                machine.id, machine.token, ended ? ServerProvider.Status.ENDED : ServerProvider.Status.RUNNING);
    }
}
