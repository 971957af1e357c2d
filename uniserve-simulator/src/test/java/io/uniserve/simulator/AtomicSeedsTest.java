package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.Test;

/** Rare histories with atomic updates, in addition to the seeds of every build. */
final class AtomicSeedsTest {
    private static SimulationReport run(long seed) {
        SimulationReport report = new Simulation(SimulationOptions.defaults().with(Workload.ATOMIC)).run(seed, seed);
        assertThat(report.failed()).as("seed %s", seed).isEmpty();
        return report;
    }

    /** The disks of an actor are destroyed, and the table goes back to what durable storage has. */
    @Test
    void aLostActorTakesItsTableBack() {
        assertThat(run(164).faults().getOrDefault(Fault.TABLE_RESTORED, 0L)).isPositive();
    }
}
