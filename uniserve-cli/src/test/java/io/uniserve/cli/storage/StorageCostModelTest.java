package io.uniserve.cli.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.cli.storage.StorageCostModel.MonthlyRequests;
import io.uniserve.cli.storage.StorageCostModel.Prices;
import io.uniserve.cli.storage.StorageCostModel.Workload;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class StorageCostModelTest {
    private static final double MONTH = 730 * 3_600.0;
    private static final Percentage LITTLE = Percentage.withPercentage(0.01);

    private static MonthlyRequests estimate(double rate, int actors, double seconds, boolean remote, double bytes) {
        return StorageCostModel.estimate(new Workload(rate, actors, 2, 1_024, seconds, remote, bytes));
    }

    @Test
    void aServerShipsOnePutPerPeriodAndMergesRunsOfEachActorLater() {
        // 1,000 updates per second over 64 actors on 2 servers: a put per second each, and 64 merged runs per four
        // minutes.
        assertThat(estimate(1_000, 64, 1, false, 0).logPuts()).isCloseTo((2 + 64 / 240.0) * MONTH, LITTLE);
        assertThat(estimate(1_000, 64, 1, false, 0).gets())
                .as("each object is read once, and the owner each minute")
                .isBetween(2 * MONTH, 2.2 * MONTH);
        assertThat(estimate(1_000, 640, 1, false, 0).logPuts())
                .as("a key has room for 40 runs")
                .isCloseTo((640 * (1 - Math.exp(-1000 / 640.0)) / 40 + 640 / 240.0) * MONTH, LITTLE);
        assertThat(estimate(64, 64, 10, false, 0).logPuts()).isCloseTo((0.2 + 64 / 2_400.0) * MONTH, LITTLE);
    }

    @Test
    void aQuietActorShipsOnePutPerUpdate() {
        assertThat(estimate(0.001, 64, 1, false, 0).logPuts())
                .as("a put of its own at most, and one when it is merged")
                .isBetween(0.001 * MONTH, 0.002 * MONTH);
        assertThat(estimate(0, 64, 1, false, 0)).isEqualTo(new MonthlyRequests(0, 0, 0, 0));
    }

    @Test
    void remoteUpdatesHaveAPutEach() {
        assertThat(estimate(1_000, 64, 1, true, 0).logPuts()).isCloseTo(1_000 * MONTH, LITTLE);
    }

    @Test
    void largeUpdatesFillRuns() {
        MonthlyRequests large = StorageCostModel.estimate(new Workload(8, 1, 1, 4 << 20, 1, false, 0));
        assertThat(large.logPuts()).isBetween(8 * MONTH, 8.01 * MONTH);
    }

    @Test
    void checkpointsFollowTheirSizeAndTheLog() {
        // 1,000 entries of 1 KiB per second: a checkpoint after 20,000 of them; 2 chunks and a manifest, 2 lists.
        MonthlyRequests small = estimate(1_000, 1, 1, false, 8 << 20);
        assertThat(small.checkpointPuts()).isCloseTo(MONTH / 20 * 3, LITTLE);
        assertThat(small.lists()).isCloseTo(MONTH / 20 * 2 + 2 * 3 * 730, LITTLE);
        // A checkpoint of 400 MiB waits for 100 MiB of log.
        MonthlyRequests large = estimate(1_000, 1, 1, false, 400 << 20);
        assertThat(large.checkpointPuts()).isCloseTo(MONTH / 102.4 * 101, LITTLE);
        // 1,024 objects of the log force one.
        MonthlyRequests quiet = estimate(0.01, 1, 1, true, 400 << 20);
        assertThat(quiet.checkpointPuts()).isCloseTo(MONTH * 0.01 / 1_024 * 101, LITTLE);
    }

    @Test
    void theOwnerIsReadEveryMinuteAndBeforeDeletions() {
        assertThat(estimate(0.001, 1, 1, true, 0).gets()).isCloseTo(2 * 60 * 730, Percentage.withPercentage(0.1));
    }

    @Test
    void countedRequestsAreScaledToAMonth() {
        MonthlyRequests month = StorageCostModel.counted(1_000, 10, 100, 73);
        assertThat(month).isEqualTo(new MonthlyRequests(10_000, 0, 100, 1_000));
        assertThat(month.price(new Prices(0, 0.005, 0.0004))).isCloseTo(0.0505 + 0.0004, within(1e-12));
    }

    @Test
    void gigabytesAreBinary() {
        assertThat(StorageCostModel.gigabytes(3L << 30)).isEqualTo(3);
        assertThat(StorageCostModel.gigabytes(0)).isZero();
    }
}
