package io.uniserve.protocol.coordinator.scaling;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.placement.ScalingLimits;
import io.uniserve.placement.ThresholdScalingPolicy;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.ServerProvider.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Virtual days of a load that follows the sun, with scripted servers. With faults, the provider is slow, fails, loses answers and lists
 * late, and leaders die at random moments.
 */
class ScalingWeekTest {
    private static final long MINUTE = 60 * SECOND;
    private static final int MINUTES_PER_DAY = 24 * 60;
    private static final int SERVERS_MAX = 24;
    private static final double NIGHT_CORES = 2.4;
    private static final double DAY_CORES = 13;

    private final TestingCluster cluster = new TestingCluster();
    private final TestingServerProvider provider = new TestingServerProvider(cluster);
    private final ServerActions actions = new ServerActions(cluster);
    private double cores = NIGHT_CORES;
    private int minutes;
    private int inside;
    private long serverMinutes;
    private Node node;
    private int coordinators;
    private final List<ScalingEvent> events = new ArrayList<>();

    ScalingWeekTest() {
        ScalingLimits limits = new ScalingLimits(0.45, 0.7, 0.8, 1, 2, SERVERS_MAX, 1);
        ScalingConfig config = new ScalingConfig(
                5 * MINUTE,
                2,
                SERVERS_MAX,
                1,
                2,
                2 * MINUTE,
                30 * MINUTE,
                10 * MINUTE,
                30 * MINUTE,
                30 * SECOND,
                30 * SECOND,
                10 * SECOND,
                60 * MINUTE,
                "");
        cluster.scaling = Optional.of(timers ->
                new ScalingSetup(config, new ThresholdScalingPolicy(limits), provider, BackgroundExecutor.on(timers)));
        cluster.servingCpu = server -> 1_000 * cores / Math.max(1, actions.live());
        node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 8, 2));
        actions.run(node, SECOND);
    }

    /** Load of this minute: low at midnight, with one peak at noon, and half of the peak's height for six hours. */
    private static double coresAt(int minute) {
        double wave = (1 - Math.cos(2 * Math.PI * minute / MINUTES_PER_DAY)) / 2;
        return NIGHT_CORES + (DAY_CORES - NIGHT_CORES) * wave * wave * wave;
    }

    private ScalingRecord record() {
        return cluster.store.value(RegistryPaths.SCALING) instanceof ScalingRecord record
                ? record
                : ScalingRecord.EMPTY;
    }

    private void minute() {
        cores = coresAt(minutes++);
        actions.run(node, MINUTE);
        double share = cores / actions.live();
        inside += share >= 0.3 && share <= 0.7 ? 1 : 0;
        serverMinutes += actions.live();
        for (ScalingEvent event : record().events()) {
            if (events.isEmpty()
                    || event.atMillis() > events.get(events.size() - 1).atMillis()) {
                events.add(event);
            }
        }
        check();
    }

    /** What must hold at every moment. */
    private void check() {
        assertThat(cluster.map("t").actors()).allSatisfy(actor -> {
            assertThat(actor.isr()).as("rf of actor %d", actor.actor()).hasSizeGreaterThanOrEqualTo(2);
            assertThat(actor.isr())
                    .as("no replica of actor %d is on a terminated server", actor.actor())
                    .noneMatch(id -> provider.machines.values().stream()
                            .anyMatch(machine -> machine.server.equals(id.value()) && machine.status == Status.ENDED));
        });
        assertThat(provider.running().stream().map(machine -> machine.token).distinct())
                .as("one machine per token")
                .hasSize(provider.running().size());
        assertThat(actions.live()).isBetween(2, SERVERS_MAX);
    }

    private int directionChangesPerHour() {
        int most = 0;
        for (int i = 0; i < events.size(); i++) {
            int changes = 0;
            for (int j = i + 1;
                    j < events.size()
                            && events.get(j).atMillis() - events.get(i).atMillis() < 3_600_000;
                    j++) {
                changes += events.get(j).action() != events.get(j - 1).action() ? 1 : 0;
            }
            most = Math.max(most, changes);
        }
        return most;
    }

    @Test
    void aWeekStaysInsideTheLimitsAtHalfTheCostOfThePeak(TestReporter reporter) {
        for (int i = 0; i < 7 * MINUTES_PER_DAY; i++) {
            minute();
        }
        long peak = (long) Math.ceil(DAY_CORES / 0.7);
        double cost = (double) serverMinutes / (peak * minutes);
        reporter.publishEntry(Map.of(
                "minutes with CPU of 30 to 70 %", Double.toString((double) inside / minutes),
                "changes of direction within an hour", Integer.toString(directionChangesPerHour()),
                "cost over a cluster of peak size", Double.toString(cost)));
        assertThat((double) inside / minutes)
                .as("minutes with CPU of 30 to 70 %%")
                .isGreaterThanOrEqualTo(0.95);
        assertThat(directionChangesPerHour()).isLessThanOrEqualTo(2);
        assertThat(cost).as("cost over a cluster of peak size").isLessThanOrEqualTo(0.6);
        assertThat(events).hasSizeGreaterThan(20);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noFaultOfTheProviderOrDeathOfALeaderLeaksAServer(long seed) {
        Random random = new Random(seed);
        provider.faults = new Random(seed + 100);
        provider.listLagNanos = random.nextInt(3) * MINUTE;
        for (int i = 0; i < MINUTES_PER_DAY; i++) {
            minute();
            if (random.nextInt(20) == 0) {
                cluster.loop.run(random.nextInt(30_000) * MILLI);
                nextLeader();
            }
        }
        provider.faults = null;
        provider.listLagNanos = 0;
        for (int i = 0; i < 120; i++) {
            minutes = 0; // midnight
            minute();
        }
        List<String> joined = record().instances().stream()
                .filter(instance -> instance.state() == State.JOINED)
                .map(ScalingInstance::token)
                .toList();
        assertThat(provider.running()).extracting(machine -> machine.token).containsExactlyInAnyOrderElementsOf(joined);
        assertThat(actions.live()).as("servers at night").isBetween(4, 9);
        assertThat(coordinators).isGreaterThan(20);
    }

    private void nextLeader() {
        Node next = cluster.coordinator("n" + ++coordinators);
        node.registry().expire();
        node.machine().stop();
        assertThat(cluster.loop.runUntil(next.machine()::isLeader, 5 * MINUTE)).isTrue();
        node = next;
    }
}
