package io.uniserve.protocol.coordinator.scaling;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.Release;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.placement.ScalingDecision;
import io.uniserve.placement.ScalingLimits;
import io.uniserve.placement.ScalingPolicy;
import io.uniserve.placement.ThresholdScalingPolicy;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers are added and removed, one step at a time, whatever the provider and the policy do. */
class AutoScalerTest {
    private static final long PERIOD = 60 * SECOND;
    private static final ScalingLimits LIMITS = new ScalingLimits(0.3, 0.7, 0.8, 1, 2, 5, 1);

    private final TestingCluster cluster = new TestingCluster();
    private final TestingServerProvider provider = new TestingServerProvider(cluster);
    private final ServerActions actions = new ServerActions(cluster);
    private ScalingPolicy policy = new ThresholdScalingPolicy(LIMITS);
    private boolean policyHangs;

    /** CPU time that queries and updates use in the whole cluster, in cores; each server has one core. */
    private double load;

    private Node node;

    private static ScalingConfig config() {
        return new ScalingConfig(
                PERIOD,
                2,
                5,
                1,
                2,
                30 * SECOND,
                120 * SECOND,
                300 * SECOND,
                600 * SECOND,
                5 * SECOND,
                10 * SECOND,
                10 * SECOND,
                3_600 * SECOND,
                "");
    }

    @BeforeEach
    void start() {
        cluster.scaling = java.util.Optional.of(timers -> new ScalingSetup(
                config(), view -> policy.decide(view), provider, new MaybeHanging(BackgroundExecutor.on(timers))));
        cluster.servingCpu = server -> 1_000 * load / Math.max(1, actions.live());
        node = cluster.leading(2);
    }

    /** Executor that hangs while the test says so. */
    private final class MaybeHanging implements BackgroundExecutor {
        private final BackgroundExecutor executor;

        MaybeHanging(BackgroundExecutor executor) {
            this.executor = executor;
        }

        @Override
        public <T> void run(Supplier<T> work, Completion<T> completion) {
            if (!policyHangs) {
                executor.run(work, completion);
            }
        }
    }

    private void run(long nanos) {
        actions.run(node, nanos);
    }

    private ScalingRecord record() {
        return cluster.store.value(RegistryPaths.SCALING) instanceof ScalingRecord record
                ? record
                : ScalingRecord.EMPTY;
    }

    private List<State> states() {
        return record().instances().stream().map(ScalingInstance::state).toList();
    }

    private AdminReply.Scaling report() {
        return (AdminReply.Scaling) cluster.admin(node, new AdminRequest.ScalingStatus());
    }

    private void create(int actors, int rf) {
        cluster.create(node, TestingCluster.table("t", actors, rf));
        run(SECOND);
    }

    private Node anotherLeader() {
        Node second = cluster.coordinator("c2-" + cluster.loop.nanos());
        node.registry().expire();
        node.machine().stop();
        assertThat(cluster.loop.runUntil(second.machine()::isLeader, 60 * SECOND))
                .isTrue();
        cluster.loop.run(SECOND);
        return second;
    }

    @Test
    void busyServersGetMoreAndIdleOnesGo() {
        create(8, 2);
        load = 1.8;
        run(3 * PERIOD);
        assertThat(states()).containsExactly(State.JOINED);
        assertThat(report().state()).contains("CPU 60 % is from 30 % to 70 %");
        load = 2.9;
        run(6 * PERIOD);
        assertThat(actions.live()).isEqualTo(5);
        assertThat(record().events())
                .extracting(event -> event.effect())
                .allMatch(effect -> effect.startsWith("joined"));
        load = 0.4;
        run(40 * PERIOD);
        assertThat(actions.live()).isEqualTo(2);
        assertThat(states()).containsOnly(State.ENDED);
        assertThat(cluster.map("t").actors())
                .allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
        assertThat(report().state()).contains("2 servers are the minimum");
    }

    @Test
    void aServerIsOnlyTerminatedOnceNoActorNeedsIt() {
        create(8, 2);
        load = 1.9;
        run(3 * PERIOD);
        ScalingInstance launched = record().instances().get(0);
        actions.moveReplicasTo(node, launched.serverId());
        load = 0.3;
        actions.frozen = true;
        run(9 * PERIOD);
        assertThat(states()).containsExactly(State.DRAINING);
        assertThat(provider.calls).noneMatch(call -> call.startsWith("terminate"));
        actions.frozen = false;
        run(2 * PERIOD);
        assertThat(states()).containsExactly(State.ENDED);
        assertThat(provider.running()).isEmpty();
        assertThat(((AdminReply.ClusterStatus) cluster.admin(node, new AdminRequest.Status())).drained())
                .isEmpty();
    }

    @Test
    void aDrainThatIsNoLongerSafeIsTakenBack() {
        create(8, 2);
        load = 1.9;
        run(3 * PERIOD);
        actions.moveReplicasTo(node, record().instances().get(0).serverId());
        load = 0.3;
        actions.frozen = true;
        run(9 * PERIOD);
        assertThat(states()).containsExactly(State.DRAINING);
        cluster.server("s2").kill();
        run(2 * SECOND);
        assertThat(states()).containsExactly(State.JOINED);
        assertThat(record().events().get(record().events().size() - 1).effect()).startsWith("taken back");
        assertThat(provider.calls).noneMatch(call -> call.startsWith("terminate"));
    }

    @Test
    void aHoldStopsDecisionsAndOutlivesTheLeader() {
        load = 1.9;
        cluster.admin(node, new AdminRequest.HoldScaling("test of disks"));
        run(4 * PERIOD);
        assertThat(provider.calls).isEmpty();
        node = anotherLeader();
        run(4 * PERIOD);
        assertThat(provider.calls).isEmpty();
        assertThat(report().state()).contains("held by an operator: test of disks");
        cluster.admin(node, new AdminRequest.HoldScaling(""));
        run(3 * PERIOD);
        assertThat(states()).containsExactly(State.JOINED);
    }

    @Test
    void aLostAnswerLaunchesNoSecondServer() {
        load = 1.9;
        provider.losesAnswers = true;
        run(3 * PERIOD);
        assertThat(provider.running())
                .as("no list arrives, so nothing is decided")
                .isEmpty();
        assertThat(report().state()).contains("the provider has not listed its servers");
        provider.losesAnswers = false;
        run(SECOND);
        cluster.loop.runUntil(() -> !record().instances().isEmpty(), 3 * PERIOD);
        provider.losesAnswers = true;
        run(2 * PERIOD);
        node = anotherLeader();
        run(2 * PERIOD);
        assertThat(provider.running()).hasSize(1);
        assertThat(states()).containsExactly(State.JOINED);
        assertThat(provider.calls).filteredOn(call -> call.startsWith("launch")).hasSizeGreaterThan(1);
    }

    @Test
    void aServerThatNeverJoinsIsTerminatedWithAReason() {
        load = 1.9;
        provider.neverJoins = true;
        run(8 * PERIOD);
        assertThat(states()).startsWith(State.ENDED);
        assertThat(record().events().get(0).effect()).isEqualTo("terminated: it did not join in 300 s");
        provider.neverJoins = false;
        run(12 * PERIOD);
        assertThat(provider.running()).hasSize(1);
    }

    @Test
    void aServerOfAnOlderReleaseIsTerminatedWithAReason() {
        load = 1.9;
        provider.release = new Release("0.0.9", Release.CURRENT.level() - 1);
        run(3 * PERIOD);
        assertThat(states()).first().isEqualTo(State.ENDED);
        assertThat(provider.running()).isEmpty();
        assertThat(record().events().get(0).effect())
                .startsWith("terminated: its release 0.0.9 (level ")
                .endsWith(" of the coordinator: correct the template");
        assertThat(report().addReason()).contains("launches failed, the next is in");
        provider.release = new Release("9.0.0", Release.CURRENT.level() + 1);
        run(12 * PERIOD);
        assertThat(provider.running()).hasSize(1);
    }

    @Test
    void aServerThatIsListedLateIsNotForgotten() {
        load = 1.9;
        provider.listLagNanos = 100 * SECOND;
        provider.bootNanos = 10 * SECOND;
        run(4 * PERIOD);
        assertThat(provider.running()).hasSize(1);
        assertThat(states()).containsExactly(State.JOINED);
        load = 0.3;
        run(20 * PERIOD);
        assertThat(provider.running()).isEmpty();
        assertThat(states()).containsExactly(State.ENDED);
    }

    @Test
    void instancesWithoutARecordAreReportedAndLeftAlone() {
        String token = "0123456789abcdef0123456789abcdef";
        provider.launch(
                new io.uniserve.protocol.env.ServerProvider.Launch("x", token, ScalingInstance.serverId(token), "", 0),
                outcome -> {});
        provider.machines.put("stranger", new TestingServerProvider.Machine("stranger", "web-1", "s9", 0));
        load = 0.3;
        run(12 * PERIOD);
        assertThat(record().instances()).isEmpty();
        assertThat(provider.running()).hasSize(2);
        assertThat(report().problem()).contains("instance i-1 has no record and is left alone");
        assertThat(report().servers().get(0).keepReason()).contains("has not launched it");
    }

    @Test
    void launchesThatFailAreTriedAfterLongerAndLongerPauses() {
        load = 1.9;
        provider.neverJoins = true;
        run(100 * PERIOD);
        long launched = record().events().size();
        assertThat(launched).isBetween(3L, 5L);
        assertThat(report().addReason()).contains("launches failed, the next is in");
    }

    @Test
    void aRisingLoadTakesADrainBack() {
        create(8, 2);
        load = 1.9;
        run(3 * PERIOD);
        actions.moveReplicasTo(node, record().instances().get(0).serverId());
        load = 0.3;
        actions.frozen = true;
        run(9 * PERIOD);
        assertThat(states()).containsExactly(State.DRAINING);
        load = 2.8;
        run(5 * PERIOD);
        assertThat(states()).startsWith(State.JOINED);
        assertThat(record().events()).anyMatch(event -> event.effect().equals("taken back: the load has risen"));
        assertThat(provider.calls).noneMatch(call -> call.startsWith("terminate"));
    }

    @Test
    void aProviderThatThrowsIsAFailureOfTheCall() {
        load = 1.9;
        provider.throwsAtOnce = true;
        run(3 * PERIOD);
        assertThat(report().problem()).contains("the provider failed").contains("a bug of the provider");
        provider.throwsAtOnce = false;
        run(3 * PERIOD);
        assertThat(provider.running()).hasSize(1);
    }

    @Test
    void aTerminatedServerCannotBeUndrained() {
        load = 1.9;
        run(3 * PERIOD);
        String launched = record().instances().get(0).serverId().value();
        load = 0.3;
        run(9 * PERIOD);
        assertThat(states()).containsExactly(State.ENDED);
        assertThat(cluster.refused(node, new AdminRequest.DrainServer(TestingCluster.id(launched), false))
                        .reason())
                .contains("the auto-scaler terminates");
    }

    @Test
    void noCapacityIsToldAndTriedAgain() {
        load = 1.9;
        provider.outOfCapacity = true;
        run(4 * PERIOD);
        assertThat(states()).containsExactly(State.REQUESTED);
        assertThat(report().problem()).contains("no capacity");
        assertThat(report().addReason()).contains("is being launched");
        provider.outOfCapacity = false;
        run(2 * PERIOD);
        assertThat(states()).containsExactly(State.JOINED);
    }

    @Test
    void decisionsOutsideTheLimitsAreRefused() {
        load = 1.2;
        refused(ScalingDecision.add(-3, "x"), "it adds -3 servers");
        refused(ScalingDecision.add(10_000, "x"), "it adds 10000 servers to 2, the maximum is 5");
        refused(ScalingDecision.remove(TestingCluster.id("s9"), "x"), "the minimum is 2");
        refused(new ScalingDecision(1, List.of(TestingCluster.id("s1")), "x"), "adds and removes servers at once");
        cluster.server("s3").start();
        refused(ScalingDecision.remove(TestingCluster.id("s9"), "x"), "which is no server");
        refused(ScalingDecision.remove(TestingCluster.id("s1"), "x"), "the auto-scaler has not launched it");
        policy = view -> {
            throw new IllegalStateException("a bug");
        };
        run(2 * PERIOD);
        assertThat(report().state()).contains("the policy failed").contains("a bug");
        policy = view -> {
            throw new NoClassDefFoundError("com/example/Missing");
        };
        run(2 * PERIOD);
        assertThat(report().state()).contains("the policy failed").contains("com/example/Missing");
        policy = nothing();
        run(2 * PERIOD);
        assertThat(report().state()).contains("the policy failed").contains("the decision");
        assertThat(provider.calls).isEmpty();
    }

    @SuppressWarnings("NullAway")
    private static ScalingPolicy nothing() {
        return view -> null;
    }

    private void refused(ScalingDecision decision, String why) {
        policy = view -> decision;
        run(2 * PERIOD);
        assertThat(report().state()).contains("refused").contains(why);
        assertThat(provider.calls).isEmpty();
    }

    @Test
    void aPolicyThatHangsIsTold() {
        load = 1.9;
        policyHangs = true;
        run(4 * PERIOD);
        assertThat(report().state()).contains("the policy has not answered in 10 s");
        assertThat(provider.calls).isEmpty();
    }

    @Test
    void aProviderThatHangsIsToldAndNothingIsDoneTwice() {
        load = 1.9;
        provider.hangs = true;
        run(4 * PERIOD);
        assertThat(report().problem()).contains("did not answer in 10000 ms");
        provider.hangs = false;
        run(5 * PERIOD);
        assertThat(provider.running()).hasSize(1);
    }

    @Test
    void aServerWithoutCpuTimeIsNoIdleServer() {
        load = 1.0;
        java.util.function.ToDoubleFunction<io.uniserve.model.ServerId> usual = cluster.servingCpu;
        cluster.servingCpu = server -> server.value().equals("s1") ? -1 : usual.applyAsDouble(server);
        run(4 * PERIOD);
        assertThat(report().state()).contains("s1 has reported no CPU time");
        assertThat(report().servers().get(0).cpuCores()).isEmpty();
    }

    @Test
    void aServerThatRestartsIsNotReplaced() {
        load = 1.9;
        run(3 * PERIOD);
        String launched = record().instances().get(0).serverId().value();
        cluster.server("s1").kill();
        cluster.server("s2").kill();
        cluster.server(launched).kill();
        cluster.server("s3").start();
        run(3 * PERIOD);
        assertThat(provider.running()).hasSize(1);
        assertThat(report().addReason()).isEqualTo(launched + " is away, and may come back");
        cluster.server(launched).start();
        run(PERIOD);
        cluster.server(launched).kill();
        run(9 * PERIOD);
        assertThat(provider.running()).as("it has not come back in time").hasSizeGreaterThan(1);
    }

    @Test
    void aCoordinatorWithoutAProviderSaysSo() {
        TestingCluster other = new TestingCluster();
        Node plain = other.leading(1);
        assertThat(other.refused(plain, new AdminRequest.ScalingStatus()).code())
                .isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(other.refused(plain, new AdminRequest.HoldScaling("x")).reason())
                .contains("uniserve.coordinator.scaling.provider");
    }

    @Test
    void everyServerHasAReasonToStayOrMayGo() {
        create(4, 2);
        load = 1.9;
        run(3 * PERIOD);
        AdminReply.Scaling report = report();
        assertThat(report.servers()).hasSize(3);
        assertThat(report.servers()).filteredOn(server -> server.isRemovable()).hasSize(1);
        assertThat(report.servers())
                .filteredOn(server -> !server.isRemovable())
                .allSatisfy(server -> assertThat(server.keepReason()).isEqualTo("the auto-scaler has not launched it"));
        cluster.server("s1").hang();
        run(5 * SECOND);
        assertThat(report().servers())
                .allSatisfy(server -> assertThat(server.isRemovable()).isFalse());
    }

    @Test
    void everyLeaderGoesOnWhereTheLastOneEnded() {
        create(6, 2);
        load = 1.9;
        for (int step = 0; step < 40; step++) {
            cluster.loop.run(3 * SECOND + step * 37 * MILLI);
            node = anotherLeader();
            run(PERIOD / 2 + step * SECOND);
        }
        run(4 * PERIOD);
        assertThat(provider.running()).hasSize(1);
        load = 0.3;
        for (int step = 0; step < 40; step++) {
            run(PERIOD / 2 + step * 3 * SECOND);
            node = anotherLeader();
        }
        run(20 * PERIOD);
        assertThat(provider.running()).isEmpty();
        assertThat(cluster.map("t").actors())
                .allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
    }
}
