package io.uniserve.placement.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A small part of {@code uniserve bench placement}: what a policy must reach on seeded problems, by the checker. */
class PolicyQualityTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 0);

    @ParameterizedTest
    @EnumSource(InstanceParameters.Change.class)
    void rangesOf256ActorsReachTheLowerBound(InstanceParameters.Change change) {
        PlacementInstance instance = InstanceGenerator.make(
                new InstanceParameters(256, 1_000, 3, change, InstanceParameters.Mix.RANGE, 1), 3);
        Assignment current = instance.initial();
        for (int round = 0; round < 3; round++) {
            ClusterLoad in = instance.at(round, current, 0.05, 1);
            PlacementResult result = RUNNER.run(PolicyCatalog.byName("parallelism"), in, SearchBudget.unlimited(1));
            assertThat(result.status())
                    .as("round %d: %s", round, result.reasons())
                    .isEqualTo(PlacementStatus.BALANCED);
            assertThat(result.check().gap()).isLessThan(1e-6);
            assertThat(result.check().adds()).isLessThan(round == 0 ? 235 : 35);
            current = result.assignment();
            ClusterLoad again = instance.at(round, current, 0.05, 1);
            assertThat(RUNNER.run(PolicyCatalog.byName("parallelism"), again, SearchBudget.unlimited(1))
                            .assignment())
                    .isEqualTo(current);
        }
    }

    @Test
    void threeReplicasOnNearlyAllServersReachTheLowerBound() {
        InstanceParameters instanceParameters = new InstanceParameters(
                256, 1_000, 1, InstanceParameters.Change.RESAMPLE, InstanceParameters.Mix.RANGE, 3);
        PlacementInstance instance = InstanceGenerator.make(instanceParameters, 1);
        ClusterLoad in = instance.at(0, instance.initial(), 0.05, 3);
        PlacementResult result = RUNNER.run(PolicyCatalog.byName("parallelism"), in, SearchBudget.unlimited(1));
        assertThat(result.status()).as(result.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(result.check().gap()).isLessThan(1e-6);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void replicasAreMadeAndBalanced(int rf) {
        PlacementInstance instance = InstanceGenerator.make(
                new InstanceParameters(100, 200, 2, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.MIXED, rf),
                5);
        Assignment current = instance.initial();
        for (int round = 0; round < 2; round++) {
            ClusterLoad in = instance.at(round, current, 0.05, rf);
            PlacementResult result = RUNNER.run(PolicyCatalog.byName("greedy"), in, SearchBudget.unlimited(1));
            assertThat(result.status()).as(result.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
            assertThat(result.check().isValid()).isTrue();
            current = result.assignment();
        }
    }
}
