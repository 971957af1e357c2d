package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Versions that a manager starts ahead, with the commit before them, without an update yet. */
class AtomicAheadTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final Host other = atomic.other(0);

    private int writes() {
        return cluster.store.read(atomic.logPath()).version();
    }

    private boolean ahead() {
        TransactionLogState.InFlight flight = atomic.log().inFlight();
        return flight != null && flight.isStartedAhead();
    }

    private Decision decision(long version) {
        return TransactionLogTransitions.decision(atomic.log(), version).orElseThrow();
    }

    /** Version 2 is started ahead and prepared by both actors, and its commit is held before the registry. */
    private List<Outcome<UpdateReply>> prepared() {
        assertThat(atomic.update(driver, rows("a", 0, 1))).isEqualTo(1);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("b", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(2, 0, 1);
        assertThat(ahead()).as("its log does not say what for").isTrue();
        return outcome;
    }

    @Test
    void anUpdateThatFollowsAnotherIsOneWrite() {
        atomic.update(driver, rows("a", 0, 1));
        int before = writes();
        for (int i = 0; i < 10; i++) {
            assertThat(atomic.update(driver, rows("b", 0, 1))).isEqualTo(2 + i);
        }
        assertThat(writes() - before).isEqualTo(10);
        assertThat(decision(11).batches()).hasSize(1);
        assertThat(ahead()).isTrue();
    }

    @Test
    void aReaderLeavesOutWhatIsPreparedAndSeesWhatIsCommitted() {
        List<Outcome<UpdateReply>> outcome = prepared();
        assertThat(atomic.readAlike(0, 1)).as("in flight").isEqualTo("1=a");
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(2);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a,2=b");
    }

    @Test
    void whatFindsNoUpdateIsGivenBack() {
        atomic.update(driver, rows("a", 0));
        assertThat(ahead()).isTrue();
        cluster.loop.run(2 * Cluster.SECOND);
        assertThat(atomic.log().inFlight()).isNull();
        assertThat(decision(1).unackedParticipants()).isEmpty();
        int rests = writes();
        cluster.loop.run(10 * Cluster.SECOND);
        assertThat(writes()).isEqualTo(rests);
        assertThat(atomic.update(driver, rows("b", 0))).as("2 was given out").isEqualTo(3);
        atomic.awaitRows(0, "1=a", "3=b");
    }

    /** Another server writes the log while the version is given back: the write is repeated, and the version is not used meanwhile. */
    @Test
    void theWriteThatGivesBackIsLost() {
        atomic.update(driver, rows("a", 0));
        assertThat(ahead()).isTrue();
        driver.registry().loseNextWrite();
        cluster.loop.run(3 * Cluster.SECOND);
        assertThat(atomic.log().inFlight()).isNull();
        atomic.update(driver, rows("b", 0));
        driver.registry().hold(ops -> ops.stream().anyMatch(op -> op.path().equals(atomic.logPath())));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("c", 0));
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(5);
        atomic.awaitRows(0, "1=a", "3=b", "5=c");
    }

    @Test
    void anotherDriverWaitsForNobody() {
        atomic.update(driver, rows("a", 0));
        long begun = cluster.loop.nanos();
        assertThat(atomic.update(other, rows("b", 0))).isEqualTo(3);
        assertThat(cluster.loop.nanos() - begun).isLessThan(Cluster.SECOND / 10);
        assertThat(decision(2).committed()).isFalse();
        assertThat(atomic.log().inFlight()).as("two managers: none is ahead").isNull();
        assertThat(atomic.update(driver, rows("c", 0))).isEqualTo(4);
        assertThat(atomic.log().inFlight())
                .as("nor does the one that was displaced")
                .isNull();
        atomic.awaitRows(0, "1=a", "3=b", "4=c");
        cluster.await(() -> decision(2).unackedParticipants().isEmpty(), 10); // both actors, though one had no rows
    }

    @Test
    void anUpdateThatAnotherDriverDisplacesIsTriedAgain() {
        List<Outcome<UpdateReply>> displaced = prepared();
        List<Outcome<UpdateReply>> second = atomic.send(other, cluster.nextId(), 1, rows("c", 0, 1));
        assertThat(atomic.version(second)).isEqualTo(3);
        driver.registry().release();
        assertThat(atomic.version(displaced)).isEqualTo(4);
        assertThat(decision(2).committed()).isFalse();
        atomic.awaitRows(0, "1=a", "3=c", "4=b");
        atomic.awaitRows(1, "1=a", "3=c", "4=b");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a,3=c,4=b");
    }

    @Test
    void aDriverDiesWithOnePrepared() {
        prepared();
        driver.kill();
        assertThat(atomic.version(atomic.send(other, cluster.nextId(), 1, rows("c", 0, 1))))
                .isGreaterThan(2);
        assertThat(decision(2).committed()).isFalse();
        cluster.await(() -> atomic.log().inFlight() == null, 30);
        long version = atomic.log().committedVersion();
        atomic.awaitRows(0, "1=a", version + "=c");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a," + version + "=c");
    }

    @Test
    void nobodyElseUpdatesAndTheDriverStaysAway() {
        prepared();
        driver.kill();
        cluster.await(() -> atomic.log().inFlight() == null, 60);
        assertThat(decision(2).committed()).isFalse();
        assertThat(decision(2).batches()).isEmpty();
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void theNextLifeOfADriverUsesNothingOfItsLast() {
        prepared();
        driver.kill();
        driver.start();
        cluster.loop.run(Cluster.SECOND); // it gets the map of the table
        assertThat(ahead()).isTrue();
        long version = atomic.version(atomic.send(driver, cluster.nextId(), 1, rows("c", 0, 1)));
        assertThat(version).isGreaterThan(2);
        assertThat(decision(2).committed()).isFalse();
        atomic.awaitRows(0, "1=a", version + "=c");
        atomic.awaitRows(1, "1=a", version + "=c");
    }

    @Test
    void theAnswerToTheCommitThatBeginsIsLost() {
        driver.registry().onlyWrites(AtomicCluster.DECISION);
        driver.registry().loseNextAnswer();
        assertThat(atomic.update(driver, rows("a", 0, 1))).isEqualTo(1);
        int before = writes();
        assertThat(atomic.update(driver, rows("b", 0, 1))).isEqualTo(2);
        assertThat(writes() - before).isEqualTo(1);
        driver.registry().loseNextWrite();
        assertThat(atomic.update(driver, rows("c", 0, 1))).isEqualTo(3);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a,2=b,3=c");
    }

    @Test
    void aLargeUpdateIsNamedBefore() {
        atomic.update(driver, rows("a", 0));
        int before = writes();
        assertThat(atomic.update(driver, rows("b".repeat((int) Limits.AHEAD_BYTES_MAX + 1), 0)))
                .isEqualTo(2);
        assertThat(writes() - before).isEqualTo(2);
    }

    /** It arrives while its manager only reads the log to remove acknowledged participants. */
    @Test
    void anUpdateThatComesWhileTheLogIsTidiedIsNotForgotten() {
        for (int i = 0; i < 20; i++) {
            atomic.update(driver, rows("a", 0));
            atomic.update(other, rows("b", 0));
            driver.registry().holdReads(atomic.logPath()::equals);
            for (int k = 0; k < 300 && driver.registry().holding() == 0; k++) {
                cluster.loop.run(Cluster.SECOND / 100);
            }
            List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("c", 0));
            driver.registry().release();
            cluster.loop.run(Cluster.SECOND / 2);
            assertThat(outcome).as("after half a second, round " + i).hasSize(1);
        }
    }

    /** A PREPARE names the version before it, and its primary first logs that decision, also if its message was lost. */
    @Test
    void decisionsThatAreLostHoldUpNoUpdate() {
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Decide);
        long begun = cluster.loop.nanos();
        for (int i = 1; i <= 5; i++) {
            assertThat(atomic.update(driver, rows("a", 0, 1))).isEqualTo(i);
        }
        assertThat(cluster.loop.nanos() - begun).isLessThan(Cluster.SECOND / 10);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a,2=a,3=a,4=a,5=a");
    }

    @Test
    void aRefusedUpdateOfAVersionBegunAheadIsKnownByItsRequest() {
        atomic.update(driver, rows("a", 0, 1));
        RequestId id = cluster.nextId();
        assertThat(atomic.error(atomic.send(driver, id, 1, rows("bad", 0)))).isEqualTo(ErrorCode.UPDATE_REFUSED);
        assertThat(decision(2).refusedRequests()).containsExactly(id);
        assertThat(decision(2).batches()).hasSize(1);
        assertThat(decision(2).unackedParticipants())
                .as("the participant, as its manager has it")
                .containsExactly(0);
        assertThat(atomic.error(atomic.send(other, id, 2, rows("bad", 0)))).isEqualTo(ErrorCode.UPDATE_REFUSED);
    }
}
