package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.config.Cluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.IdentityRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Servers that connect to a registry or durable storage of another cluster. */
class ClusterIdentityTest {
    private static final String OTHER = "5a2b7c10-93de-4f61-8a02-6c4d1e9f7b35";

    private final Cluster cluster = new Cluster(2);

    private String identity() {
        return cluster.store.children(RegistryPaths.IDENTITY).get(0);
    }

    private void fill() {
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.converge(0, 2);
        cluster.loop.run(5 * SECOND);
    }

    /** Registry of another cluster of the same name, without a table. */
    private static TestingStore other() {
        TestingStore store = new TestingStore();
        store.multi(
                "x",
                List.of(
                        new Op.Create(RegistryPaths.CLUSTER, new ClusterRecord("test", 1), false),
                        new Op.Create(RegistryPaths.identity(OTHER), new IdentityRecord("test", OTHER), false)));
        return store;
    }

    /** Replaces the registry by another one, in which no session exists. */
    private void replace(TestingStore store) {
        cluster.store.replace(store);
        cluster.coordinatorRegistry.expire();
        cluster.servers.values().stream()
                .filter(Host::up)
                .forEach(host -> host.registry().expire());
    }

    private Map<String, List<String>> files() {
        TreeMap<String, List<String>> files = new TreeMap<>();
        cluster.servers.forEach((name, host) -> files.put(
                name,
                host.disk.files("").stream()
                        .filter(file -> file.startsWith("t"))
                        .toList()));
        return files;
    }

    private void leaves(Host host, String identity, String... reasons) {
        assertThat(host.fatal).singleElement().asString().contains("WRONG_CLUSTER", identity, "zookeeper.connect");
        assertThat(host.fatal).singleElement().asString().contains(reasons);
        assertThat(host.machine().missingConditions())
                .singleElement()
                .asString()
                .contains("left service", identity);
        List<Outcome<PeerReply>> answer = new ArrayList<>();
        host.machine().onPeer(new PeerRequest.ReportLoad(), answer::add);
        cluster.loop.run(SECOND);
        assertThat(answer).singleElement().asString().contains("WRONG_CLUSTER", identity);
    }

    @Test
    void anEmptyRegistryInPlaceOfTheFirstEndsServiceAndChangesNothing() {
        fill();
        String identity = identity();
        Map<String, List<String>> before = files();
        List<String> objects = cluster.objects.keys("");
        replace(new TestingStore());
        cluster.loop.run(60 * SECOND);
        cluster.servers.values().forEach(host -> leaves(host, identity, "has no identity"));
        assertThat(cluster.store.children("")).as("not written").isEmpty();
        assertThat(files()).isEqualTo(before);
        assertThat(cluster.objects.keys("")).isEqualTo(objects);
        assertThat(cluster.server("s1").serving(new ReplicaKey(1, 0))).isFalse();
    }

    @Test
    void anotherClustersRegistryInPlaceOfTheFirstEndsServiceAndChangesNothing() {
        fill();
        String identity = identity();
        Map<String, List<String>> before = files();
        replace(other());
        cluster.loop.run(60 * SECOND);
        cluster.servers.values().forEach(host -> leaves(host, identity, OTHER));
        assertThat(cluster.store.children(RegistryPaths.SERVERS)).isEmpty();
        assertThat(cluster.store.children("")).containsExactly("cluster", "identity");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aRegistryThatIsEmptiedUnderTheSameSessionEndsServiceAndChangesNothing() {
        fill();
        String identity = identity();
        Map<String, List<String>> before = files();
        cluster.store.replace(new TestingStore());
        cluster.loop.run(60 * SECOND);
        cluster.servers.values().forEach(host -> leaves(host, identity, "has no identity"));
        assertThat(cluster.store.children("")).as("not written").isEmpty();
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aServerStartedOnceWithAnotherRegistryKeepsEverything() {
        fill();
        String identity = identity();
        Map<String, List<String>> before = files();
        Host host = cluster.server("s1");
        host.kill();
        TestingStore other = other();
        host.start(other);
        cluster.loop.run(30 * SECOND);
        assertThat(host.fatal)
                .singleElement()
                .asString()
                .contains("WRONG_CLUSTER", identity, OTHER, "server s1 at s1:8000", "Nothing was changed");
        assertThat(files().get("s1")).isEqualTo(before.get("s1"));
        assertThat(other.children("")).containsExactly("cluster", "identity");
        host.kill();
        host.fatal.clear();
        host.start();
        cluster.converge(0, 2);
        assertThat(host.fatal).isEmpty();
        assertThat(host.engine().rows(cluster.key(0))).containsExactly("2=a");
    }

    @Test
    void aServerWaitsForTheFirstRegistryAndKeepsItsIdentity() {
        Cluster fresh = new Cluster(0);
        TestingStore begun = fresh.store.copy();
        String identity = begun.children(RegistryPaths.IDENTITY).get(0);
        fresh.coordinator.stop();
        fresh.store.replace(new TestingStore());
        Host host = fresh.server("s1");
        host.start();
        fresh.loop.run(20 * SECOND);
        assertThat(host.fatal).isEmpty();
        assertThat(fresh.store.children("")).isEmpty();
        assertThat(host.machine().missingConditions()).isNotEmpty();
        assertThat(host.disk.files("")).isEmpty();
        fresh.store.replace(begun);
        fresh.loop.run(5 * SECOND);
        assertThat(fresh.store.children(RegistryPaths.SERVERS)).containsExactly("s1");
        assertThat(new String(host.disk.bytes("cluster-identity"), StandardCharsets.UTF_8))
                .contains("cluster=test\n", "identity=" + identity + "\n");
    }

    @Test
    void replicasOfAnEarlierVersionJoinTheirOwnRegistryAndNoOther() {
        fill();
        Host host = cluster.server("s1");
        host.kill();
        host.disk.wipe("cluster-identity");
        host.start();
        cluster.converge(0, 2);
        assertThat(host.fatal).isEmpty();
        assertThat(host.disk.files("")).contains("cluster-identity");

        host.kill();
        host.disk.wipe("cluster-identity");
        Map<String, List<String>> before = files();
        host.start(other());
        cluster.loop.run(30 * SECOND);
        assertThat(host.fatal)
                .singleElement()
                .asString()
                .contains("WRONG_CLUSTER", OTHER, "no table there has the number of t1-a0, t1-a1");
        assertThat(files().get("s1")).isEqualTo(before.get("s1"));
        assertThat(host.disk.files("")).doesNotContain("cluster-identity");
    }

    @Test
    void storageOfAnotherIdentityIsRefusedUntilItIsTakenOver() {
        fill();
        String identity = identity();
        cluster.await(() -> !cluster.objects.keys("backup/test/1/").isEmpty(), 20);
        cluster.servers.values().forEach(Host::kill);
        replace(other());
        List<String> objects = cluster.objects.keys("");
        Host fresh = cluster.server("s9");
        fresh.start();
        cluster.loop.run(30 * SECOND);
        assertThat(fresh.fatal)
                .singleElement()
                .asString()
                .contains("WRONG_CLUSTER", identity, OTHER, "--take-over-store", "server s9 at s9:8000");
        assertThat(cluster.objects.keys("")).isEqualTo(objects);
        assertThat(cluster.store.children(RegistryPaths.SERVERS)).isEmpty();

        cluster.objects.remove("owner/test");
        objects = cluster.objects.keys("");
        Host unowned = cluster.server("s8");
        unowned.start();
        cluster.loop.run(30 * SECOND);
        assertThat(unowned.fatal).singleElement().asString().contains("no owner, but objects of table 1", OTHER);
        assertThat(cluster.objects.keys("")).isEqualTo(objects);

        cluster.takeOverStore = true;
        Host next = cluster.server("s7");
        next.start();
        cluster.loop.run(5 * SECOND);
        assertThat(next.fatal).isEmpty();
        assertThat(cluster.objects.text("owner/test")).contains(OTHER);
        assertThat(cluster.store.children(RegistryPaths.SERVERS)).containsExactly("s7");
        cluster.takeOverStore = false;
        Host last = cluster.server("s6");
        last.start();
        cluster.loop.run(5 * SECOND);
        assertThat(last.fatal).isEmpty();
    }

    @Test
    void storageOfAnEarlierVersionIsClaimedByTheClusterThatMadeIt() {
        fill();
        cluster.await(() -> !cluster.objects.keys("backup/test/1/").isEmpty(), 20);
        cluster.objects.remove("owner/test");
        Host host = cluster.server("s1");
        host.kill();
        host.start();
        cluster.converge(0, 2);
        assertThat(host.fatal).isEmpty();
        assertThat(cluster.objects.text("owner/test")).contains(identity());
    }

    @Test
    void storageThatIsAwayDoesNotHoldAStartUpAndIsCheckedWhenItIsBack() {
        fill();
        Host host = cluster.server("s1");
        host.kill();
        cluster.objects.down(true);
        host.start();
        cluster.converge(0, 2);
        cluster.objects.down(false);
        cluster.objects.remove("owner/test");
        cluster.await(() -> cluster.objects.keys("owner/").contains("owner/test"), 10);
        assertThat(host.fatal).isEmpty();
    }
}
