package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Rebalancing and servers that join late, with all other faults: no violation, and all movement ends. */
@Execution(ExecutionMode.CONCURRENT)
final class RebalancingSimulationTest {
    private static final boolean FULL = Boolean.getBoolean("uniserve.test.full");
    private static final int SEEDS = FULL ? 30 : 14; // seed 14 found a bug that lower seeds did not
    private static final int HOT_SEEDS = 12;
    private static final SimulationOptions REBALANCED =
            SimulationOptions.defaults().withRebalancing();
    private static final SimulationOptions HOT_ACTOR =
            SimulationOptions.defaults().withHotActor();

    @Test
    void movesUnderFaultsBreakNoInvariant() {
        SimulationReport report = new Simulation(REBALANCED).run(1, SEEDS);
        check(report, "");
        assertThat(report.faults()).containsKeys(Fault.REPLICA_REBALANCED, Fault.SERVER_JOINED);
        assertThat(report.faults().get(Fault.REPLICA_REBALANCED)).isGreaterThan(2L * SEEDS);
    }

    @Test
    void atomicTablesMoveToo() {
        SimulationReport report = new Simulation(REBALANCED.with(Workload.ATOMIC)).run(1, SEEDS / 3);
        check(report, " --workload atomic");
        assertThat(report.faults()).containsKey(Fault.REPLICA_REBALANCED);
    }

    @Test
    void aHotActorGetsCopiesAndLosesThem() {
        SimulationReport report = new Simulation(HOT_ACTOR).run(1, HOT_SEEDS);
        check(report, " --hot-actor");
        assertThat(report.faults()).containsKeys(Fault.COPY_MADE, Fault.COPY_DROPPED, Fault.COPY_READ);
        assertThat(report.faults().get(Fault.COPY_MADE)).isGreaterThan(HOT_SEEDS / 3L);
        assertThat(report.faults().get(Fault.COPY_READ)).isGreaterThan(HOT_SEEDS);
    }

    @Test
    void hotActorsOfAtomicTablesBreakNoInvariant() {
        SimulationReport report = new Simulation(HOT_ACTOR.with(Workload.ATOMIC)).run(1, HOT_SEEDS / 2);
        check(report, " --hot-actor --workload atomic");
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        String once = new Simulation(REBALANCED).run(3, 4).hash();
        assertThat(new Simulation(REBALANCED).run(3, 4).hash()).isEqualTo(once);
    }

    private static void check(SimulationReport report, String options) {
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(seed -> seed.replay() + " --rebalance" + options + " " + seed.violations())
                        .toList()
                        .toString())
                .isEmpty();
    }
}
