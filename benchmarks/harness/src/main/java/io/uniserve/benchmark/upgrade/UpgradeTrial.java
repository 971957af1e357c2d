package io.uniserve.benchmark.upgrade;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Upgrade of a cluster process by process, as the manual prescribes it: coordinators, the leader last; then servers. One server goes back to
 * the old distribution and forward again on the way. A client of each distribution writes and reads all the time. Not thread-safe.
 */
final class UpgradeTrial {
    static final int REPLICAS = 2;

    private static final int ACTORS = 4;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final UnpackedRelease older;
    private final UnpackedRelease newer;
    private final Path directory;
    private final LongSupplier nanos;
    private final Consumer<String> output;

    UpgradeTrial(
            UnpackedRelease older, UnpackedRelease newer, Path directory, LongSupplier nanos, Consumer<String> output) {
        this.older = older;
        this.newer = newer;
        this.directory = directory;
        this.nanos = nanos;
        this.output = output;
    }

    /** Runs the trial with this time limit of drains. Returns the sums of the figures of both clients, by name. */
    Map<String, Long> run(Duration drain, boolean back) throws IOException {
        Path stop = directory.resolve("stop");
        try (UpgradeCluster cluster = new UpgradeCluster(directory, drain, nanos)) {
            cluster.start(older);
            output.accept("cluster of the old distribution serves");
            try (UniserveClient client = connect(cluster)) {
                createTables(client);
                cluster.settle(client);
                DaemonProcess oldLoad = cluster.startLoad(older, stop);
                DaemonProcess newLoad = cluster.startLoad(newer, stop);
                upgrade(cluster, client, back);
                Files.createFile(stop);
                Map<String, Long> sums = new LinkedHashMap<>();
                add(oldLoad, UpgradeLoad.result(stop, older.label()), sums);
                add(newLoad, UpgradeLoad.result(stop, newer.label()), sums);
                return sums;
            }
        }
    }

    private static UniserveClient connect(UpgradeCluster cluster) {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().split(","))
                .deadline(DEADLINE)
                .connectTimeout(DEADLINE)
                .build();
    }

    private static void createTables(UniserveClient client) {
        TableSpec spec =
                TableSpec.named(UpgradeLoad.EVENTUAL).port("kv").hash(ACTORS).replicas(REPLICAS);
        client.admin().createTable(spec);
        client.admin()
                .createTable(TableSpec.named(UpgradeLoad.ATOMIC)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(REPLICAS)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    private void upgrade(UpgradeCluster cluster, UniserveClient client, boolean back) {
        String leader = cluster.leader(client);
        List<String> order = new ArrayList<>(UpgradeCluster.coordinators());
        order.remove(leader);
        order.add(leader);
        for (String name : order) {
            restart(cluster, client, newer, name);
        }
        List<String> servers = UpgradeCluster.servers();
        for (int i = 0; i < servers.size(); i++) {
            if (back && i == servers.size() - 1) {
                restart(cluster, client, older, servers.get(i - 1));
                restart(cluster, client, newer, servers.get(i - 1));
            }
            restart(cluster, client, newer, servers.get(i));
        }
    }

    private void restart(UpgradeCluster cluster, UniserveClient client, UnpackedRelease distribution, String name) {
        output.accept(name + " restarts from the " + distribution.label() + " distribution");
        long start = nanos.getAsLong();
        cluster.restart(distribution, name);
        cluster.settle(client);
        output.accept(
                name + " serves, all replicas are in sync after " + (nanos.getAsLong() - start) / 1_000_000 + " ms");
    }

    private void add(DaemonProcess load, Path result, Map<String, Long> sums) throws IOException {
        load.awaitExit();
        output.accept(load.name() + " ended:\n" + load.tail());
        if (!Files.exists(result)) {
            throw new UniserveException(ErrorCode.INTERNAL, load.name() + " ended without figures:\n" + load.tail());
        }
        for (String word : Files.readString(result).split(" ")) {
            int sign = word.indexOf('=');
            sums.merge(word.substring(0, sign), Long.parseLong(word.substring(sign + 1)), Long::sum);
        }
    }
}
