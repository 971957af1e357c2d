package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingEvent.Action;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testsupport.TestingEc2Server;
import io.uniserve.testsupport.TestingEc2Server.Instance;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The auto-scaler with provider {@code ec2} against a double of EC2 whose instances are real server processes. The double loses answers, is
 * throttled, has no capacity, lists late, stops a machine, and has one that never boots; a coordinator is killed while it launches. Bounds
 * of the number of servers, not loads, decide.
 */
class Ec2ScalingIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long SEED = 91;
    /** Lists that do not show a new instance: some seconds of the list period. */
    private static final int LATE_LISTS = 14;

    private static final String COORDINATOR = "coordinator-1";
    private static final String TABLE = "pairs";
    private static final String TOKEN_TAG = "uniserve-token";

    @TempDir
    private Path directory;

    private ProcessMachines machines;
    private TestingEc2Server ec2;
    private Ec2Faults faults;

    private Map<String, String> settings() {
        Map<String, String> all = FastScaler.settings("ec2");
        all.put(FastScaler.KEY + "template", "lt-0a1b2c3d:3");
        all.put(FastScaler.KEY + "ec2.endpoint", ec2.endpoint());
        all.put(FastScaler.KEY + "ec2.region", "us-east-1");
        all.put(FastScaler.KEY + "ec2.subnets", Ec2Faults.FIRST_SUBNET + "," + Ec2Faults.SECOND_SUBNET);
        all.put(FastScaler.KEY + "call-timeout", "2s");
        all.put(FastScaler.KEY + "launch-timeout", "15s");
        return all;
    }

    @Test
    void noMachineIsLaunchedTwiceOrForgottenWhileEc2Misbehaves() throws Exception {
        try (ProcessMachines host = new ProcessMachines(directory.resolve("machines"));
                TestingEc2Server service = new TestingEc2Server(host)) {
            machines = host;
            ec2 = service;
            faults = new Ec2Faults(service, SEED);
            service.faults(faults);
            service.hideNew(LATE_LISTS);
            Map<String, String> first = settings();
            first.putAll(FastScaler.bounds(2, 3));
            ProcessClusterOptions options = ProcessClusterOptions.of(directory, 0, "kv");
            try (ProcessCluster cluster = new ProcessCluster(options.with(first)
                    .with(options.java().with("-Daws.accessKeyId=testing").with("-Daws.secretAccessKey=testing")))) {
                cluster.startZooKeeper();
                machines.arguments(List.of(
                        "--zookeeper",
                        cluster.address("zookeeper").toString(),
                        "--cluster",
                        options.cluster(),
                        "--store",
                        directory.resolve("store").toString(),
                        "--engines",
                        "kv",
                        "-S",
                        "server.capacity.cpu-cores=64"));
                cluster.startCoordinator(COORDINATOR);
                scale(cluster);
            }
        }
    }

    private void scale(ProcessCluster cluster) throws Exception {
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster.address(COORDINATOR).toString())
                .connectTimeout(PATIENCE)
                .build()) {
            awaitJoined(client, 2);
            assertThatNoLaunchMadeTwo();
            client.admin().createTable(TableSpec.named(TABLE).port("kv").hash(8).replicas(2));
            try (CheckedLoad load = new CheckedLoad(client, TABLE)) {
                load.start(2);
                await().atMost(PATIENCE).until(() -> load.writes.get() > 100 && load.reads.get() > 100);
                launchAMachineThatNeverBoots(cluster);
                stopAMachine(client);
                awaitJoined(client, 3);
                restartCoordinator(cluster, FastScaler.bounds(1, 2));
                awaitJoined(client, 2);
                await("none is under way").atMost(PATIENCE).until(() -> isAtRest(record(client)));
                load.close();
                load.verifyAll();
                assertThat(load.wrong).isEmpty();
                assertThat(load.failed).isEmpty();
                assertThat(load.refusedUpdates).isEmpty();
            }
            assertThatNoneIsDoubleOrForgotten(record(client));
            assertThatTheDeadOneWasReplaced(record(client));
        }
        assertThat(faults.count("RunInstances", TestingEc2Server.LOST)).isPositive();
        for (String action : List.of("DescribeInstances", "RunInstances", "StartInstances", "TerminateInstances")) {
            assertThat(faults.count(action, TestingEc2Server.LOST) + faults.count(action, Ec2Faults.THROTTLED))
                    .as("faults of " + action)
                    .isPositive();
        }
    }

    private static void restartCoordinator(ProcessCluster cluster, Map<String, String> bounds) {
        cluster.daemon(COORDINATOR).kill();
        cluster.launchCoordinator(COORDINATOR, bounds);
        cluster.await(COORDINATOR);
    }

    /** Lets the coordinator launch a machine that never boots, and kills the coordinator once EC2 has the instance. */
    private void launchAMachineThatNeverBoots(ProcessCluster cluster) {
        machines.nextNeverBoots();
        restartCoordinator(cluster, FastScaler.bounds(3, 3));
        await("the launch").atMost(PATIENCE).until(() -> !machines.dead().isEmpty());
        restartCoordinator(cluster, FastScaler.bounds(3, 3));
    }

    /** Stops a machine as EC2 does by itself; the auto-scaler starts it again with its data. */
    private void stopAMachine(UniserveClient client) throws Exception {
        String id = machines.running().iterator().next();
        int before = machines.boots(id);
        ec2.stop(id);
        await("it boots again").atMost(PATIENCE).until(() -> machines.boots(id) == before + 1);
        await("it has registered and its replicas are back")
                .atMost(PATIENCE)
                .until(() -> client.admin().describeTable(TABLE).map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == 2));
    }

    private static ScalingRecord record(UniserveClient client) {
        return client.admin().scaling().record();
    }

    private static void awaitJoined(UniserveClient client, int servers) {
        await(servers + " servers")
                .atMost(PATIENCE)
                .until(() -> record(client).instances().stream()
                                .filter(instance -> instance.state() == State.JOINED)
                                .count()
                        == servers);
    }

    private static boolean isAtRest(ScalingRecord record) {
        return record.instances().stream().allMatch(one -> one.state() == State.JOINED || one.state() == State.ENDED);
    }

    private void assertThatNoLaunchMadeTwo() {
        assertThat(ec2.instances())
                .extracting(one -> one.tags().get(TOKEN_TAG))
                .as("tokens of all instances")
                .doesNotHaveDuplicates();
    }

    private void assertThatNoneIsDoubleOrForgotten(ScalingRecord record) {
        assertThatNoLaunchMadeTwo();
        Map<String, State> states =
                record.instances().stream().collect(Collectors.toMap(ScalingInstance::token, ScalingInstance::state));
        Set<String> living = new TreeSet<>();
        for (Instance one : ec2.instances()) {
            boolean ended = one.state().equals("terminated") || one.state().equals("shutting-down");
            assertThat(states)
                    .as(one.toString())
                    .containsEntry(one.tags().get(TOKEN_TAG), ended ? State.ENDED : State.JOINED);
            if (!ended) {
                living.add(one.id());
            }
        }
        assertThat(living).hasSize(2);
        assertThat(machines.running()).as("machines with a process").isEqualTo(living);
    }

    private void assertThatTheDeadOneWasReplaced(ScalingRecord record) {
        String token = machines.dead().stream()
                .map(id -> ec2.instance(id).tags().get(TOKEN_TAG))
                .collect(Collectors.joining());
        List<ScalingEvent> events = record.events();
        ScalingEvent failed = events.stream()
                .filter(event -> event.token().equals(token))
                .findFirst()
                .orElseThrow();
        assertThat(failed.effect()).startsWith("terminated: it did not join in 15 s");
        assertThat(record.find(token).orElseThrow().reason()).startsWith("it did not join in 15 s");
        assertThat(events.subList(events.indexOf(failed) + 1, events.size()))
                .anyMatch(
                        event -> event.action() == Action.ADD && event.effect().startsWith("joined"));
    }
}
