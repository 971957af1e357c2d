package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Old versions of an actor, read by their numbers from a real server. Those that fit into the budget for states answer as when they were
 * the newest. Others fail with VERSION_GONE, and their memory is available for later ones.
 */
@Tag("full")
@Timeout(180)
class SnapshotBudgetIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final long GONE = -1;
    private static final int PAD_CHARS = 20_000;
    private static final int LARGE_IN_BUDGET = 3;
    /** Weight of a changed byte, and the number of actors that share the budget. */
    private static final int CHANGE_FACTOR = 8;

    private static final int ACTORS = 1;

    @TempDir
    Path directory;

    private LocalCluster cluster;
    private UniserveClient client;
    private GrpcClientNetwork network;
    private ChannelPool channels;
    private String port = "";
    private final NavigableMap<Long, Long> numberOf = new TreeMap<>();
    private long number;

    @BeforeEach
    void start() {
        cluster = LocalCluster.builder()
                .servers(1)
                .port(PortLoader.load(PORTS.resolve("solr"), "solr"))
                .port(PortLoader.load(PORTS.resolve("kv"), "kv"))
                .directory(directory)
                .setting("server.stop-grace", "0s")
                .start();
        client = cluster.client();
        channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
        network = new GrpcClientNetwork(
                channels, ClusterIdentity.of(client.routing().clusterId()), Runnable::run);
    }

    @AfterEach
    void stop() {
        channels.close();
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv", "solr"})
    void versionsBeyondTheBudgetAreGoneAndNoAnswerIsWrong(String engine) {
        port = engine;
        client.admin()
                .createTable(TableSpec.named("t")
                        .port(port)
                        .hash(ACTORS)
                        .replicas(1)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
        for (int i = 0; i < 20; i++) {
            update(0);
        }
        long firstLarge = numberOf.lastKey() + 1;
        assertThat(kept()).as("20 small ones").isEqualTo(20);

        long budget = Limits.SNAPSHOT_HEAP_PERMILLE * (Runtime.getRuntime().maxMemory() / 1_000) / ACTORS;
        int rows = (int) (budget / CHANGE_FACTOR / LARGE_IN_BUDGET / PAD_CHARS);
        for (int i = 0; i < 2 * LARGE_IN_BUDGET; i++) {
            update(rows);
        }
        assertThat(kept()).as("large ones, and the newest").isBetween(2, LARGE_IN_BUDGET + 1);
        assertThat(read(firstLarge - 1)).isEqualTo(GONE);

        for (int i = 0; i < Limits.SNAPSHOTS_PER_ACTOR_MAX; i++) {
            update(0);
        }
        assertThat(kept()).as("small ones again").isEqualTo(Limits.SNAPSHOTS_PER_ACTOR_MAX);
    }

    /** Gives one row the next number, and this many others new content; records the version. */
    private void update(int padded) {
        number++;
        List<Document> rows = new ArrayList<>();
        rows.add(new Document("id", Map.of("id", "x", "n_i", number)));
        for (int i = 0; i < padded; i++) {
            rows.add(new Document("id", Map.of("id", "p" + i, "pad_s", number + "x".repeat(PAD_CHARS))));
        }
        String function = port.equals("kv") ? "kv.put@1" : "solr.add@1";
        client.table("t").update(function, Document.CODEC, rows).run().orThrow();
        VersionedRead.Part newest = ask(0).parts().get(0);
        assertThat(number(newest.value())).isEqualTo(number);
        numberOf.put(newest.completeVersion(), number);
    }

    /** Number of versions that still answer: the newest ones, each with its number. */
    private int kept() {
        int kept = 0;
        boolean gone = false;
        for (Map.Entry<Long, Long> known : numberOf.descendingMap().entrySet()) {
            long answer = read(known.getKey());
            gone |= answer == GONE;
            assertThat(answer).as("version %s", known.getKey()).isEqualTo(gone ? GONE : known.getValue());
            kept += gone ? 0 : 1;
        }
        return kept;
    }

    /** Returns the number at the version, or GONE. */
    private long read(long version) {
        VersionedRead.Reply reply = ask(version);
        if (reply.parts().isEmpty()) {
            assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.VERSION_GONE);
            return GONE;
        }
        assertThat(reply.parts().get(0).completeVersion()).isEqualTo(version);
        return number(reply.parts().get(0).value());
    }

    private VersionedRead.Reply ask(long version) {
        TableRoute route = client.admin().describeTable("t");
        Address server = client.routing().servers().get(0).address();
        VersionedRead request = new VersionedRead(
                route.meta().name(),
                route.meta().tableId(),
                List.of(new VersionedRead.Target(0, route.map().actors().get(0).epoch())),
                port.equals("kv") ? "kv.get@1" : "solr.query@1",
                Codecs.STRING.encode(port.equals("kv") ? "x" : "q=id:x&fl=n_i"),
                version,
                30_000_000_000L);
        CompletableFuture<Outcome<VersionedRead.Reply>> reply = new CompletableFuture<>();
        var unused = network.read(server, request, reply::complete);
        if (reply.join() instanceof Outcome.Ok<VersionedRead.Reply> ok) {
            return ok.value();
        }
        throw new AssertionError(((Outcome.Err<VersionedRead.Reply>) reply.join()).error());
    }

    private long number(Bytes value) {
        if (port.equals("kv")) {
            Document row = Codecs.list(Document.CODEC).decode(value).get(0);
            return (long) Objects.requireNonNull(row.fields().get("n_i"));
        }
        String json = WholeQueryOperator.call("solr.query@1")
                .values()
                .decode(value)
                .body()
                .utf8();
        try {
            return JSON.readTree(json).at("/response/docs/0/n_i").longValue();
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }
}
