package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.SECOND_TABLE;
import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * One request id on two tables, a table created again during an update, primaries that resume, replicas that never prepare, and the bound
 * on the time in doubt.
 */
class AtomicRivalsTest {
    private static final long SECOND = Cluster.SECOND;
    /** The end of a session (6 s), a manager's time-out (10 s), and some ticks. */
    private static final long DOUBT_SECONDS_MAX = 20;

    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final AtomicWatch watch = atomic.watch();

    /** The whole table is read during each of these cases. */
    @AfterEach
    void whatWasReadMeanwhileWasWhole() {
        watch.ended();
    }

    /** The update is prepared everywhere, and its decision is held between manager and registry. */
    private List<Outcome<UpdateReply>> undecided(RequestId id) {
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, id, 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        return outcome;
    }

    private TransactionLogState secondLog() {
        if (cluster.store.value(cluster.logPath(SECOND_TABLE)) instanceof TransactionLogState log) {
            return log;
        }
        throw new AssertionError("no log");
    }

    /** An id belongs to a table: on another table it is another update. */
    @Test
    void oneIdOnTwoTablesIsTwoUpdates() {
        cluster.create(SECOND_TABLE, 2, 2, 1, OnLoss.WAIT, ConsistencyLevel.FULLY_SERIALIZABLE);
        long second = cluster.store.value(RegistryPaths.map(SECOND_TABLE)) instanceof TableMap map ? map.tableId() : 0;
        cluster.loop.run(5 * SECOND);
        RequestId id = cluster.nextId();
        atomic.update(driver, rows("before", 0));
        List<Outcome<UpdateReply>> one = atomic.send(driver, id, 1, rows("a", 0, 1));
        List<Outcome<UpdateReply>> two = atomic.send(SECOND_TABLE, second, driver, id, 1, rows("b", 0, 1));
        assertThat(atomic.version(one)).isEqualTo(2);
        assertThat(atomic.version(two)).isEqualTo(1);
        Host other = atomic.other(0);
        assertThat(atomic.version(atomic.send(other, id, 2, rows("a", 0, 1))))
                .as("a retry")
                .isEqualTo(2);
        assertThat(atomic.version(atomic.send(SECOND_TABLE, second, other, id, 2, rows("b", 0, 1))))
                .as("a retry on the other table")
                .isEqualTo(1);
        assertThat(atomic.error(atomic.send(SECOND_TABLE, second, other, id, 3, rows("a", 0, 1))))
                .as("the content of the first table's")
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        atomic.awaitRows(1, "2=a");
        assertThat(secondLog().committedVersion()).isEqualTo(1);
        assertThat(atomic.log().committedVersion()).isEqualTo(2);
    }

    /** The prepared rows and the decision under way belong to the dropped table. */
    @Test
    void aTableMadeAnewKnowsNothingOfAnUpdateThatWasInFlight() {
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> old = undecided(id);
        long dropped = cluster.map().tableId();
        atomic.recreate(2, 2);
        assertThat(cluster.map().tableId()).isNotEqualTo(dropped);
        Host next = atomic.other(0) == driver ? atomic.primary(0) : atomic.other(0);
        List<Outcome<UpdateReply>> anew = atomic.send(next, id, 1, rows("b", 0, 1));
        driver.registry().release();
        assertThat(atomic.version(anew)).isEqualTo(1);
        assertThat(atomic.error(old)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        cluster.loop.run(20 * SECOND);
        assertThat(atomic.log().committedVersion()).isEqualTo(1);
        atomic.awaitRows(0, "1=b");
        atomic.awaitRows(1, "1=b");
        assertThat(atomic.version(atomic.send(atomic.other(0), id, 2, rows("b", 0, 1))))
                .as("a retry")
                .isEqualTo(1);
    }

    /** The primary and manager paused with its decision under way. It resumes after others have taken over and decided. */
    @Test
    void aDeposedPrimaryWakesAndItsCommitDoesNothing() {
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> outcome = undecided(id);
        long epoch = cluster.actor(0).epoch();
        cluster.network.stop(driver.address());
        driver.registry().cut(true);
        driver.registry().expireUnnoticed();
        cluster.await(
                () -> cluster.actor(0).epoch() > epoch
                        && atomic.primary(0) != driver
                        && atomic.log().inFlight() == null,
                60);
        assertThat(atomic.log().decisions().get(0).committed()).isFalse();
        Host next = atomic.primary(0);
        cluster.await(() -> next.serving(cluster.key(0)), 30);
        long version = atomic.version(atomic.send(next, id, 2, rows("a", 0, 1)));
        assertThat(version).isGreaterThan(1);

        cluster.network.serve(driver.address(), driver.machine()::onPeer);
        driver.registry().cut(false);
        driver.registry().release();
        cluster.loop.run(2 * SECOND);
        assertThat(atomic.log().decisions().get(0).committed())
                .as("what others aborted")
                .isFalse();
        if (!outcome.isEmpty()) { // it may have got the other's
            assertThat(atomic.version(outcome)).isEqualTo(version);
        }
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        driver.registry().expire();
        cluster.await(
                () -> cluster.actor(0).isr().size() == 2
                        && cluster.actor(1).isr().size() == 2,
                90);
        atomic.awaitRows(0, version + "=a");
        atomic.awaitRows(1, version + "=a");
        assertThat(atomic.log().committedVersion()).isEqualTo(version);
    }

    /** The replica cannot prepare any row, so updates continue without it. */
    @Test
    void aReplicaThatPreparesNothingLeavesTheSet() {
        Host follower = atomic.follower(1);
        ServerId away = cluster.actor(1).isr().stream()
                .filter(each -> cluster.server(each) == follower)
                .findFirst()
                .orElseThrow();
        follower.engine().failPrepares(1_000);
        long version = atomic.update(driver, rows("a", 0, 1));
        cluster.await(() -> !cluster.actor(1).isr().contains(away), 60);
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        long next = atomic.update(driver, rows("b", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a," + next + "=b");
        follower.engine().failPrepares(0);
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 120);
        atomic.awaitRows(1, version + "=a", next + "=b");
    }

    private long doubts() {
        long doubts = 0;
        for (int actor = 0; actor < 2; actor++) {
            for (ServerId id : cluster.actor(actor).isr()) {
                doubts += cluster.server(id).up() && atomic.doubt(cluster.server(id), actor) > 0 ? 1 : 0;
            }
        }
        return doubts;
    }

    private void doubtsEnd() {
        assertThat(doubts()).isPositive();
        cluster.await(() -> doubts() == 0, DOUBT_SECONDS_MAX);
    }

    /** I15, as for the next two: while the registry can be reached, the time in doubt is bounded, whichever server is down. */
    @Test
    void doubtsEndWhenTheDriverIsDead() {
        undecided(cluster.nextId());
        watch.seesNothing();
        driver.kill();
        doubtsEnd();
    }

    @Test
    void doubtsEndWhenTheDriverHangs() {
        undecided(cluster.nextId());
        watch.seesNothing();
        driver.registry().cut(true);
        cluster.network.lose((to, request) -> to.equals(driver.address()));
        driver.registry().expireUnnoticed();
        doubtsEnd();
    }

    @Test
    void doubtsEndWhenNobodyIsToldOfTheDecision() {
        List<Outcome<UpdateReply>> outcome = undecided(cluster.nextId());
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Decide);
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        cluster.await(() -> doubts() == 0, DOUBT_SECONDS_MAX);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
    }
}
