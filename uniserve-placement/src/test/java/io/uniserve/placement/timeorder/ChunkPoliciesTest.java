package io.uniserve.placement.timeorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ChunkPolicy.AgeModel;
import io.uniserve.placement.ChunkPolicy.Decision;
import io.uniserve.placement.ChunkPolicy.HeldActor;
import io.uniserve.placement.ChunkPolicy.Input;
import io.uniserve.placement.ChunkPolicy.NewChunk;
import io.uniserve.placement.ChunkPolicy.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Servers of new chunks: least predicted load, distance in time, number; and the model of load by age behind them. */
class ChunkPoliciesTest {
    private static final long HOUR = 3_600_000;
    private static final long NOW = 1_000 * HOUR;
    private static final double A = 0.002;
    private static final double ALPHA = -0.3;
    private static final double B = 0.01;
    private static final double C = 0.5;
    private static final double BETA = -0.9;

    private final List<Server> servers = new ArrayList<>();
    private final List<HeldActor> held = new ArrayList<>();
    private int buckets = 1;
    private int replicas = 1;

    private void servers(double... weights) {
        for (double weight : weights) {
            servers.add(new Server(id(servers.size()), "z" + servers.size(), weight));
        }
    }

    private static ServerId id(int number) {
        return new ServerId("s" + number);
    }

    private static double cpuPerScanned(double age) {
        return A * Math.pow(age, ALPHA);
    }

    private static double scanned(double age) {
        return B + C * Math.pow(age, BETA);
    }

    /** Adds a chunk of one hour with the load of the known power laws, multiplied. */
    private void chunk(long table, int ageHours, double rows, double factor, int... hosts) {
        List<ServerId> on = new ArrayList<>();
        for (int host : hosts) {
            on.add(id(host));
        }
        long start = NOW - ageHours * HOUR;
        double perSecond = scanned(ageHours) * rows * factor;
        held.add(new HeldActor(
                table,
                start,
                start + HOUR,
                start + 100 * HOUR,
                rows,
                on,
                cpuPerScanned(ageHours) * perSecond,
                perSecond));
    }

    private Decision place(String policy, long table) {
        return ChunkPolicies.byName(policy)
                .place(new Input(
                        NOW, new NewChunk(table, NOW, NOW + HOUR, NOW + 100 * HOUR, buckets, replicas), servers, held));
    }

    private List<ServerId> placed(String policy) {
        return place(policy, 1).places().stream().map(list -> list.get(0)).toList();
    }

    @Test
    void knownPowerLawsAreRecovered() {
        servers(1, 1);
        for (int age = 1; age <= 90; age++) {
            chunk(1, age, 1_000, 1, age % 2);
        }
        AgeModel model = place("easy", 1).model().orElseThrow();
        assertThat(model.a()).isCloseTo(A, within(0.05 * A));
        assertThat(model.alpha()).isCloseTo(ALPHA, within(0.05 * -ALPHA));
        assertThat(model.b()).isCloseTo(B, within(0.05 * B));
        assertThat(model.c()).isCloseTo(C, within(0.05 * C));
        assertThat(model.beta()).isCloseTo(BETA, within(0.05 * -BETA));
        assertThat(model.error()).isLessThan(0.01);
        assertThat(model.observations()).isEqualTo(90);
        assertThat(model.ages()).isEqualTo(90);
        assertThat(model.source()).isEqualTo("table");
    }

    @Test
    void noisyPowerLawsArePredictedWithinATenth() {
        FutureLoadModel truth = new FutureLoadModel(A, ALPHA, B, C, BETA);
        for (int seed = 1; seed <= 10; seed++) {
            held.clear();
            servers.clear();
            servers(1, 1);
            Random random = new Random(seed);
            for (int age = 1; age <= 90; age++) {
                chunk(1, age, 1_000, 0.8 + 0.4 * random.nextDouble(), age % 2);
            }
            AgeModel model = place("easy", 1).model().orElseThrow();
            FutureLoadModel fitted = new FutureLoadModel(model.a(), model.alpha(), model.b(), model.c(), model.beta());
            double expected = truth.predict(1_000, 1, 100);
            assertThat(fitted.predict(1_000, 1, 100)).as("seed " + seed).isCloseTo(expected, within(0.1 * expected));
            assertThat(model.error()).isBetween(0.02, 0.3);
        }
    }

    @Test
    void aTableOfFewAgesHasTheModelOfAllTables() {
        servers(1, 1);
        for (int age = 1; age <= 30; age++) {
            chunk(2, age, 1_000, 1, 0);
        }
        chunk(1, 1, 1_000, 1, 1);
        chunk(1, 2, 1_000, 1, 1);
        AgeModel model = place("easy", 1).model().orElseThrow();
        assertThat(model.source()).isEqualTo("all tables");
        assertThat(model.alpha()).isCloseTo(ALPHA, within(0.05));
    }

    /** Ages of old adjacent chunks differ by a thousandth, so noise alone would give exponents of 70 and costs without a finite value. */
    @Test
    void noiseOfOldAdjacentChunksStopsNoPlacement() {
        for (double[] noise : new double[][] {{1, 1.05, 1.15}, {1.15, 1.05, 1}}) {
            held.clear();
            servers.clear();
            servers(1, 1, 1);
            for (int k = 0; k < 3; k++) {
                long start = NOW - (25_392 - 24 * k) * HOUR;
                held.add(new HeldActor(
                        1, start, start + 24 * HOUR, Long.MAX_VALUE, 1_000, List.of(id(k)), noise[k] * 10, 10));
            }
            Decision decision = place("easy", 1);
            assertThat(decision.places()).singleElement().asList().hasSize(1);
            assertThat(decision.costs())
                    .allSatisfy(cost -> assertThat(cost.cost()).isFinite());
            assertThat(decision.model().orElseThrow().source()).isEqualTo("default");
        }
    }

    @Test
    void aFitOfThousandsOfChunksTakesASample() {
        servers(1, 1);
        for (int age = 1; age <= 3_000; age++) {
            chunk(1, age, 1_000, 1, age % 2);
        }
        AgeModel model = place("easy", 1).model().orElseThrow();
        assertThat(model.alpha()).isCloseTo(ALPHA, within(0.05));
        assertThat(model.observations()).isEqualTo(3_000);
        assertThat(model.error()).isLessThan(0.02);
    }

    @Test
    void withoutDataAllPoliciesStillDecide() {
        servers(1, 1, 1);
        for (String policy : ChunkPolicies.names()) {
            Decision decision = place(policy, 1);
            assertThat(decision.places()).containsExactly(List.of(id(0)));
            assertThat(decision.costs())
                    .hasSize(3)
                    .allSatisfy(cost -> assertThat(cost.cost()).isZero());
        }
        AgeModel model = place("easy", 1).model().orElseThrow();
        assertThat(model.source()).isEqualTo("default");
        assertThat(model.error()).isNaN();
        assertThat(place("easy", 1)).isEqualTo(place("easy", 1));
    }

    @Test
    void easyPrefersOldChunksToNewOnes() {
        servers(1, 1);
        for (int age = 1; age <= 40; age++) {
            chunk(1, age, 1_000, 1, age <= 20 ? 0 : 1);
        }
        assertThat(placed("easy")).containsExactly(id(1));
        assertThat(place("easy", 1).predicted()).isPositive();
    }

    @Test
    void theWholeLifeCountsAndNotThePresentLoad() {
        servers(1, 1);
        for (int age = 1; age <= 40; age++) {
            chunk(2, age, 1, 1, 0);
        }
        held.clear();
        // the same load now, but one actor expires within the hour
        held.add(new HeldActor(9, NOW - 50 * HOUR, NOW - 49 * HOUR, NOW + HOUR, 1_000, List.of(id(0)), 10, 100));
        held.add(new HeldActor(9, NOW - 50 * HOUR, NOW - 49 * HOUR, NOW + 90 * HOUR, 1_000, List.of(id(1)), 10, 100));
        assertThat(placed("easy")).containsExactly(id(0));
    }

    @Test
    void balanceNumCountsAndSpreadSeesTime() {
        servers(1, 1);
        chunk(1, 2, 1_000, 1, 0);
        chunk(1, 300, 1_000, 1, 1);
        chunk(1, 301, 1_000, 1, 1);
        assertThat(placed("balance-num")).containsExactly(id(0));
        assertThat(placed("spread")).containsExactly(id(1));
    }

    @Test
    void bucketsAndReplicasGoToDifferentServersAndZones() {
        servers.add(new Server(id(0), "a", 1));
        servers.add(new Server(id(1), "a", 1));
        servers.add(new Server(id(2), "b", 1));
        servers.add(new Server(id(3), "b", 1));
        buckets = 2;
        replicas = 2;
        for (String policy : List.of("easy", "balance-num")) {
            List<List<ServerId>> places = place(policy, 1).places();
            assertThat(places).as(policy).containsExactly(List.of(id(0), id(2)), List.of(id(1), id(3)));
        }
        replicas = 9;
        assertThat(place("easy", 1).places())
                .allSatisfy(list -> assertThat(list).hasSize(4));
    }

    @Test
    void strongServersGetMore() {
        servers(1, 3);
        buckets = 8;
        List<ServerId> places = placed("balance-num");
        assertThat(places.stream().filter(id(1)::equals)).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    void unknownNamesAreRefused() {
        assertThatThrownBy(() -> ChunkPolicies.byName("nearest"))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("easy, spread, balance-num");
    }
}
