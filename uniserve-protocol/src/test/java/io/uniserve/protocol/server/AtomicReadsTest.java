package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.transaction.TransactionConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Results of reads at one version, on any server. */
class AtomicReadsTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 3, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);

    @Test
    void anUpdateOfSomeActorsAndAReadOfOthers() {
        assertThat(atomic.update(driver, rows("a", 0))).isEqualTo(1);
        cluster.loop.run(Cluster.SECOND);
        AtomicReader.Read others = atomic.reader().read(1, 2);
        assertThat(others.values().values()).containsOnly("");
        assertThat(others.version())
                .as("complete through version 1, which they have no trace of")
                .isEqualTo(1);
        AtomicReader.Read all = atomic.reader().read(0, 1, 2);
        assertThat(all.version()).isEqualTo(1);
        assertThat(all.values()).containsEntry(0, "1=a").containsEntry(1, "");
    }

    @Test
    void aReadThatKnowsOfItAsksOthersAtItsVersion() {
        AtomicReader reader = atomic.reader();
        long version = atomic.update(driver, rows("a", 0));
        reader.floors.raise(cluster.map().tableId(), version, cluster.loop.nanos());
        AtomicReader.Read read = reader.read(1);
        assertThat(read.version()).isEqualTo(version);
        assertThat(read.values()).containsEntry(1, "");
    }

    /** One replica has applied the version, the other has only prepared it. The later read must not miss it. */
    @Test
    void twoReadersOneAfterTheOther() {
        Host first = atomic.primary(1);
        Host second = atomic.follower(1);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        second.registry().holdReads(path -> true);
        cluster.network.lose((to, request) -> to.equals(second.address())); // it does not get the decision
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        AtomicCluster.Answer seen = atomic.ask(first, 1, 0);
        assertThat(seen.rows()).containsExactly("1=a");
        assertThat(atomic.doubt(first, 1)).isZero();
        assertThat(atomic.doubt(second, 1)).as("prepared, and not applied").isEqualTo(1);
        second.registry().release(); // it reads the log itself
        assertThat(atomic.ask(second, 1, 0).rows())
                .as("the table's log says so, whatever the actor's own says")
                .containsExactly("1=a");
        cluster.network.lose((to, request) -> false);
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aReaderInDoubtWhoCannotAskTheLogIsRefused() {
        Host asked = atomic.primary(1) == driver ? atomic.follower(1) : atomic.primary(1);
        driver.registry().hold(AtomicCluster.DECISION);
        atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        cluster.loop.run(TransactionConfig.defaults().withholdNanos()); // its manager makes no claim any more
        asked.registry().cut(true);
        assertThat(atomic.ask(asked, 1, 0).error())
                .as("the lease still runs, the log is away")
                .isPresent();
        asked.registry().cut(false);
        assertThat(atomic.ask(asked, 1, 0).rows())
                .as("confirmed to be in flight")
                .isEmpty();
        driver.registry().release();
        atomic.awaitRows(1, "1=a");
    }

    /** Only the manager could commit it, and it has not tried. */
    @Test
    void theDriverOfAVersionNeedsNotAskTheLog() {
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Replicate);
        atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> atomic.doubt(driver, 0) == 1, 10);
        driver.registry().cut(true);
        AtomicCluster.Answer answer = atomic.ask(driver, 0, 0);
        assertThat(answer.error()).isEmpty();
        assertThat(answer.rows()).isEmpty();
        driver.registry().cut(false);
        cluster.network.lose((to, request) -> false);
        atomic.awaitRows(0, "1=a");
    }

    @Test
    void theDriverAsksTheLogAWhileAfterItHasTriedToCommit() {
        driver.registry().hold(AtomicCluster.DECISION);
        atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        cluster.loop.run(TransactionConfig.defaults().withholdNanos());
        driver.registry().cut(true);
        assertThat(atomic.ask(driver, 0, 0).error()).isPresent();
        driver.registry().cut(false);
        driver.registry().release();
        atomic.awaitRows(0, "1=a");
    }

    /** The transaction log has the decision, so readers need not wait for the actor's own log. */
    @Test
    void aFollowerCarriesOutWhatTheTablesLogSays() {
        Host second = atomic.follower(1);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Replicate && to.equals(second.address()));
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        cluster.await(() -> atomic.doubt(second, 1) == 0, 2);
        assertThat(second.engine().rows(cluster.key(1))).containsExactly("1=a");
        assertThat(atomic.ask(second, 1, 0).at()).isEqualTo(1);
        cluster.network.lose((to, request) -> false);
        assertThat(atomic.update(driver, rows("b", 0, 1))).isEqualTo(2);
        atomic.awaitRows(1, "1=a,2=b".split(","));
    }

    /** A follower of the registry lags: it shows the version in flight after it was committed and read elsewhere. */
    @Test
    void aReaderInDoubtBelievesNoOldLog() {
        Host asked = atomic.primary(1) == driver ? atomic.follower(1) : atomic.primary(1);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        asked.registry().lag();
        cluster.network.lose((to, request) -> to.equals(asked.address()));
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        AtomicCluster.Answer answer = atomic.ask(asked, 1, 0);
        assertThat(answer.error().isPresent() || answer.rows().equals(List.of("1=a")))
                .as("an old answer: %s", answer)
                .isTrue();
        cluster.network.lose((to, request) -> false);
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aFreshClientReadsTheNewest() {
        atomic.update(driver, rows("a", 0, 1, 2));
        long version = atomic.update(driver, rows("b", 0, 1, 2));
        AtomicReader.Read read = atomic.reader().read(0, 1, 2);
        assertThat(read.version()).isEqualTo(version);
        assertThat(read.values().values()).containsOnly("1=a,2=b");
    }

    @Test
    void anOldFloorHoldsNothingBack() {
        AtomicReader reader = atomic.reader();
        atomic.update(driver, rows("a", 0, 1, 2));
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            atomic.update(driver, rows("b", 0, 1, 2));
        }
        AtomicReader.Read read = reader.read(0, 1, 2);
        assertThat(read.version()).as("the floor is a least, not a wish").isEqualTo(6);
        assertThat(read.values().values()).containsOnly("1=a,2=b,3=b,4=b,5=b,6=b");
    }

    @Test
    void aTableMadeAnewHasNoFloor() {
        AtomicReader reader = atomic.reader();
        atomic.update(driver, rows("a", 0, 1, 2));
        atomic.update(driver, rows("b", 0, 1, 2));
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(2);
        atomic.recreate(3, 2);
        assertThat(reader.read(0, 1, 2).version()).isZero();
        atomic.update(atomic.primary(0), rows("c", 0, 1, 2));
        AtomicReader.Read read = reader.read(0, 1, 2);
        assertThat(read.version()).isEqualTo(1);
        assertThat(read.values().values()).containsOnly("1=c");
    }

    @Test
    void nobodyGoesBackInTime() {
        AtomicReader reader = atomic.reader();
        long last = 0;
        for (int i = 1; i <= 20; i++) {
            atomic.update(driver, rows("r" + i, i % 3, (i + 1) % 3));
            AtomicReader.Read read = reader.read(0, 1, 2);
            assertThat(read.version()).isGreaterThanOrEqualTo(Math.max(last, i));
            last = read.version();
        }
    }
}
