package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.server.read.ReadCostCounter;
import io.uniserve.server.read.ShardSetTracker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rates of a load report: unsmoothed at first, then smoothed, with their age. */
class ReadLoadMeterTest {
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);
    private static final Load REPORT =
            new Load(new ServerId("a"), List.of(new ReplicaLoad(KEY, 1, "PRIMARY", 0, 0, 0, 0, 0, 0, 0, 0)), 0);

    private long now = 1;
    private final ReadCostCounter costs = new ReadCostCounter();
    private int stuck;
    private final ReadLoadMeter rates =
            new ReadLoadMeter(() -> now, Duration.ofSeconds(10), costs, new ShardSetTracker(() -> now), () -> stuck);

    private ReplicaLoad after(int seconds, int calls) {
        now += TimeUnit.SECONDS.toNanos(seconds);
        for (int n = 0; n < calls; n++) {
            costs.add(KEY, TimeUnit.MILLISECONDS.toNanos(2));
        }
        return rates.withRates(REPORT).replicas().get(0);
    }

    @Test
    void theFirstReportIsAsMeasuredAndLaterOnesAreSmoothed() {
        ReplicaLoad first = after(10, 100);
        assertThat(first.queriesPerSecond()).isCloseTo(10, within(1e-9));
        assertThat(first.queryCostMillisPerSecond()).isCloseTo(20, within(1e-9));
        assertThat(first.ageSeconds()).isZero();
        ReplicaLoad idle = after(10, 0);
        assertThat(idle.queriesPerSecond()).as("half after ten seconds").isCloseTo(5, within(1e-9));
        assertThat(idle.ageSeconds()).isCloseTo(10, within(1e-9));
        assertThat(after(100, 0).queriesPerSecond()).isLessThan(0.01);
    }

    @Test
    void reportsCloseTogetherTellTheSame() {
        after(10, 100);
        costs.add(KEY, 1);
        now += 1_000;
        assertThat(rates.withRates(REPORT).replicas().get(0).queriesPerSecond()).isCloseTo(10, within(1e-9));
    }

    @Test
    void theServersMemoryIsTold() {
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(rates.withRates(REPORT).memoryBytes()).isPositive();
    }

    @Test
    void threadsThatDoNotComeBackAreAProblem() {
        assertThat(rates.withRates(REPORT).problems()).isEmpty();
        stuck = 3;
        assertThat(rates.withRates(REPORT).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.severity()).isEqualTo(HealthProblem.Severity.WARNING))
                .satisfies(problem -> assertThat(problem.text()).contains("3 threads"));
    }
}
