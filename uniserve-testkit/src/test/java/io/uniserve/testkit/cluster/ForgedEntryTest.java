package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Compared.Verdict;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Log entries that another sender sends to a server in the primary's name. They are rejected, or detected, and the replica is rebuilt. */
@Timeout(180)
class ForgedEntryTest {
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final int ROWS = 200;

    @Test
    void refusedWithoutAHashAndFoundWithOne(@TempDir Path directory) throws Exception {
        try (LocalCluster cluster = LocalCluster.builder()
                        .servers(2)
                        .engine(new KvEngine())
                        .directory(directory)
                        .start();
                ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN)) {
            cluster.client()
                    .admin()
                    .createTable(
                            TableSpec.named("t").port(KvEngine.NAME).hash(4).replicas(2));
            ClientTable table = cluster.client().table("t");
            put(table, "a");
            assertThat(forge(cluster, channels, false))
                    .containsOnly(Replicated.Status.NOT_READY)
                    .hasSize(4);
            put(table, "b");
            assertThat(forge(cluster, channels, true))
                    .containsOnly(Replicated.Status.OK)
                    .hasSize(4);
            put(table, "c");
            await().untilAsserted(() -> assertThat(quarantined(directory)).hasSize(4));
            await().until(() -> route(cluster).map().actors().stream()
                    .allMatch(
                            actor -> actor.isr().size() == 2 && actor.learners().isEmpty()));
            await().untilAsserted(() -> assertThat(IntStream.range(0, 4)
                            .mapToObj(actor -> cluster.client().admin().verifyActor("t", actor))
                            .toList())
                    .allMatch(compared -> compared.verdict() == Verdict.EQUAL
                            && compared.copies().size() == 2));
            for (int again = 0; again < 8; again++) {
                assertThat(count(table)).isEqualTo(3L * ROWS);
            }
        }
    }

    private static void put(ClientTable table, String prefix) {
        List<Map<String, Object>> rows = IntStream.range(0, ROWS)
                .mapToObj(n -> Map.<String, Object>of("id", prefix + n, "n", (long) n))
                .toList();
        table.updateDocuments("kv.put@1", rows).run().orThrow();
    }

    private static long count(ClientTable table) {
        return table.all()
                .retrieve(
                        COUNT,
                        "",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    private static TableRoute route(LocalCluster cluster) {
        return cluster.client().admin().describeTable("t");
    }

    private static List<Path> quarantined(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> {
                        Path parent = path.getParent();
                        return parent != null && parent.endsWith("quarantine");
                    })
                    .toList();
        }
    }

    /** Sends every follower an entry that its primary never wrote. Returns their answers. */
    private static List<Replicated.Status> forge(LocalCluster cluster, ChannelPool channels, boolean hashed)
            throws Exception {
        var status = cluster.client().admin().status();
        GrpcNetwork network =
                new GrpcNetwork(channels, ClusterIdentity.of(status.routing().clusterId()), Runnable::run);
        TableRoute table = route(cluster);
        List<Replicated.Status> answers = new java.util.ArrayList<>();
        for (ActorState actor : table.map().actors()) {
            ServerId follower = actor.isr().stream()
                    .filter(id -> !id.equals(actor.primary()))
                    .findFirst()
                    .orElseThrow();
            Address address = status.routing().servers().stream()
                    .filter(server -> server.id().equals(follower))
                    .map(ServerRecord::address)
                    .findFirst()
                    .orElseThrow();
            ReplicaKey key = new ReplicaKey(table.meta().tableId(), actor.actor());
            long last = status.loads().stream()
                    .filter(load -> load.server().equals(follower))
                    .flatMap(load -> load.replicas().stream())
                    .filter(replica -> replica.key().equals(key))
                    .findFirst()
                    .orElseThrow()
                    .lastIndex();
            long hash = RunningLogHash.UNKNOWN;
            if (hashed) { // the answer to a wrong one has the right one
                hash = send(network, address, key, actor, last, 1, List.of()).hash();
                send(network, address, key, actor, last, hash, List.of());
            }
            LogEntry forged = LogEntry.epoch(actor.epoch(), last + 1);
            answers.add(send(network, address, key, actor, last, hash, List.of(forged))
                    .status());
        }
        return answers;
    }

    private static Replicated send(
            GrpcNetwork network,
            Address to,
            ReplicaKey key,
            ActorState actor,
            long last,
            long hash,
            List<LogEntry> entries)
            throws Exception {
        CompletableFuture<Outcome<PeerReply>> reply = new CompletableFuture<>();
        network.call(
                to,
                new Replicate(
                        key,
                        actor.epoch(),
                        actor.primary(),
                        last,
                        actor.epoch(),
                        entries,
                        last,
                        0,
                        hash,
                        RunningLogHash.UNKNOWN),
                TimeUnit.SECONDS.toNanos(10),
                reply::complete);
        Outcome<PeerReply> outcome = Objects.requireNonNull(reply.get(20, TimeUnit.SECONDS));
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        return (Replicated) ((Outcome.Ok<PeerReply>) outcome).value();
    }
}
