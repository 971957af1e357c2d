package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.uniserve.cli.TestingConsole;
import io.uniserve.client.TableSpec;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testsupport.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole cluster with durable storage in a bucket is lost, while the bucket's server is killed and restarted; new machines start from it. */
@Timeout(300)
class S3ColdStartIT {
    private static final int BATCHES = 10;

    @TempDir
    Path directory;

    private StartedCluster start(VersityGateway gateway, String name, boolean takesOver) throws IOException {
        Map<String, String> settings = new TreeMap<>(Map.of(
                "storage.location",
                "s3://backups/search?" + gateway.locationOptions(),
                "server.log-shipping",
                "200ms",
                "server.checkpoint-entries",
                "20"));
        if (takesOver) {
            settings.put("storage.take-over", "true");
        }
        ProcessClusterOptions options =
                ProcessClusterOptions.of(Files.createDirectories(directory.resolve(name)), 2, "kv");
        return StartedCluster.start(options.with(settings)
                .with(options.java()
                        .with("-Daws.accessKeyId=" + VersityGateway.ACCESS_KEY)
                        .with("-Daws.secretAccessKey=" + VersityGateway.SECRET_KEY)));
    }

    @Test
    void newMachinesServeWhatTheBucketHas() throws IOException {
        Optional<Path> program = VersityGateway.program();
        assumeThat(program).as(VersityGateway.ABSENT).isPresent();
        try (VersityGateway gateway = new VersityGateway(program.get(), directory, "backups")) {
            loseAll(gateway);
            startAgain(gateway);
        }
    }

    private void loseAll(VersityGateway gateway) throws IOException {
        try (StartedCluster lost = start(gateway, "first", false)) {
            TableSpec remote =
                    TableSpec.named("d").port("kv").hash(2).replicas(2).durability(Durability.REMOTE);
            lost.client().admin().createTable(remote);
            lost.client()
                    .admin()
                    .createTable(TableSpec.named("e")
                            .port("kv")
                            .hash(2)
                            .replicas(2)
                            .level(ConsistencyLevel.SERIALIZABLE)
                            .durability(Durability.REMOTE));
            ColdStartIT.write(lost.client(), "d", 0, BATCHES);
            gateway.killAndRestart();
            ColdStartIT.write(lost.client(), "d", BATCHES, 2 * BATCHES);
            ColdStartIT.write(lost.client(), "e", 0, BATCHES); // acknowledged immediately before the loss
            lost.processes().daemons().values().forEach(DaemonProcess::kill);
        }
    }

    private void startAgain(VersityGateway gateway) throws IOException {
        try (StartedCluster fresh = start(gateway, "second", true)) {
            TestingConsole.Run restored = ColdStartIT.run(fresh, "restore", "--all");
            assertThat(restored.err()).doesNotContain("uniserve:");
            assertThat(ColdStartIT.count(fresh.client(), "d")).isEqualTo(2L * BATCHES * ColdStartIT.ROWS);
            assertThat(ColdStartIT.count(fresh.client(), "e")).isEqualTo((long) BATCHES * ColdStartIT.ROWS);
            ColdStartIT.write(fresh.client(), "d", 2 * BATCHES, 2 * BATCHES + 1);
            assertThat(ColdStartIT.count(fresh.client(), "d")).isEqualTo((2L * BATCHES + 1) * ColdStartIT.ROWS);
        }
    }
}
