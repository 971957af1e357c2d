package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stream of atomic updates over all actors while real processes are killed by SIGKILL: no reader sees a part of an update. */
class AtomicFaultsIT {
    private static final int SERVERS = 3;
    private static final int ACTORS = 6;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void theDriverDiesThenAllAtOnceAndNoUpdateIsTornOrLost(@TempDir Path directory) throws Exception {
        try (StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("zookeeper.session-timeout", "2s", "server.lease", "500ms")))) {
            UniserveClient client = started.client();
            client.admin()
                    .createTable(TableSpec.named("bank")
                            .port("kv")
                            .hash(ACTORS)
                            .replicas(2)
                            .level(ConsistencyLevel.FULLY_SERIALIZABLE));
            AtomicLoad load = new AtomicLoad(client, "bank");
            try (load) {
                load.start(2, 2);
                progress(load);
                // The primary of the first actor is the transaction manager of the clients' updates.
                String victim = started.primary("bank", 0);
                started.processes().daemon(victim).kill();
                progress(load);
                started.processes().startServer(victim);
                progress(load);
            }
            load.verify(client, "bank");
            killAll(started);
            load.verify(started.client(), "bank");
            assertThat(load.wrong).isEmpty();
            assertThat(load.failed).as("failed updates and reads").isEmpty();
        }
    }

    private static void progress(AtomicLoad load) {
        long acked = load.acked.get();
        long reads = load.reads.get();
        await().atMost(PATIENCE)
                .until(() -> load.acked.get() > acked + 30 && load.reads.get() > reads + 30 || !load.wrong.isEmpty());
    }

    private static void killAll(StartedCluster started) {
        started.client().close();
        ProcessCluster processes = started.processes();
        processes.daemons().values().forEach(DaemonProcess::kill);
        processes.startZooKeeper();
        processes.startCoordinator("coordinator-1");
        for (int i = 1; i <= SERVERS; i++) {
            processes.launchServer("server-" + i);
        }
        for (int i = 1; i <= SERVERS; i++) {
            processes.await("server-" + i);
        }
        started.reconnect();
    }
}
