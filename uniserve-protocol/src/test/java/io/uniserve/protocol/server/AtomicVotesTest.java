package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Duplicate requests, rejected rows, and engines that throw, hang or differ. */
class AtomicVotesTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final AtomicWatch watch = atomic.watch();

    /** The whole table is read during each of these cases. */
    @AfterEach
    void whatWasReadMeanwhileWasWhole() {
        watch.ended();
    }

    @Test
    void twoClientsUseOneRequestIdAtTwoDrivers() {
        RequestId id = cluster.nextId();
        Host second = atomic.other(0);
        List<Outcome<UpdateReply>> one = atomic.send(driver, id, 1, rows("a", 0, 1));
        List<Outcome<UpdateReply>> two = atomic.send(second, id, 1, rows("a", 0, 1));
        long version = atomic.version(one);
        assertThat(atomic.version(two)).isEqualTo(version);
        atomic.awaitRows(0, version + "=a");
        atomic.awaitRows(1, version + "=a");
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
    }

    @Test
    void twoClientsUseOneRequestIdAtOneDriver() {
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> one = atomic.send(driver, id, 1, rows("a", 0, 1));
        List<Outcome<UpdateReply>> two = atomic.send(driver, id, 1, rows("a", 0, 1));
        assertThat(atomic.version(two)).isEqualTo(atomic.version(one));
        atomic.awaitRows(0, "1=a");
    }

    @Test
    void theSameIdWithOtherContentIsRefused() {
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> one = atomic.send(driver, id, 1, rows("a", 0, 1));
        assertThat(atomic.error(atomic.send(driver, id, 1, rows("b", 0, 1))))
                .as("while it runs")
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        atomic.version(one);
        assertThat(atomic.error(atomic.send(driver, id, 2, rows("b", 0, 1))))
                .as("other rows")
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(atomic.error(atomic.send(atomic.other(0), id, 2, rows("a", 0))))
                .as("other actors, another driver")
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        atomic.awaitRows(0, "1=a");
    }

    @Test
    void anIdBelongsToItsTable() {
        RequestId id = cluster.nextId();
        assertThat(atomic.version(atomic.send(driver, id, 1, rows("a", 0, 1)))).isEqualTo(1);
        long dropped = cluster.map().tableId();
        atomic.recreate(2, 2);
        assertThat(cluster.map().tableId()).isNotEqualTo(dropped);
        assertThat(atomic.version(atomic.send(atomic.primary(0), id, 1, rows("b", 0, 1))))
                .as("an update of its own")
                .isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=b");
    }

    @Test
    void aParticipantVotesNo() {
        List<Outcome<UpdateReply>> bad = atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "bad"));
        List<Outcome<UpdateReply>> good = atomic.send(driver, cluster.nextId(), 1, rows("b", 0, 1));
        assertThat(atomic.error(bad)).isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.version(good);
        atomic.awaitRows(0, version + "=b");
        atomic.awaitRows(1, version + "=b");
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=b");
    }

    /** The second one waits for its turn until the first one is prepared, whose rows are not a reason against their own condition. */
    @Test
    void aRepeatedPrepareWithAConditionIsNotItsOwnConflict() {
        atomic.primary(0).engine().checkPrepared();
        List<Outcome<PeerReply>> votes = new ArrayList<>();
        boolean[] repeated = new boolean[1];
        cluster.network.lose((to, request) -> {
            if (!(request instanceof PeerRequest.Prepare prepare) || repeated[0]) {
                return false;
            }
            repeated[0] = true;
            cluster.network.call(to, prepare, 1_000_000_000, votes::add);
            cluster.network.call(to, prepare, 1_000_000_000, votes::add);
            return true;
        });
        assertThat(atomic.version(atomic.send(driver, cluster.nextId(), 1, Map.of(0, "if 0 a"))))
                .isEqualTo(1);
        assertThat(votes)
                .hasSize(2)
                .allSatisfy(vote ->
                        assertThat(((PeerReply.Vote) vote.value()).kind()).isEqualTo(PeerReply.Vote.Kind.YES));
    }

    @Test
    void aRefusalIsForGood() {
        RequestId id = cluster.nextId();
        assertThat(atomic.error(atomic.send(driver, id, 1, Map.of(0, "a", 1, "bad"))))
                .isEqualTo(ErrorCode.UPDATE_REFUSED);
        assertThat(atomic.error(atomic.send(atomic.other(0), id, 2, Map.of(0, "a", 1, "bad"))))
                .as("a retry at another server")
                .isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.update(driver, rows("b", 0, 1));
        atomic.awaitRows(0, version + "=b");
    }

    @Test
    void prepareThrowsOnceAtThePrimary() {
        atomic.primary(1).engine().failPrepares(1);
        long version = atomic.update(driver, rows("a", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
        atomic.awaitRows(0, version + "=a");
        atomic.awaitRows(1, version + "=a");
    }

    @Test
    void prepareThrowsForTheseRowsEverywhere() {
        assertThat(atomic.error(atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "poison"))))
                .isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.update(driver, rows("b", 0, 1));
        atomic.awaitRows(0, version + "=b");
        atomic.awaitRows(1, version + "=b");
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=b");
    }

    /** The engine detects from the actor's state that the rows are invalid, which is so each time. */
    @Test
    void rowsThatAreFoundWrongInPrepareAreRefusedAtOnce() {
        Host primary = atomic.primary(1);
        primary.engine().slowBuilds(10 * Cluster.SECOND);
        int builds = primary.engine().builds();
        List<Outcome<UpdateReply>> wrong = atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "misfit"));
        cluster.await(() -> !wrong.isEmpty(), 1);
        assertThat(atomic.error(wrong)).isEqualTo(ErrorCode.UPDATE_REFUSED);
        assertThat(atomic.message(wrong)).contains("INVALID_ROW", "no such row to change");
        primary.engine().slowBuilds(0);
        long version = atomic.update(driver, rows("b", 0, 1));
        atomic.awaitRows(0, version + "=b");
        atomic.awaitRows(1, version + "=b");
        assertThat(primary.engine().builds()).isEqualTo(builds + 1);
    }

    /** When the third attempt fails, the manager has already aborted the version and retried with another one. */
    @Test
    void rowsThatFailEachTimeAreRefusedWhereTheEngineTakesLongToBuild() {
        Host primary = atomic.primary(1);
        primary.engine().slowBuilds(2 * Cluster.SECOND);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "poison"));
        assertThat(atomic.error(outcome)).isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.update(driver, rows("b", 0, 1));
        atomic.awaitRows(0, version + "=b");
        atomic.awaitRows(1, version + "=b");
    }

    @Test
    void prepareThrowsAtAFollowerOnly() {
        Host follower = atomic.follower(1);
        follower.engine().failPrepares(1);
        long version = atomic.update(driver, rows("a", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
        atomic.awaitRows(1, version + "=a");
        cluster.await( // it may have left the set meanwhile
                () -> cluster.actor(1).isr().size() == 2 && atomic.doubt(follower, 1) == 0, 60);
        atomic.awaitRows(1, version + "=a");
        assertThat(follower.engine().rows(cluster.key(1))).containsExactly(version + "=a");
    }

    @Test
    void prepareHangs() {
        Host hung = atomic.primary(1) == driver ? atomic.follower(1) : atomic.primary(1);
        hung.engine().hangPrepares();
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.loop.run(20 * Cluster.SECOND);
        long other = atomic.update(driver, rows("x", 0));
        assertThat(outcome)
                .as("what needs the hung one waits, what does not passes")
                .isEmpty();
        assertThat(atomic.reader().read(0).values().get(0)).endsWith(other + "=x");
        hung.kill();
        long version = atomic.version(outcome);
        assertThat(atomic.reader().read(0, 1).values())
                .containsEntry(0, other + "=x," + version + "=a")
                .containsEntry(1, version + "=a");
        hung.start();
        cluster.await(
                () -> cluster.actor(1).isr().size() == 2
                        && cluster.actor(0).isr().size() == 2,
                90);
        atomic.awaitRows(1, version + "=a");
    }

    @Test
    void commitThrowsAtAFollower() {
        Host follower = atomic.follower(1);
        ServerId id = cluster.actor(1).isr().stream()
                .filter(each -> cluster.server(each) == follower)
                .findFirst()
                .orElseThrow();
        long epoch = cluster.actor(1).epoch();
        follower.engine().failDecisions(6);
        long version = atomic.update(driver, rows("a", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        cluster.await(
                () -> cluster.actor(1).epoch() > epoch
                        && !cluster.actor(1).isr().contains(id),
                60);
        assertThat(atomic.readAlike(0, 1)).as("by those left").isEqualTo(version + "=a");
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 120); // this one or another
        atomic.awaitRows(1, version + "=a");
    }

    @Test
    void commitThrowsAtThePrimary() {
        Host primary = atomic.primary(1);
        primary.engine().failDecisions(1);
        long version = atomic.update(driver, rows("a", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 90);
        atomic.awaitRows(1, version + "=a");
    }
}
