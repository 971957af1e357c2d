package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.transaction.TransactionConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A version with its commit under way. Its manager may claim for a short time that it is not visible, and no other process acts on the
 * commit within that time.
 */
class AtomicDisclosureTest {
    private static final long WITHHELD = TransactionConfig.defaults().withholdNanos();

    private final AtomicCluster atomic = new AtomicCluster(5, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final Host asked = atomic.primary(1) == driver ? atomic.follower(1) : atomic.primary(1);
    private final RequestId id = cluster.nextId();

    /** The commit is held before the registry, and the manager will not get the answer. */
    private List<Outcome<UpdateReply>> committing() {
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, id, 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        return outcome;
    }

    /** The commit is applied, and the manager does not know. */
    private List<Outcome<UpdateReply>> committed() {
        List<Outcome<UpdateReply>> outcome = committing();
        driver.registry().onlyWrites(AtomicCluster.DECISION);
        driver.registry().loseNextAnswer();
        driver.registry().release();
        driver.registry().holdReads(path -> path.equals(atomic.logPath()));
        cluster.await(() -> atomic.log().committedVersion() == 1, 10);
        assertThat(outcome).isEmpty();
        return outcome;
    }

    private void driverHears(List<Outcome<UpdateReply>> outcome) {
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        atomic.awaitRows(0, "1=a");
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void readersNeedNotWaitForTheRegistry() {
        List<Outcome<UpdateReply>> outcome = committing();
        asked.registry().cut(true);
        AtomicCluster.Answer answer = atomic.ask(asked, 1, 0);
        assertThat(answer.error()).isEmpty();
        assertThat(answer.rows()).isEmpty();
        asked.registry().cut(false);
        driverHears(outcome);
    }

    @Test
    void theDriverDeniesItForAMomentOnly() {
        List<Outcome<UpdateReply>> outcome = committing();
        cluster.loop.run(WITHHELD);
        asked.registry().cut(true);
        assertThat(atomic.ask(asked, 1, 0).error()).as("the log is away").isPresent();
        asked.registry().cut(false);
        driverHears(outcome);
    }

    @Test
    void aReaderLeavesOutWhatNobodyKnows() {
        List<Outcome<UpdateReply>> outcome = committed();
        AtomicCluster.Answer answer = atomic.ask(asked, 1, 0);
        assertThat(answer.error()).isEmpty();
        assertThat(answer.rows()).as("committed, and not disclosed").isEmpty();
        driverHears(outcome);
        assertThat(atomic.ask(asked, 1, 0).rows()).containsExactly("1=a");
    }

    /** The table's version in a snapshot after the call, as a client gets it from the server. */
    private long moment(Host host) {
        List<Outcome<ConsistentSnapshot>> outcome = new ArrayList<>();
        atomic.cut(host.address(), List.of(Cluster.T), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        if (outcome.get(0) instanceof Outcome.Ok<ConsistentSnapshot> ok) {
            return ok.value().tables().get(0).version();
        }
        throw new AssertionError("no moment: " + outcome);
    }

    @Test
    void aMomentOfAStrictReadBeforeAReader() {
        List<Outcome<UpdateReply>> outcome = committed();
        assertThat(moment(atomic.other(0, 1))).isEqualTo(1);
        assertThat(atomic.ask(asked, 1, 0).rows()).as("a later read has it").containsExactly("1=a");
        driverHears(outcome);
    }

    @Test
    void whatWasToldByADecisionIsNotWithheld() {
        List<Outcome<UpdateReply>> outcome = committed();
        Host other = atomic.other(0, 1);
        other.machine().onPeer(new PeerRequest.Decide(Cluster.T, cluster.key(1), 1, true), ignored -> {});
        long before = cluster.loop.nanos();
        assertThat(moment(other)).isEqualTo(1);
        assertThat(cluster.loop.nanos() - before).as("virtual time").isLessThan(WITHHELD);
        driverHears(outcome);
    }

    @Test
    void aRetryAtAnotherServerBeforeAReader() {
        List<Outcome<UpdateReply>> outcome = committed();
        Host other = atomic.other(0, 1);
        assertThat(atomic.version(atomic.send(other, id, 2, rows("a", 0, 1)))).isEqualTo(1);
        assertThat(atomic.ask(asked, 1, 0).rows()).as("it is acknowledged").containsExactly("1=a");
        driverHears(outcome);
    }

    @Test
    void whoeverIsInDoubtAsksTheLogOfADriverThatIsGone() {
        committed();
        driver.kill(); // no manager is left that could claim anything
        assertThat(atomic.ask(asked, 1, 0).rows()).containsExactly("1=a");
    }
}
