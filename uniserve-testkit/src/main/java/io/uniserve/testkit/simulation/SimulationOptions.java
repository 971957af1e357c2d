package io.uniserve.testkit.simulation;

import io.uniserve.testkit.simulation.plant.Plant;
import io.uniserve.testkit.simulation.workload.Workload;
import java.util.function.Consumer;

/**
 * How to simulate.
 *
 * @param faultSecondsPerSeed virtual seconds during which faults happen, 1 to 86,400; healing comes on top
 * @param plant a bug to carry, to test the checker
 * @param workload what clients do
 * @param rebalancing replicas move by themselves after loads that change, and where there can be, a server joins late
 * @param lines hears every line of every history; for replays
 */
public record SimulationOptions(
        int faultSecondsPerSeed, Plant plant, Workload workload, boolean rebalancing, Consumer<String> lines) {
    private static final int FAULT_SECONDS_DEFAULT = 100;
    private static final int FAULT_SECONDS_MAX = 86_400;

    public SimulationOptions {
        if (faultSecondsPerSeed < 1 || faultSecondsPerSeed > FAULT_SECONDS_MAX) {
            throw io.uniserve.error.UniserveException.invalid(
                    "faultSecondsPerSeed is " + faultSecondsPerSeed + ": use 1 to " + FAULT_SECONDS_MAX);
        }
    }

    /** 100 seconds of faults a seed, no planted bug, nobody listens. */
    public static SimulationOptions defaults() {
        return new SimulationOptions(FAULT_SECONDS_DEFAULT, Plant.NONE, Workload.EVENTUAL, false, line -> {});
    }

    /** The same with a planted bug. */
    public SimulationOptions with(Plant other) {
        return new SimulationOptions(faultSecondsPerSeed, other, workload, rebalancing, lines);
    }

    /** The same with another workload. */
    public SimulationOptions with(Workload other) {
        return new SimulationOptions(faultSecondsPerSeed, plant, other, rebalancing, lines);
    }

    /** The same with replicas that move by themselves. */
    public SimulationOptions rebalanced() {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, true, lines);
    }

    /** The same with a listener. */
    public SimulationOptions listening(Consumer<String> listener) {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, rebalancing, listener);
    }

    /** The same with another length. */
    public SimulationOptions seconds(int seconds) {
        return new SimulationOptions(seconds, plant, workload, rebalancing, lines);
    }
}
