package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupName;
import io.uniserve.model.OnLoss;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerReply.Serving;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Problems that servers and the coordinator report: a lost registry, durable storage that rejects writes. */
class ProblemReportTest {
    private static final long SECOND = Cluster.SECOND;

    private static PeerReply.Load load(Cluster cluster, Host host) {
        List<Outcome<PeerReply>> outcome = new ArrayList<>();
        host.machine().onPeer(new PeerRequest.ReportLoad(), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 5);
        return (PeerReply.Load) ((Outcome.Ok<PeerReply>) outcome.get(0)).value();
    }

    /** False until the server has confirmed that the registry is that of its cluster. */
    private static boolean answers(Cluster cluster, Host host) {
        List<Outcome<PeerReply>> outcome = new ArrayList<>();
        host.machine().onPeer(new PeerRequest.ReportLoad(), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 5);
        return outcome.get(0) instanceof Outcome.Ok;
    }

    private static ClusterStatus status(Cluster cluster) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.Status(), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        return (ClusterStatus) ((Outcome.Ok<AdminReply>) outcome.get(0)).value();
    }

    private static boolean serves(PeerReply.Load load) {
        return load.problems().isEmpty()
                && load.replicas().stream().allMatch(replica -> replica.serving() == Serving.YES);
    }

    @Test
    void aServerWithoutItsRegistrySaysSoAndThatItServesNothing() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.converge(0, 2);
        Host host = cluster.server("s2");
        cluster.await(() -> serves(load(cluster, host)), 10);
        assertThat(load(cluster, host).registryAgeMillis()).isBetween(0L, 2_000L);
        host.registry().cut(true);
        cluster.loop.run(4 * SECOND);
        PeerReply.Load lost = load(cluster, host);
        assertThat(lost.replicas()).hasSize(2).allMatch(replica -> replica.serving() == Serving.NO);
        assertThat(lost.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.severity()).isEqualTo(HealthProblem.Severity.ERROR);
            assertThat(problem.object()).isEqualTo("registry");
        });
        assertThat(lost.registryAgeMillis()).isGreaterThan(2_000);
        host.registry().cut(false);
        cluster.await(() -> serves(load(cluster, host)), 30);
    }

    @Test
    void aServerThatHoldsNothingNoticesItToo() {
        Cluster cluster = new Cluster(1);
        Host host = cluster.server("s1");
        cluster.loop.run(20 * SECOND);
        assertThat(load(cluster, host).problems()).isEmpty();
        assertThat(host.machine().missingConditions()).isEmpty();
        host.registry().cut(true);
        cluster.loop.run(4 * SECOND);
        assertThat(load(cluster, host).problems())
                .extracting(HealthProblem::object)
                .containsExactly("registry");
        assertThat(host.machine().missingConditions())
                .anyMatch(missing -> missing.contains("the registry has confirmed nothing"));
        host.registry().cut(false);
        cluster.await(() -> host.machine().missingConditions().isEmpty(), 30);
    }

    @Test
    void anExpiredSessionIsAProblemUntilTheServerIsRegisteredAgain() {
        Cluster cluster = new Cluster(1);
        Host host = cluster.server("s1");
        host.registry().expire();
        cluster.await(() -> !load(cluster, host).problems().isEmpty(), 5);
        cluster.await(() -> load(cluster, host).problems().isEmpty(), 30);
    }

    @Test
    void aCoordinatorWhoseTermIsNotConfirmedSaysSo() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        assertThat(status(cluster).problems()).isEmpty();
        cluster.coordinatorRegistry.cut(true);
        assertThat(status(cluster).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.severity()).isEqualTo(HealthProblem.Severity.ERROR);
            assertThat(problem.object()).isEqualTo("registry");
            assertThat(problem.text()).contains("does not confirm that it leads");
        });
        cluster.coordinatorRegistry.cut(false);
        cluster.await(() -> status(cluster).problems().isEmpty(), 30);
    }

    @Test
    void storageThatRefusesTheLogIsReportedAndABackupFailsAtOnce() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.loop.run(5 * SECOND);
        cluster.objects.refuse("backup/test/" + cluster.map().tableId() + "/0/log/", ErrorCode.INVALID_ARGUMENT);
        cluster.update(AckLevel.ISR, "b");
        cluster.loop.run(5 * SECOND);
        PeerReply.Load load = load(cluster, cluster.primary(0));
        assertThat(load.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.severity()).isEqualTo(HealthProblem.Severity.FAILING);
            assertThat(problem.text()).contains("the log cannot be stored", "INVALID_ARGUMENT");
        });
        assertThat(load.replicas()).extracting(ReplicaLoad::backupFailingMillis).allMatch(millis -> millis > 1_000);
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.BackupTable(Cluster.T, new BackupName("b")), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        UniserveException error = ((Outcome.Err<AdminReply>) outcome.get(0)).error();
        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(error.reason()).contains("cannot be backed up");
        cluster.objects.refuse("");
        cluster.await(() -> load(cluster, cluster.primary(0)).problems().isEmpty(), 30);
    }

    @Test
    void storageThatDoesNotAnswerFailsABackupToo() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.loop.run(5 * SECOND);
        cluster.objects.hold("backup/test/" + cluster.map().tableId() + "/0/log/");
        cluster.update(AckLevel.ISR, "b");
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.BackupTable(Cluster.T, new BackupName("b")), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 180);
        assertThat(((Outcome.Err<AdminReply>) outcome.get(0)).error().reason()).contains("does not answer");
        assertThat(load(cluster, cluster.primary(0)).problems())
                .extracting(HealthProblem::severity)
                .containsExactly(HealthProblem.Severity.FAILING);
        cluster.objects.release();
        cluster.await(() -> load(cluster, cluster.primary(0)).problems().isEmpty(), 30);
    }

    @Test
    void rowsAreUnknownUntilTheEngineReportsThem() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        Host host = cluster.server("s1");
        cluster.await(() -> load(cluster, host).replicas().get(0).rows() != ReplicaLoad.UNKNOWN, 10);
        host.kill();
        host.start();
        cluster.await(
                () -> answers(cluster, host) && !load(cluster, host).replicas().isEmpty(), 30);
        assertThat(load(cluster, host).replicas().get(0).rows()).isEqualTo(ReplicaLoad.UNKNOWN);
        cluster.await(() -> load(cluster, host).replicas().get(0).rows() != ReplicaLoad.UNKNOWN, 30);
    }
}
