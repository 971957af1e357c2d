package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage to the files of a killed server: after its restart it reports the damage, every answer is correct meanwhile, and in the end all
 * replicas are complete.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DamagedFilesIT {
    private static final int SERVERS = 2;
    private static final int ROWS = 400;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private StartedCluster started;

    @BeforeAll
    void start(@TempDir Path directory) {
        started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of(
                        "server.checkpoint-entries",
                        "30",
                        "coordinator.loss-grace",
                        "2s",
                        "zookeeper.session-timeout",
                        "3s",
                        "server.lease",
                        "1s"))
                .withFastStart());
        UniserveClient client = client();
        client.admin().createTable(TableSpec.named("copies").port("kv").hash(4).replicas(2));
        client.admin()
                .createTable(
                        TableSpec.named("load").port("kv").hash(4).replicas(2).keyField("key"));
        client.admin().createTable(TableSpec.named("sole").port("kv").hash(4).onLoss(OnLoss.RESTORE_ACTOR));
        // Many small updates, so that there are checkpoints and logs with many entries.
        for (int from = 0; from < ROWS; from += 10) {
            put("copies", from);
            put("sole", from);
        }
    }

    private void put(String table, int from) {
        client().table(table)
                .updateDocuments(
                        "kv.put@1",
                        IntStream.range(from, from + 10)
                                .mapToObj(n -> Map.of("id", "k" + n, "n", (long) n))
                                .toList())
                .run()
                .orThrow();
    }

    @AfterAll
    void stop() {
        started.close();
    }

    private ProcessCluster cluster() {
        return started.processes();
    }

    private UniserveClient client() {
        return started.client();
    }

    @Test
    @Order(1)
    void aBitIsFlippedInTheMiddleOfTheLogs() throws Exception {
        String said = damaged("server-1", "/log/", file -> flip(file, size(file) / 2));
        assertThat(said).contains("cannot be opened: CORRUPT", "checksum is wrong");
        assertThat(files("server-1", "quarantine")).isNotEmpty();
    }

    @Test
    @Order(2)
    void theEndOfTheLogsIsMissing() throws Exception {
        String said = damaged("server-2", "/log/", file -> cut(file, size(file) - 5));
        assertThat(said).as("synced long ago, so no torn write").contains("cannot be opened: CORRUPT");
    }

    @Test
    @Order(3)
    void halfOfTheLogsIsMissing() throws Exception {
        damaged("server-1", "/log/", file -> cut(file, size(file) / 2));
    }

    @Test
    @Order(4)
    void aBitIsFlippedInEachFileOfTheCheckpoints() throws Exception {
        String said = damaged("server-2", "/checkpoint/", file -> flip(file, size(file) / 2));
        assertThat(said).contains("cannot be restored");
    }

    @Test
    @Order(5)
    void theCheckpointsAreTruncated() throws Exception {
        String said = damaged("server-1", "/checkpoint/", file -> cut(file, size(file) / 2));
        assertThat(said).contains("cannot be restored");
    }

    @Test
    @Order(6)
    void aBitIsFlippedInEachObjectOfTheBackup() throws Exception {
        ServerId dead = holderOfSole();
        String server = started.daemon(dead);
        String other = other(server);
        List<Path> objects = backup("sole", dead);
        int before = log(other).length();
        cluster().daemon(server).kill();
        flipped(objects, () -> {
            await().atMost(PATIENCE).until(() -> log(other).substring(before).contains("cannot be restored: CORRUPT"));
            assertThatThrownBy(() -> client().query("sole", "count", Duration.ofSeconds(3)))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED));
            assertThat(count("copies")).isEqualTo("{\"count\":" + ROWS + "}");
        });
        // Repaired, e.g. from a copy elsewhere, the same objects are usable.
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UniserveException.class)
                .until(() -> count("sole").equals("{\"count\":" + ROWS + "}"));
        cluster().startServer(server);
        allCopiesAreWhole();
    }

    @Test
    @Order(7)
    void theServerComesBackWhileItsActorsCannotBeTakenOverFromADamagedBackup() throws Exception {
        ServerId dead = holderOfSole();
        String server = started.daemon(dead);
        String other = other(server);
        List<Path> objects = backup("sole", dead);
        int before = log(other).length();
        cluster().daemon(server).kill();
        flipped(objects, () -> {
            await().atMost(PATIENCE).until(() -> log(other).substring(before).contains("cannot be restored: CORRUPT"));
            assertThatThrownBy(() -> client().query("sole", "count", Duration.ofSeconds(3)))
                    .isInstanceOf(UniserveException.class);
            cluster().startServer(server);
            // Its files are intact, so they are preferred to the backup.
            allCopiesAreWhole();
        });
    }

    /** Runs work while each object has a flipped bit. */
    private static void flipped(List<Path> objects, Runnable meanwhile) {
        assertThat(objects).isNotEmpty();
        objects.forEach(file -> flip(file, size(file) / 2));
        try {
            meanwhile.run();
        } finally {
            objects.forEach(file -> flip(file, size(file) / 2));
        }
    }

    /** Returns a server that has an actor of {@code sole}, after all replicas are in sync: tests must not depend on a particular one. */
    private ServerId holderOfSole() {
        allCopiesAreWhole();
        return route("sole").map().actors().get(0).primary();
    }

    private String other(String server) {
        return cluster().daemons().keySet().stream()
                .filter(name -> name.startsWith("server-") && !name.equals(server))
                .findAny()
                .orElseThrow();
    }

    private interface Damage {
        void to(Path file);
    }

    /** Kills the server under load, damages all its files of this kind and restarts it. Returns its log from then on. */
    private String damaged(String server, String kind, Damage damage) throws Exception {
        allCopiesAreWhole();
        try (CheckedLoad load = new CheckedLoad(client(), "load")) {
            load.start(2);
            await().atMost(PATIENCE).until(() -> load.writes.get() > 300 && load.reads.get() > 300);
            cluster().daemon(server).kill();
            List<Path> files = files(server, kind);
            assertThat(files).isNotEmpty();
            // An only replica has no other to be rebuilt from: its table is for the backup test.
            String sole = "/t" + route("sole").meta().tableId() + "-";
            files.stream().filter(file -> !file.toString().contains(sole)).forEach(damage::to);
            int before = log(server).length();
            cluster().startServer(server);
            allCopiesAreWhole();
            load.close();
            load.verifyAll();
            assertThat(load.wrong).isEmpty();
            assertThat(load.failed).isEmpty();
            return log(server).substring(before);
        }
    }

    private void allCopiesAreWhole() {
        await().atMost(PATIENCE)
                .until(() -> client().routing().servers().size() == SERVERS
                        && client().routing().tables().stream().allMatch(DamagedFilesIT::whole));
        for (String table : List.of("copies", "sole")) {
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(UniserveException.class)
                    .untilAsserted(() -> assertThat(count(table)).isEqualTo("{\"count\":" + ROWS + "}"));
            assertThat(client().query(table, "sum n").body().utf8())
                    .isEqualTo("{\"sum\":" + ROWS * (ROWS - 1L) / 2 + "}");
        }
        await("what a sole copy has is in durable storage").atMost(PATIENCE).until(this::soleIsShipped);
    }

    /** True if the primary of each actor of {@code sole} reports that durable storage has its whole log. */
    private boolean soleIsShipped() {
        TableRoute sole = route("sole");
        List<ReplicaLoad> loads = client().admin().status().loads().stream()
                .flatMap(load -> load.replicas().stream())
                .toList();
        return sole.map().actors().stream()
                .allMatch(actor -> loads.stream()
                        .anyMatch(load ->
                                load.key().equals(new ReplicaKey(sole.meta().tableId(), actor.actor()))
                                        && load.epoch() == actor.epoch()
                                        && load.role().equals(ReplicaLoad.PRIMARY)
                                        && load.backupIndex() >= load.lastIndex()));
    }

    private static boolean whole(TableRoute route) {
        return route.map().actors().stream()
                .allMatch(actor -> actor.isr().size() == route.meta().rf());
    }

    private TableRoute route(String table) {
        return client().admin().describeTable(table);
    }

    private String count(String table) {
        return client().query(table, "count", Duration.ofSeconds(5)).body().utf8();
    }

    private String log(String server) {
        return started.log(server);
    }

    /** Returns the objects in durable storage of the table's actors whose primary is on this server. */
    private List<Path> backup(String table, ServerId primary) {
        TableRoute route = route(table);
        return route.map().actors().stream()
                .filter(actor -> actor.primary().equals(primary))
                .flatMap(actor -> files("store", "/" + route.meta().tableId() + "/" + actor.actor() + "/").stream())
                .toList();
    }

    private List<Path> files(String directory, String part) {
        return started.files(directory, part);
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    private static void flip(Path file, long at) {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int old = open.read();
            open.seek(at);
            open.write(old ^ 0x10);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void cut(Path file, long size) {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(Math.max(0, size));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
