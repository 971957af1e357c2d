package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Compared.Verdict;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replicas with different contents under equal logs. Digests at one log index show it; one goes to quarantine and is rebuilt. */
class ScrubTest {
    private static final long SECOND = Cluster.SECOND;

    private static Cluster created(int servers, int rf, long scrubNanos) {
        Cluster cluster = new Cluster(0);
        cluster.scrubNanos = scrubNanos;
        for (int i = 1; i <= servers; i++) {
            cluster.server("s" + i).start();
        }
        cluster.loop.run(SECOND / 2);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        for (int i = 0; i < 5; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(SECOND);
        return cluster;
    }

    private static Host follower(Cluster cluster) {
        return cluster.actor(0).isr().stream()
                .map(cluster::server)
                .filter(host -> host != cluster.primary(0))
                .findFirst()
                .orElseThrow();
    }

    private static Compared verify(Cluster cluster) {
        List<Outcome<AdminReply>> replies = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.VerifyActor(Cluster.T, 0), replies::add);
        cluster.await(() -> !replies.isEmpty(), 60);
        if (replies.get(0) instanceof Outcome.Ok<AdminReply> ok && ok.value() instanceof AdminReply.Verified verified) {
            return verified.compared();
        }
        throw new AssertionError("not verified: " + replies.get(0));
    }

    private static boolean keptAside(Host host) {
        return !host.disk.files("quarantine/").isEmpty();
    }

    private static void sound(Cluster cluster, int copies, int rows) {
        cluster.converge(0, copies);
        cluster.loop.run(2 * SECOND);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0)))
                .hasSize(rows)
                .noneMatch(row -> row.contains("flipped"));
        assertThat(verify(cluster).verdict()).isEqualTo(Verdict.EQUAL);
    }

    @Test
    void equalCopiesAreToldWithTheirPosition() {
        Cluster cluster = created(3, 3, 0);
        Compared compared = verify(cluster);
        assertThat(compared.verdict()).isEqualTo(Verdict.EQUAL);
        assertThat(compared.index()).isEqualTo(6);
        assertThat(compared.copies()).hasSize(3).allMatch(copy -> copy.digest().length() > 4);
    }

    @Test
    void aFollowerWhoseContentsChangedInMemoryIsMadeAnew() {
        Cluster cluster = created(2, 2, 0);
        Host follower = follower(cluster);
        follower.engine().spoil(cluster.key(0), 2, "flipped");
        Compared compared = verify(cluster);
        assertThat(compared.verdict()).isEqualTo(Verdict.DIFFERENT);
        assertThat(compared.copies())
                .filteredOn(copy -> copy.verdict() == Verdict.DIFFERENT)
                .singleElement()
                .satisfies(copy -> {
                    assertThat(cluster.server(copy.server())).isSameAs(follower);
                    assertThat(copy.reason()).contains("contents differ at index 6");
                });
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 10);
        sound(cluster, 2, 5);
        assertThat(keptAside(follower)).isTrue();
    }

    @Test
    void aPrimaryWhoseContentsDifferFromBothFollowersStepsAside() {
        Cluster cluster = created(3, 3, 0);
        Host primary = cluster.primary(0);
        primary.engine().spoil(cluster.key(0), 2, "flipped");
        assertThat(verify(cluster).verdict()).isEqualTo(Verdict.DIFFERENT);
        cluster.await(() -> cluster.primary(0) != primary, 10);
        sound(cluster, 3, 5);
        assertThat(keptAside(primary)).isTrue();
    }

    @Test
    void theScrubFindsItByItself() {
        Cluster cluster = created(2, 2, 20 * SECOND);
        Host follower = follower(cluster);
        follower.engine().spoil(cluster.key(0), 2, "flipped");
        cluster.await(() -> keptAside(follower), 60);
        sound(cluster, 2, 5);
    }

    @Test
    void copiesAreComparedWhileUpdatesCome() {
        Cluster cluster = created(3, 3, 0);
        List<Outcome<AdminReply>> replies = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.VerifyActor(Cluster.T, 0), replies::add);
        int sent = 0;
        while (replies.isEmpty() && sent < 5_000) {
            cluster.send(cluster.nextId(), AckLevel.ISR, "u" + sent++);
            cluster.loop.run(SECOND / 200);
        }
        assertThat(replies).singleElement().isInstanceOfSatisfying(Outcome.Ok.class, ok -> {
            Compared compared = ((AdminReply.Verified) ok.value()).compared();
            assertThat(compared.verdict()).isEqualTo(Verdict.EQUAL);
            assertThat(compared.index()).isGreaterThan(6);
        });
    }

    @Test
    void aCopyThatDoesNotAnswerIsUnknown() {
        Cluster cluster = created(3, 3, 0);
        Host follower = follower(cluster);
        cluster.network.lose((to, request) -> request instanceof io.uniserve.protocol.message.PeerRequest.TakeDigest
                && to.equals(follower.address()));
        oneIsUnknown(cluster);
    }

    @Test
    void aPrimaryWhoseDigestNeverEndsIsUnknown() {
        Cluster cluster = created(3, 3, 0);
        cluster.primary(0).engine().hangDigests();
        oneIsUnknown(cluster);
    }

    private static void oneIsUnknown(Cluster cluster) {
        List<Outcome<AdminReply>> replies = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.VerifyActor(Cluster.T, 0), replies::add);
        cluster.await(() -> !replies.isEmpty(), 10_000);
        assertThat(replies).singleElement().isInstanceOfSatisfying(Outcome.Ok.class, ok -> {
            Compared compared = ((AdminReply.Verified) ok.value()).compared();
            assertThat(compared.verdict()).isEqualTo(Verdict.UNKNOWN);
            assertThat(compared.copies())
                    .filteredOn(copy -> copy.verdict() == Verdict.EQUAL)
                    .hasSize(2);
        });
        assertThat(cluster.servers.values()).noneMatch(ScrubTest::keptAside);
    }

    @Test
    void copiesOfATableWithAtomicUpdatesAreCompared() {
        Cluster cluster = new Cluster(3);
        cluster.create(2, 3, 1, OnLoss.WAIT, ConsistencyLevel.SERIALIZABLE);
        cluster.loop.run(2 * SECOND);
        assertThat(verify(cluster).verdict()).isEqualTo(Verdict.EQUAL);
    }
}
