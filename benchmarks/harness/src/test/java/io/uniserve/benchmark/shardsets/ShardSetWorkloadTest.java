package io.uniserve.benchmark.shardsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shard sets of {@code bench shardsets} and their popularity. */
class ShardSetWorkloadTest {
    private static final int PARTS = 48;
    private static final int SETS = 48;

    private static ShardSetWorkload workload(ShardSetKind kind) {
        return new ShardSetWorkload(kind, PARTS, SETS, 1);
    }

    @ParameterizedTest
    @EnumSource
    void setsHaveDifferentActorsInOrder(ShardSetKind kind) {
        for (int parts : new int[] {8, 9, PARTS, 1_024}) {
            for (long seed = -2; seed < 20; seed++) {
                ShardSetWorkload workload = new ShardSetWorkload(kind, parts, SETS, seed);
                for (int set = 0; set < workload.count(); set++) {
                    int[] actors = workload.parts(set);
                    assertThat(actors).hasSizeGreaterThanOrEqualTo(2).doesNotHaveDuplicates();
                    assertThat(actors).isSorted();
                    assertThat(actors[0]).isNotNegative();
                    assertThat(actors[actors.length - 1]).isLessThan(parts);
                }
            }
        }
    }

    @Test
    void rangesAreNeighbours() {
        for (ShardSetKind kind : new ShardSetKind[] {ShardSetKind.RANGES, ShardSetKind.DRIFT}) {
            for (int set = 0; set < SETS; set++) {
                int[] actors = workload(kind).parts(set);
                assertThat(actors.length).isBetween(2, 8);
                assertThat(actors[actors.length - 1] - actors[0]).isEqualTo(actors.length - 1);
            }
        }
    }

    @Test
    void scatteredSetsAreNotAllNeighbours() {
        long scattered = IntStream.range(0, SETS)
                .mapToObj(set -> workload(ShardSetKind.SCATTERED).parts(set))
                .filter(actors -> actors[actors.length - 1] - actors[0] >= actors.length)
                .count();
        assertThat(scattered).isGreaterThan(SETS * 3 / 4);
    }

    @Test
    void mixedSetsAreNarrowOrWide() {
        for (int set = 0; set < SETS; set++) {
            int size = workload(ShardSetKind.MIXED).parts(set).length;
            assertThat(size).isBetween(set % 4 == 3 ? PARTS / 4 : 2, set % 4 == 3 ? PARTS / 2 : 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void queriesFollowTheShares(ShardSetKind kind) {
        ShardSetWorkload workload = workload(kind);
        int queries = 200_000;
        for (boolean isLate : new boolean[] {false, true}) {
            int[] counts = new int[SETS];
            double actors = 0;
            for (int n = 0; n < queries; n++) {
                int set = workload.choose(n, isLate);
                counts[set]++;
                actors += workload.parts(set).length;
            }
            double sum = 0;
            for (int set = 0; set < SETS; set++) {
                assertThat(counts[set] / (double) queries).isCloseTo(workload.share(set, isLate), within(0.005));
                sum += workload.share(set, isLate);
            }
            assertThat(sum).isCloseTo(1, within(1e-9));
            assertThat(actors / queries).isCloseTo(workload.meanParts(isLate), within(0.05));
        }
    }

    @Test
    void theFirstSetIsMostPopular() {
        ShardSetWorkload workload = workload(ShardSetKind.RANGES);
        assertThat(workload.share(0, false)).isCloseTo(2 * workload.share(1, false), within(1e-9));
        assertThat(workload.share(0, false)).isCloseTo(SETS * workload.share(SETS - 1, false), within(1e-9));
    }

    @Test
    void aTenthOfTheSetsDrifts() {
        ShardSetWorkload workload = workload(ShardSetKind.DRIFT);
        int[] changed = IntStream.range(0, SETS)
                .filter(set -> workload.share(set, false) != workload.share(set, true))
                .toArray();
        assertThat(changed).containsExactly(0, 1, SETS - 2, SETS - 1);
        assertThat(workload.share(SETS - 1, true)).isEqualTo(workload.share(0, false));
        for (ShardSetKind kind : new ShardSetKind[] {ShardSetKind.RANGES, ShardSetKind.SCATTERED, ShardSetKind.MIXED}) {
            assertThat(IntStream.range(0, SETS))
                    .allMatch(set ->
                            workload(kind).share(set, false) == workload(kind).share(set, true));
        }
    }

    @Test
    void theSameSeedGivesTheSameSets() {
        for (int set = 0; set < SETS; set++) {
            assertThat(workload(ShardSetKind.SCATTERED).parts(set))
                    .containsExactly(workload(ShardSetKind.SCATTERED).parts(set));
        }
        assertThat(new ShardSetWorkload(ShardSetKind.SCATTERED, PARTS, SETS, 2).parts(0))
                .isNotEqualTo(workload(ShardSetKind.SCATTERED).parts(0));
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThatThrownBy(() -> ShardSetKind.named("scans"))
                .hasMessageContaining("--workloads has \"scans\": use ranges, scattered, mixed, drift");
        for (ShardSetKind kind : ShardSetKind.values()) {
            assertThat(ShardSetKind.named(kind.label())).isEqualTo(kind);
        }
    }
}
