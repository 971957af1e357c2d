package io.uniserve.simulator;

import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.workload.Workload;
import java.util.function.Consumer;

/**
 * Options of a simulation.
 *
 * @param faultSecondsPerSeed virtual seconds with faults per seed, 1 to 86,400; the recovery comes in addition
 * @param plant planted bug, to test the checker
 * @param workload workload of the clients
 * @param rebalancing true if replicas move after changing loads, and a server joins late if there is a spare one
 * @param hotActor true if one actor is hot and cold in turn, so that it gets automatic copies and loses them; it includes rebalancing
 * @param scaling true if servers are launched and terminated after changing loads; it includes rebalancing
 * @param lines consumer of every line of every history, for replays
 */
public record SimulationOptions(
        int faultSecondsPerSeed,
        Plant plant,
        Workload workload,
        boolean rebalancing,
        boolean hotActor,
        boolean scaling,
        Consumer<String> lines) {
    private static final int FAULT_SECONDS_DEFAULT = 100;
    private static final int FAULT_SECONDS_MAX = 86_400;

    public SimulationOptions {
        if (faultSecondsPerSeed < 1 || faultSecondsPerSeed > FAULT_SECONDS_MAX) {
            throw io.uniserve.error.UniserveException.invalid(
                    "faultSecondsPerSeed is " + faultSecondsPerSeed + ": use 1 to " + FAULT_SECONDS_MAX);
        }
    }

    /** The defaults: 100 seconds of faults per seed, no planted bug, no consumer of lines. */
    public static SimulationOptions defaults() {
        return new SimulationOptions(
                FAULT_SECONDS_DEFAULT, Plant.NONE, Workload.EVENTUAL, false, false, false, line -> {});
    }

    /** The same with a planted bug, and with an auto-scaler if it is one of that. */
    public SimulationOptions with(Plant other) {
        boolean scales = scaling || other.isOfScaling();
        return new SimulationOptions(
                faultSecondsPerSeed, other, workload, rebalancing || scales, hotActor, scales, lines);
    }

    /** The same with another workload. */
    public SimulationOptions with(Workload other) {
        return new SimulationOptions(faultSecondsPerSeed, plant, other, rebalancing, hotActor, scaling, lines);
    }

    /** The same with rebalancing. */
    public SimulationOptions withRebalancing() {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, true, hotActor, scaling, lines);
    }

    /** The same with rebalancing and an actor that is hot and cold in turn. */
    public SimulationOptions withHotActor() {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, true, true, scaling, lines);
    }

    /** The same with rebalancing and an auto-scaler. */
    public SimulationOptions withScaling() {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, true, hotActor, true, lines);
    }

    /** The same with a consumer of lines. */
    public SimulationOptions withListener(Consumer<String> listener) {
        return new SimulationOptions(faultSecondsPerSeed, plant, workload, rebalancing, hotActor, scaling, listener);
    }

    /** The same with this many seconds of faults. */
    public SimulationOptions withFaultSeconds(int seconds) {
        return new SimulationOptions(seconds, plant, workload, rebalancing, hotActor, scaling, lines);
    }
}
