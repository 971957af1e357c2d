package io.uniserve.benchmark.druid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Load and figures of part easy of {@code bench druid}. */
class ChunkPlacementTest {
    @Test
    void chunksAreDrawnByTheirAge() {
        for (ChunkScenario scenario : ChunkScenario.values()) {
            double shares = 0;
            for (ChunkScenario.Table table : scenario.tables) {
                shares += table.share();
                checkDraws(table);
            }
            assertThat(shares).as(scenario.name()).isCloseTo(1, within(1e-9));
        }
    }

    private static void checkDraws(ChunkScenario.Table table) {
        SplittableRandom random = new SplittableRandom(1);
        int draws = 100_000;
        int[] counts = new int[table.live()];
        for (int i = 0; i < draws; i++) {
            counts[table.draw(random.nextDouble(), 0.5)]++;
        }
        double sum = 0;
        for (int back = 0; back < counts.length; back++) {
            sum += table.weight(back + 0.5);
        }
        for (int back = 0; back < counts.length; back++) {
            double expected = table.weight(back + 0.5) / sum;
            assertThat(counts[back] / (double) draws)
                    .as(table.name() + " " + back)
                    .isCloseTo(expected, within(6 * Math.sqrt(expected / draws)));
        }
        assertThat(table.draw(0, 0)).isZero();
        assertThat(table.draw(1, 1)).isEqualTo(table.live() - 1);
    }

    @Test
    void deviationIsThatOfServersInOneInterval() {
        assertThat(ServerCpuSampler.mean(new double[] {1, 2, 3, 6})).isEqualTo(3);
        assertThat(ServerCpuSampler.deviation(new double[] {1, 2, 3, 6})).isCloseTo(Math.sqrt(3.5), within(1e-12));
        assertThat(ServerCpuSampler.deviation(new double[] {2, 2})).isZero();
    }
}
