package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.StaleRouteReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Scenario: a server is stopped and continued while updates run on other servers. Reads by the old map are sent to it while it is stopped;
 * they wait for it to continue. Afterwards reads are sent by the old and the new map. A client that knows only this server reads, too.
 */
final class StopServerScenario {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long AWAKE_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int AWAKE_SECONDS = 5;
    private static final long REPLY_TIMEOUT_MS = 180_000;

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final ScenarioTables scenarioTables;
    private final List<PendingRead> pendingReads = new ArrayList<>();
    private final List<UniserveClient> openClients = new ArrayList<>();

    /** Read that was sent to the server: its answer must show at least {@code least}. */
    private record PendingRead(
            String phase, long startNanos, String key, long valueMin, CompletableFuture<Outcome<ReadReply>> reply) {}

    StopServerScenario(ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int times, int seconds) {
        String table = "stopped";
        try (RowWorkload load = scenarioTables.createTable(table, 2)) {
            load.write().read(cluster.client().table(table));
            scenarioTables.awaitUpdates(load);
            for (int time = 0; time < times; time++) {
                stop(table, load, seconds);
                cluster.settle(table);
            }
            load.close();
            checkReplies();
            load.report("stopped", resultCollector);
            scenarioTables.compareAndDrop(table, load, "stopped");
        } finally {
            openClients.forEach(UniserveClient::close);
        }
    }

    private void stop(String table, RowWorkload load, int seconds) {
        ServerId victim = cluster.busiest(table);
        DaemonProcess daemon = cluster.daemon(victim);
        Address address = cluster.processes().address(daemon.name());
        TableRoute old = cluster.route(table);
        List<String> keys = old.map().actors().stream()
                .filter(actor -> actor.primary().equals(victim))
                .map(ActorState::actor)
                .map(actor -> load.keys(actor).get(0))
                .toList();
        ProgressBar progress = resultCollector.progress("a server is stopped", seconds);
        UniserveClient attached = FailingCluster.connect(List.of(address.toString()));
        openClients.add(attached);
        load.read(attached.table(table));
        try (StaleRouteReader direct =
                new StaleRouteReader(cluster.client().routing().clusterId())) {
            long at = resultCollector.nanos().getAsLong();
            daemon.pause();
            try {
                while (resultCollector.secondsSince(at) < seconds) {
                    sendReads(direct, address, old, keys, load, "asleep");
                    progress.update((long) resultCollector.secondsSince(at), "");
                    LockSupport.parkNanos(PERIOD_NANOS);
                }
            } finally {
                daemon.resume();
            }
            progress.finish();
            long awake = resultCollector.nanos().getAsLong();
            while (resultCollector.secondsSince(awake) < Math.min(seconds, AWAKE_SECONDS)) {
                sendReads(direct, address, old, keys, load, "awake, old map");
                sendReads(direct, address, cluster.route(table), keys, load, "awake, new map");
                LockSupport.parkNanos(AWAKE_PERIOD_NANOS);
            }
            ConditionWaiter.await(
                    resultCollector.nanos(),
                    REPLY_TIMEOUT_MS,
                    () -> pendingReads.stream().allMatch(read -> read.reply().isDone()));
        }
    }

    private void sendReads(
            StaleRouteReader direct,
            Address address,
            TableRoute route,
            List<String> keys,
            RowWorkload load,
            String when) {
        String key = keys.get(pendingReads.size() % keys.size());
        long least = load.lastAcknowledged(key);
        int actor = route.meta().partitioner().actorOf(PartitionKey.of(key));
        long start = resultCollector.nanos().getAsLong();
        pendingReads.add(new PendingRead(when, start, key, least, direct.get(address, route, actor, key)));
    }

    private void checkReplies() {
        int answered = 0;
        int stale = 0;
        int open = 0;
        for (PendingRead read : pendingReads) {
            boolean done = read.reply().isDone();
            long got = done
                    ? RowWorkload.numberOf(
                            StaleRouteReader.documents(read.reply().join()))
                    : -1;
            answered += got >= 0 ? 1 : 0;
            stale += got >= 0 && got < read.valueMin() ? 1 : 0;
            open += done ? 0 : 1;
            resultCollector.raw("direct", "stopped", read.phase(), read.startNanos(), read.key(), read.valueMin(), got);
        }
        resultCollector.atMost("stopped: stale answers of the server that woke", stale, 0);
        resultCollector.print(
                "%d reads sent to it while it was stopped, %d just after; %d answered, %d refused, %d without a reply",
                pendingReads.stream()
                        .filter(read -> read.phase().equals("asleep"))
                        .count(),
                pendingReads.stream()
                        .filter(read -> !read.phase().equals("asleep"))
                        .count(),
                answered,
                pendingReads.size() - answered - open,
                open);
    }
}
