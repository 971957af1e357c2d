package io.uniserve.placement.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters that are far from those of the bench, by the checker; whatever comes out stays when given again. */
class OddShapesTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 0);

    private static ClusterLoadBuilder cluster(int actors, int servers, double slots) {
        double[] loads = new double[actors];
        int[] where = new int[actors];
        for (int i = 0; i < actors; i++) {
            // By Zipf's law, in an order that has hot and cold ones side by side.
            loads[i] = 1.0 / (1 + (i * 37L) % actors);
            where[i] = (int) ((long) i * servers / actors);
        }
        double[] capacity = new double[servers];
        Arrays.fill(capacity, slots);
        List<ShardSet> sets = new ArrayList<>();
        for (int n = 0; n + 5 < actors; n += 2) {
            sets.add(new ShardSet(1.0 / (1 + n), new int[] {n, n + 1, n + 2, n + 5}));
        }
        return new ClusterLoadBuilder(loads, capacity).sets(sets).current(Assignment.single(where));
    }

    private static PlacementResult place(String policy, ClusterLoad in) {
        PlacementResult result = RUNNER.run(PolicyCatalog.byName(policy), in, SearchBudget.unlimited(1));
        ClusterLoad next = in.toBuilder().current(result.assignment()).build();
        PlacementResult again = RUNNER.run(PolicyCatalog.byName(policy), next, SearchBudget.unlimited(1));
        assertThat(again.assignment()).isEqualTo(result.assignment());
        assertThat(result.check().isValid()).isTrue();
        return result;
    }

    @ParameterizedTest
    @CsvSource({"greedy, 2, 3", "parallelism, 2, 3", "greedy, 3, 2", "parallelism, 3, 2"})
    void replicasAreInDifferentZones(String policy, int rf, int zoneCount) {
        int[] zones = new int[6];
        Arrays.setAll(zones, j -> j % zoneCount);
        ClusterLoad in = cluster(31, 6, 30).zones(zones).rf(rf).build();
        PlacementResult result = place(policy, in);
        assertThat(result.status()).as(result.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
    }

    @Test
    void zonesThatWereNotLookedAtBeforeAreRepaired() {
        ClusterLoad flat = cluster(31, 6, 30).rf(2).build();
        PlacementResult first = place("parallelism", flat);
        int[] zones = {0, 0, 0, 1, 1, 1};
        ClusterLoad in =
                flat.toBuilder().zones(zones).current(first.assignment()).build();
        PlacementResult result = place("parallelism", in);
        assertThat(result.status()).as(result.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism"})
    void fullServersExchangeActors(String policy) {
        ClusterLoad in = cluster(41, 6, 7).build();
        double before = RUNNER.run(PolicyCatalog.byName("static"), in, SearchBudget.unlimited(1))
                .check()
                .outsideTolerance();
        assertThat(place(policy, in).check().outsideTolerance()).isLessThan(0.7 * before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism"})
    void oneActorWithNearlyAllTheLoad(String policy) {
        double[] loads = new double[101];
        Arrays.fill(loads, 0.001);
        loads[17] = 0.9;
        double[] capacity = new double[10];
        Arrays.fill(capacity, 16);
        ClusterLoad in = new ClusterLoadBuilder(loads, capacity).build();
        PlacementResult result = place(policy, in);
        assertThat(result.status()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(result.assignment().replicas(17)).isGreaterThanOrEqualTo(9);
    }

    @Test
    void serversOfVeryDifferentStrength() {
        double[] weights = {1, 2, 4, 8, 16};
        double[] capacity = {4, 8, 16, 32, 64};
        ClusterLoad in = cluster(77, 5, 64)
                .weights(weights)
                .capacity(capacity)
                .current(Assignment.empty(77))
                .build();
        assertThat(place("parallelism", in).status()).isEqualTo(PlacementStatus.BALANCED);
    }

    @Test
    void aLargeClusterIsLeveledInSteps() {
        int actors = 20_000;
        double[] loads = new double[actors];
        int[] where = new int[actors];
        double[] capacity = new double[200];
        Arrays.fill(capacity, 161);
        for (int i = 0; i < actors; i++) {
            loads[i] = i < actors / 8 ? 7 + (i % 5) : 0.2;
            where[i] = i / 100;
        }
        ClusterLoad in = new ClusterLoadBuilder(loads, capacity)
                .current(Assignment.single(where))
                .build();
        PlacementResult result = place("greedy", in);
        assertThat(result.status()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(result.check().adds()).isLessThan(2_300);
    }
}
