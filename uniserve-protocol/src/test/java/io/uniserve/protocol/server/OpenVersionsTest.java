package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads on several servers: an open version of one server needs a claim of the manager on another one. */
class OpenVersionsTest {
    private final AtomicCluster atomic = new AtomicCluster(2, 2, 1);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final Host other = atomic.primary(1);
    private final AtomicReader reader = new AtomicReader(atomic);
    private final List<VersionedRead.Reply> heard = new ArrayList<>();
    private List<Outcome<UpdateReply>> outcome = List.of();

    /** Both have prepared a version, and its commit is under way. */
    @BeforeEach
    void committing() {
        assertThat(driver).isNotSameAs(other);
        driver.registry().hold(AtomicCluster.DECISION);
        outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        reader.ear = reply -> {
            heard.add(reply);
            return reply;
        };
    }

    private void decided() {
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        reader.ear = reply -> reply;
        assertThat(reader.read().values()).containsValues("1=a").hasSize(2);
    }

    private static VersionedRead.Reply without(VersionedRead.Reply reply) {
        return new VersionedRead.Reply(reply.parts(), reply.failures(), reply.openVersions(), List.of());
    }

    @Test
    void oneRoundWhereTheDriverIsAmongThoseAsked() {
        AtomicReader.Read read = reader.read();
        assertThat(read.version()).isZero();
        assertThat(read.rounds()).isEqualTo(1);
        assertThat(reader.asked).hasSize(2).allMatch(VersionedRead::acceptsOpenVersions);
        assertThat(heard)
                .extracting(VersionedRead.Reply::openVersions)
                .containsExactlyInAnyOrder(List.of(), List.of(1L));
        assertThat(heard)
                .extracting(VersionedRead.Reply::invisibleVersions)
                .containsExactlyInAnyOrder(List.of(1L), List.of());
        decided();
    }

    @Test
    void aDriverDeniesWithoutADoubtOfItsOwn() {
        AtomicCluster apart = new AtomicCluster(3, 3, 1);
        Host drives = apart.primary(0);
        drives.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> told = apart.send(drives, apart.cluster.nextId(), 1, rows("a", 1));
        apart.cluster.await(() -> drives.registry().holding() > 0, 10);
        apart.awaitPrepared(1, 1);
        assertThat(apart.doubt(drives, 0)).isZero();
        AtomicReader all = new AtomicReader(apart);
        all.ear = reply -> {
            heard.add(reply);
            return reply;
        };
        assertThat(all.read().rounds()).isEqualTo(1);
        assertThat(heard).extracting(VersionedRead.Reply::openVersions).contains(List.of(1L));
        drives.registry().release();
        assertThat(apart.version(told)).isEqualTo(1);
        heard.clear();
        assertThat(all.read().values()).containsEntry(1, "1=a");
        assertThat(heard).allMatch(reply -> reply.invisibleVersions().isEmpty());
    }

    @Test
    void whatNobodyDeniesIsAskedForAgainAndItsDriverIsAsked() {
        reader.ear = OpenVersionsTest::without;
        AtomicReader.Read read = reader.read();
        assertThat(read.version()).isZero();
        assertThat(read.rounds()).isEqualTo(2);
        assertThat(reader.asked).hasSize(3);
        assertThat(reader.asked.get(2).acceptsOpenVersions())
                .as("nothing may be left open")
                .isFalse();
        assertThat(reader.asked.get(2).targets())
                .extracting(VersionedRead.Target::actor)
                .containsExactly(1);
        decided();
    }

    @Test
    void whatIsKnownByThenIsReadByAll() {
        List<Outcome<UpdateReply>> before = outcome;
        reader.ear = reply -> {
            if (before.isEmpty()) { // the first answer: all servers have got their request
                driver.registry().release();
                cluster.await(() -> !before.isEmpty(), 10);
            }
            return without(reply);
        };
        AtomicReader.Read read = reader.read();
        assertThat(read.version()).isEqualTo(1);
        assertThat(read.values()).containsEntry(0, "1=a").containsEntry(1, "1=a");
    }

    /** Later versions may be prepared after it, so the client requests the newest state again, not that version. */
    @Test
    void whatAnotherServerKnowsDoesNotClose() {
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Decide);
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        AtomicReader.Read read = reader.read();
        assertThat(heard).extracting(VersionedRead.Reply::openVersions).contains(List.of(1L));
        assertThat(read.version()).isEqualTo(1);
        assertThat(read.rounds()).isEqualTo(2);
        assertThat(reader.asked).hasSize(3);
        assertThat(reader.asked.get(2).version()).as("the newest").isZero();
        assertThat(reader.asked.get(2).acceptsOpenVersions()).isFalse();
    }

    @Test
    void oneServerAloneLeavesNothingOpen() {
        AtomicReader.Read read = reader.read(1);
        assertThat(read.version()).isZero();
        assertThat(reader.asked).hasSize(1).noneMatch(VersionedRead::acceptsOpenVersions);
        decided();
    }
}
