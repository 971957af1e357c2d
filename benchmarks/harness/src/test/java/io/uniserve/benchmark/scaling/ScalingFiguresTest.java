package io.uniserve.benchmark.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.scaling.ScalingBench.Sample;
import io.uniserve.benchmark.scaling.ScalingBench.Settings;
import io.uniserve.benchmark.scaling.TargetRateReader.Slice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingFiguresTest {
    private static final LoadProfile PROFILE = new LoadProfile(100, 10, 110);
    private static final Settings SETTINGS = new Settings(PROFILE, 3, 4, 10, 1, 0.2, 5, 1, "64m");

    @Test
    void theLoadRisesStaysAndFalls() {
        assertThat(PROFILE.rate(0)).isEqualTo(10);
        assertThat(PROFILE.rate(10)).isEqualTo(10);
        assertThat(PROFILE.rate(25)).isCloseTo(60, within(1e-9));
        assertThat(PROFILE.rate(45)).isEqualTo(110);
        assertThat(PROFILE.rate(65)).isCloseTo(60, within(1e-9));
        assertThat(PROFILE.rate(99)).isEqualTo(10);
        assertThat(PROFILE.rate(1_000)).isEqualTo(10);
    }

    private static List<Slice> slices(double part, long latencyNanos) {
        List<Slice> slices = new ArrayList<>();
        for (int second = 0; second <= 100; second++) {
            Slice slice = new Slice();
            for (int i = 0; i < part * PROFILE.rate(second); i++) {
                slice.add(latencyNanos, false, false);
            }
            slices.add(slice);
        }
        return slices;
    }

    @Test
    void aSecondFollowsIfItsOperationsEndedInTime() {
        assertThat(ScalingFigures.followed(slices(1, 1_000_000), SETTINGS)).isEqualTo(1);
        assertThat(ScalingFigures.followed(slices(1, 2_000_000_000L), SETTINGS)).isZero();
        assertThat(ScalingFigures.followed(slices(0.5, 1_000_000), SETTINGS)).isZero();
    }

    @Test
    void onlySteadySamplesCount() {
        List<Sample> samples = new ArrayList<>();
        for (int second = 0; second < 100; second++) {
            samples.add(new Sample(second, second < 50 ? 2 : 3, 0, second < 60 ? 0.5 : 0.9, 1));
        }
        assertThat(ScalingFigures.steadyInside(samples, SETTINGS))
                .as("with all servers a high CPU is no fault of the auto-scaler")
                .isEqualTo(1);
        List<Sample> idle = new ArrayList<>();
        for (int second = 0; second < 100; second++) {
            idle.add(new Sample(second, 2, 0, second < 55 ? 0.5 : 0.1, 1));
        }
        assertThat(ScalingFigures.steadyInside(idle, SETTINGS)).isCloseTo(0.5, within(0.01));
    }

    @Test
    void percentilesOfASecond() {
        Slice slice = new Slice();
        assertThat(slice.millis(0.5)).isNaN();
        for (int i = 1; i <= 100; i++) {
            slice.add(i * 1_000_000L, i == 1, i == 2);
        }
        assertThat(slice.millis(0.5)).isEqualTo(51);
        assertThat(slice.millis(1)).isEqualTo(100);
        assertThat(slice.failed()).isEqualTo(1);
        assertThat(slice.wrong()).isEqualTo(1);
    }
}
