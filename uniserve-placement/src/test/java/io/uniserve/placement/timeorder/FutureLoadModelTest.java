package io.uniserve.placement.timeorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FutureLoadModelTest {
    @ParameterizedTest
    @ValueSource(doubles = {-3, -1.5, -1.0001, -1.000000001, -1, -0.999999999, -0.5, 0, 2})
    void theIntegralIsThatOfManySmallSteps(double p) {
        double sum = 0;
        int steps = 200_000;
        for (int n = 0; n < steps; n++) {
            double x = 2 + 5.0 * (n + 0.5) / steps;
            sum += Math.pow(x, p) * 5.0 / steps;
        }
        assertThat(FutureLoadModel.power(2, 7, p)).isCloseTo(sum, within(1e-9 * Math.max(1, sum)));
    }

    @Test
    void nothingIsLeftPastExpiryAndANewActorHasAnAge() {
        FutureLoadModel model = new FutureLoadModel(1, -0.5, 0.1, 2, -0.7);
        assertThat(model.predict(100, 10, 10)).isZero();
        assertThat(model.predict(100, 11, 10)).isZero();
        assertThat(model.predict(100, 0, 10)).isFinite().isGreaterThan(model.predict(100, 1, 10));
    }

    @Test
    void aFitFindsTheModelOrFallsBackToThePooledOne() {
        FutureLoadModel truth = new FutureLoadModel(3, -0.4, 0.2, 5, -1.2);
        List<FutureLoadModel.Observation> seen = new ArrayList<>();
        for (double age = 1; age < 30; age += 2) {
            seen.add(new FutureLoadModel.Observation(age, 3 * Math.pow(age, -0.4), 0.2 + 5 * Math.pow(age, -1.2)));
        }
        FutureLoadModel pooled = new FutureLoadModel(1, 0, 1, 0, -1);
        FutureLoadModel fitted = FutureLoadModel.fit(seen, pooled);
        assertThat(fitted.predict(10, 2, 20))
                .isCloseTo(truth.predict(10, 2, 20), within(0.01 * truth.predict(10, 2, 20)));
        assertThat(FutureLoadModel.fit(seen.subList(0, 2), pooled)).isEqualTo(pooled);
    }

    @Test
    void exponentsAreBounded() {
        List<FutureLoadModel.Observation> seen = new ArrayList<>();
        for (double age : new double[] {1, 2, 3}) {
            seen.add(new FutureLoadModel.Observation(age, Math.pow(age, 40), 1));
        }
        FutureLoadModel fitted = FutureLoadModel.fit(seen, new FutureLoadModel(1, 0, 1, 0, -1));
        assertThat(fitted.alpha()).isEqualTo(1);
        assertThat(fitted.predict(1e9, 1, 1e6)).isFinite();
    }

    @Test
    void choosersPickTheLeast() {
        ServerSelector.Chunk old = new ServerSelector.Chunk(0, 1, 5);
        ServerSelector.Chunk young = new ServerSelector.Chunk(0, 9, 1);
        List<List<ServerSelector.Chunk>> servers = List.of(List.of(old), List.of(young, young), List.of(young));
        ServerSelector.Chunk fresh = new ServerSelector.Chunk(0, 10, 3);
        assertThat(ServerSelector.easy().choose(fresh, servers)).isEqualTo(2);
        assertThat(ServerSelector.spread(1).choose(fresh, servers)).isZero();
        assertThat(ServerSelector.balanceNum().choose(fresh, servers)).isZero();
    }
}
