package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.config.Cluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupName;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Registry or durable storage that are replaced by those of another cluster while processes run. */
class RunningIdentityTest {
    private static final String OTHER = "c4a87e15-2b9d-4d30-b6f1-7e0a9c3d5f28";
    private static final String OWNER = "owner/test";

    private final Cluster cluster = new Cluster(2);

    private String fill() {
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.converge(0, 2);
        cluster.loop.run(5 * SECOND);
        return cluster.store.children(RegistryPaths.IDENTITY).get(0);
    }

    private List<HealthProblem> problems(Host host) {
        List<Outcome<PeerReply>> answer = new ArrayList<>();
        host.machine().onPeer(new PeerRequest.ReportLoad(), answer::add);
        cluster.await(() -> !answer.isEmpty(), 5);
        return ((PeerReply.Load) ((Outcome.Ok<PeerReply>) answer.get(0)).value()).problems();
    }

    private Outcome<AdminReply> ask(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        return outcome.get(0);
    }

    private Outcome<AdminReply> backup(String name) {
        return ask(new AdminRequest.BackupTable(Cluster.T, new BackupName(name)));
    }

    @Test
    void aRegistryThatLostItsDataAndTakesNoSessionBackIsNamed() {
        String identity = fill();
        TestingStore kept = cluster.store.copy();
        List<String> objects = cluster.objects.keys("");
        cluster.coordinatorRegistry.refuse(true);
        cluster.servers.values().forEach(host -> host.registry().refuse(true));
        cluster.store.replace(new TestingStore());
        cluster.loop.run(10 * SECOND);
        for (Host host : cluster.servers.values()) {
            assertThat(host.machine().missingConditions())
                    .anySatisfy(text -> assertThat(text)
                            .contains(
                                    "connection to the registry was lost", identity, "has no identity", "zookeeper."));
            assertThat(problems(host))
                    .filteredOn(one -> one.severity() == HealthProblem.Severity.ERROR)
                    .anySatisfy(one -> assertThat(one.text()).contains(identity, "has no identity"));
            assertThat(host.fatal).isEmpty();
            assertThat(host.disk.files("")).anyMatch(file -> file.startsWith("t1-a0/"));
        }
        assertThat(cluster.coordinator.registryProblem()).get().asString().contains(identity, "has no identity");
        assertThat(cluster.store.children("")).as("nothing was written").isEmpty();
        assertThat(cluster.objects.keys("")).isEqualTo(objects);

        cluster.store.replace(kept);
        cluster.coordinatorRegistry.refuse(false);
        cluster.servers.values().forEach(host -> host.registry().refuse(false));
        cluster.await(
                () -> cluster.servers.values().stream()
                        .allMatch(host -> host.machine().missingConditions().isEmpty()),
                60);
        assertThat(cluster.coordinator.registryProblem()).isEmpty();
    }

    @Test
    void storageThatAnotherClusterTookOverIsUsedNoMoreUntilItIsGivenBack() {
        String identity = fill();
        String owner = cluster.objects.text(OWNER);
        assertThat(backup("first")).isInstanceOf(Outcome.Ok.class);
        cluster.objects.set(OWNER, owner.replace(identity, OTHER));
        List<String> objects = cluster.objects.keys("");
        cluster.loop.run(2 * SECOND);

        assertThat(backup("second")).isInstanceOfSatisfying(Outcome.Err.class, refused -> {
            UniserveException error = refused.error();
            assertThat(error.code()).isEqualTo(ErrorCode.WRONG_CLUSTER);
            assertThat(error.getMessage()).contains(identity, OTHER, "storage.location");
        });
        cluster.loop.run(70 * SECOND);
        cluster.update(AckLevel.ISR, "b");
        cluster.loop.run(70 * SECOND);
        assertThat(cluster.objects.keys(""))
                .as("nothing written, nothing deleted")
                .isEqualTo(objects);
        for (Host host : cluster.servers.values()) {
            assertThat(problems(host))
                    .filteredOn(one -> one.object().equals("backup"))
                    .anySatisfy(one -> {
                        assertThat(one.severity()).isEqualTo(HealthProblem.Severity.FAILING);
                        assertThat(one.text()).contains(identity, OTHER);
                    });
            assertThat(host.fatal).isEmpty();
            assertThat(host.serving(new ReplicaKey(1, 0))).isTrue();
        }

        cluster.objects.set(OWNER, owner);
        cluster.loop.run(10 * SECOND);
        assertThat(backup("second")).isInstanceOf(Outcome.Ok.class);
        cluster.loop.run(70 * SECOND);
        cluster.servers.values().forEach(host -> assertThat(problems(host)).isEmpty());
    }

    @Test
    void storageThatWasEmptiedIsNoticedByAnIdleServer() {
        String identity = fill();
        cluster.objects.clear();
        cluster.loop.run(65 * SECOND);
        assertThat(cluster.objects.keys("")).isEmpty();
        for (Host host : cluster.servers.values()) {
            assertThat(problems(host)).anySatisfy(one -> assertThat(one.text()).contains(identity, OWNER + " is gone"));
        }
        assertThat(backup("none").toString()).contains("WRONG_CLUSTER", "is gone");
    }

    @Test
    void anErrorOfTheStorageIsNoChangeOfOwner() {
        fill();
        cluster.objects.down(true);
        cluster.loop.run(130 * SECOND);
        cluster.objects.down(false);
        assertThat(backup("after")).isInstanceOf(Outcome.Ok.class);
        cluster.servers.values().forEach(host -> assertThat(problems(host)).isEmpty());
    }
}
