package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Atomic updates while clients, managers and participants crash, are deposed, or lose messages. */
class AtomicDeathsTest {
    private static final long SECOND = Cluster.SECOND;

    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private AtomicWatch watch = atomic.watch();

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

    @Test
    void theClientDiesBetweenPrepareAndDecision() {
        undecided(cluster.nextId()).clear(); // no client gets the outcome
        driver.registry().release();
        atomic.awaitRows(0, "1=a");
        atomic.awaitRows(1, "1=a");
        assertThat(atomic.log().committedVersion()).isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
    }

    @Test
    void theDriverDiesBetweenPrepareAndDecision() {
        RequestId id = cluster.nextId();
        undecided(id);
        assertThat(atomic.readAlike(0, 1)).as("in flight").isEmpty();
        driver.kill();
        assertThat(atomic.log().inFlight()).isNotNull();
        assertThat(atomic.reader().ask(5, 1)).as("actor 1 has lost no server").isInstanceOf(Outcome.Ok.class);
        cluster.await(() -> atomic.log().inFlight() == null, 60);
        assertThat(atomic.log().decisions().get(0).committed()).isFalse();
        Host next = atomic.primary(0);
        assertThat(atomic.version(atomic.send(next, id, 2, rows("a", 0, 1)))).isEqualTo(2);
        atomic.awaitRows(0, "2=a");
        atomic.awaitRows(1, "2=a");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("2=a");
    }

    @Test
    void theTableGoesWhileTheDecisionIsOnItsWay() {
        watch.seesNothing();
        List<Outcome<UpdateReply>> update = undecided(cluster.nextId());
        atomic.recreate(2, 2);
        cluster.await(() -> !update.isEmpty(), 20);
        assertThat(atomic.error(update)).as("it may have been committed before").isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void theDriverDiesAfterTheCommitWrite() {
        RequestId id = cluster.nextId();
        cluster.network.lose((to, request) -> request instanceof PeerRequest.Decide);
        atomic.send(driver, id, 1, rows("a", 0, 1));
        cluster.await(() -> atomic.log().committedVersion() == 1, 10);
        driver.kill();
        assertThat(atomic.reader().read(1).values())
                .as("replicas in doubt read the transaction log")
                .containsValue("1=a");
        cluster.await(() -> !atomic.primary(0).equals(driver), 60);
        assertThat(atomic.version(atomic.send(atomic.primary(0), id, 2, rows("a", 0, 1))))
                .as("the retry gets the recorded outcome of it")
                .isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        atomic.awaitRows(0, "1=a");
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aParticipantHearsOfNoDecision() {
        Host participant = atomic.primary(1);
        cluster.network.lose(
                (to, request) -> request instanceof PeerRequest.Decide && to.equals(participant.address()));
        atomic.update(driver, rows("a", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aParticipantLosesTheRegistryWhileTheDecisionIsWritten() {
        Host participant = atomic.primary(1);
        Host follower = atomic.follower(1);
        List<Outcome<UpdateReply>> outcome = undecided(cluster.nextId());
        assertThat(participant).as("another case").isNotSameAs(driver);
        participant.registry().cut(true);
        follower.registry().cut(follower != driver);
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        AtomicCluster.Answer told = atomic.ask(participant, 1, 0);
        assertThat(told.error().isPresent() || told.rows().equals(List.of("1=a")))
                .as("an answer with it, or none: %s", told)
                .isTrue();
        participant.registry().cut(false);
        follower.registry().cut(false);
        atomic.awaitRows(1, "1=a");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
    }

    @Test
    void aParticipantsPrimaryDiesWhileItIsPrepared() {
        Host participant = atomic.primary(1);
        List<Outcome<UpdateReply>> outcome = undecided(cluster.nextId());
        assertThat(participant).as("another case").isNotSameAs(driver);
        participant.kill();
        cluster.await(() -> atomic.primary(1) != participant, 30);
        driver.registry().release();
        assertThat(atomic.version(outcome)).isEqualTo(1);
        cluster.await(() -> atomic.primary(1).serving(cluster.key(1)), 30);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        participant.start();
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aDeposedDriverWakesAndItsCommitIsOld() {
        List<Outcome<UpdateReply>> outcome = undecided(cluster.nextId());
        int map = cluster.store
                .read(io.uniserve.protocol.RegistryPaths.map(Cluster.T))
                .version();
        Host away = atomic.follower(1) == driver ? atomic.primary(1) : atomic.follower(1);
        assertThat(away).isNotSameAs(driver);
        away.kill();
        cluster.await(() -> cluster.actor(1).isr().size() == 1, 30);
        assertThat(cluster.store
                        .read(io.uniserve.protocol.RegistryPaths.map(Cluster.T))
                        .version())
                .isGreaterThan(map);
        assertThat(atomic.log().inFlight())
                .as("the old map's commit is still on its way")
                .isNotNull();
        driver.registry().release();
        cluster.loop.run(1_500);
        assertThat(atomic.log().inFlight())
                .as("the write that was on its way did nothing")
                .isNotNull();
        assertThat(atomic.version(outcome))
                .as("another vote, in the newer epoch")
                .isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
    }

    @Test
    void aDriverWhoseVersionOthersAbortedDoesNotCommitIt() {
        List<Outcome<UpdateReply>> outcome = undecided(cluster.nextId());
        cluster.await(() -> atomic.log().inFlight() == null, 60); // another server aborts it
        assertThat(atomic.log().decisions().get(0).committed()).isFalse();
        driver.registry().release();
        assertThat(atomic.version(outcome)).as("tried again").isEqualTo(2);
        assertThat(atomic.log().decisions().get(0).committed()).isFalse();
        atomic.awaitRows(0, "2=a");
        atomic.awaitRows(1, "2=a");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("2=a");
    }

    @Test
    void theAnswerToTheCommitWriteIsLost() {
        driver.registry().onlyWrites(AtomicCluster.DECISION);
        driver.registry().loseNextAnswer();
        assertThat(atomic.update(driver, rows("a", 0, 1))).isEqualTo(1);
        assertThat(atomic.log().decisions()).hasSize(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        atomic.awaitRows(0, "1=a");
    }

    @Test
    void theCommitWriteIsLost() {
        driver.registry().onlyWrites(AtomicCluster.DECISION);
        driver.registry().loseNextWrite();
        assertThat(atomic.update(driver, rows("a", 0, 1)))
                .as("the same version, written again")
                .isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        atomic.awaitRows(0, "1=a");
    }

    @Test
    void aReplicaJoinsWhileAnUpdateIsPrepared() {
        Host follower = atomic.follower(1) == driver ? atomic.primary(1) : atomic.follower(1);
        follower.kill();
        cluster.await(() -> cluster.actor(1).isr().size() == 1 && atomic.primary(1) != follower, 30);
        cluster.await(() -> atomic.primary(1).serving(cluster.key(1)), 30);
        cluster.await(() -> atomic.primary(0).serving(cluster.key(0)), 30);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        follower.start();
        boolean joined = cluster.loop.runUntil(() -> cluster.actor(1).isr().size() == 2, 8 * SECOND);
        driver.registry().release();
        assertThat(atomic.version(outcome)).isBetween(1L, 2L);
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
        cluster.await(
                () -> cluster.actor(1).isr().stream()
                        .allMatch(id -> cluster.server(id).serving(cluster.key(1))),
                30);
        assertThat(joined).as("in the set while version 1 was prepared").isTrue();
        long version = atomic.log().committedVersion();
        cluster.actor(1)
                .isr()
                .forEach(id -> assertThat(atomic.ask(cluster.server(id), 1, 0).rows())
                        .as("on " + id)
                        .containsExactly(version + "=a"));
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
    }

    @Test
    void twoThousandCommitsPassWhileTheOnlyServerOfAnActorIsDown() {
        AtomicCluster single = new AtomicCluster(3, 3, 1);
        watch = single.watch();
        Host owner = single.primary(2);
        Host other = single.other(2);
        single.cluster.network.lose((to, request) ->
                request instanceof PeerRequest.Decide decide && decide.key().actor() == 2);
        assertThat(single.update(other, rows("a", 2))).isEqualTo(1);
        owner.kill();
        single.cluster.network.lose((to, request) -> false);
        int free = single.primary(0) == owner ? 1 : 0;
        assertThat(single.primary(free)).isNotSameAs(owner);
        for (int i = 0; i < 2_000; i++) {
            single.update(other, rows("x", free));
        }
        assertThat(single.log().decisions().get(0).unackedParticipants()).containsExactly(2);
        assertThat(single.reader().ask(2, 0, 1, 2)).as("an error, never a part").isInstanceOf(Outcome.Err.class);
        owner.start();
        single.awaitRows(2, "1=a");
        assertThat(single.reader().read(2).version()).isGreaterThanOrEqualTo(2_001);
        single.cluster.await(
                () -> single.log().decisions().stream()
                        .allMatch(decision -> decision.unackedParticipants().isEmpty()),
                60);
    }

    @Test
    void anActorThatIsAwayHoldsUpOnlyWhatNeedsIt() {
        AtomicCluster single = new AtomicCluster(3, 3, 1);
        watch = single.watch();
        Host owner = single.primary(2);
        Host other = single.other(2);
        int free = single.primary(0) == owner ? 1 : 0;
        owner.kill();
        List<Outcome<UpdateReply>> stuck = single.send(other, single.cluster.nextId(), 1, rows("s", free, 2));
        single.cluster.loop.run(5 * SECOND);
        long passed = single.update(other, rows("x", free));
        assertThat(passed).isGreaterThan(1);
        assertThat(stuck).isEmpty();
        owner.start();
        long late = single.version(stuck);
        single.awaitRows(2, late + "=s");
        single.awaitRows(free, passed + "=x", late + "=s");
    }

    @Test
    void nobodyActsOnTheAbsenceOfARecord() {
        undecided(cluster.nextId());
        cluster.loop.run(6 * SECOND); // less than the time after which another server aborts it
        assertThat(atomic.log().inFlight()).isNotNull();
        for (int actor : new int[] {0, 1}) {
            assertThat(atomic.doubt(atomic.primary(actor), actor))
                    .as("prepared still, on actor " + actor)
                    .isEqualTo(1);
        }
        driver.registry().release();
        atomic.awaitRows(0, "1=a");
        atomic.awaitRows(1, "1=a");
    }

    @Test
    void aReadAtAVersionInFlightIsRefused() {
        undecided(cluster.nextId());
        assertThat(atomic.ask(atomic.primary(1), 1, 1).error())
                .as("a version that is not committed")
                .isPresent();
        driver.registry().release();
        Outcome<SnapshotReadExecution.Result> read = atomic.reader().ask(10, 0, 1);
        assertThat(read).isInstanceOf(Outcome.Ok.class);
    }
}
