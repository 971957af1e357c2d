package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A PREPARE that in-sync replicas have on disk before their primary, and its possible outcomes. */
class AtomicEarlyTest {
    private static final long SECOND = Cluster.SECOND;

    private AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private Cluster cluster = atomic.cluster;
    private Host primary = atomic.primary(1);
    private Host follower = atomic.follower(1);
    private Host driver = atomic.other(1) == follower ? atomic.primary(0) : atomic.other(1);
    private AtomicWatch watch = atomic.watch();

    /** The whole table is read during each of these cases. */
    @AfterEach
    void whatWasReadMeanwhileWasWhole() {
        watch.ended();
    }

    private void with(AtomicCluster other) {
        atomic = other;
        cluster = other.cluster;
        primary = other.primary(1);
        driver = other.other(1);
        watch = other.watch();
    }

    /** The entries on the disk of a replica of actor 1. */
    private List<LogEntry> entries(Host host) {
        List<LogEntry> entries = new ArrayList<>();
        for (String segment : host.disk.files(cluster.key(1) + "/log/")) {
            Outcome<List<LogEntry>> read = ReplicaLog.decode(Bytes.wrap(host.disk.bytes(segment)), entries.size() + 1L);
            assertThat(read).isInstanceOf(Outcome.Ok.class);
            entries.addAll(((Outcome.Ok<List<LogEntry>>) read).value());
        }
        return entries;
    }

    /** The follower has an entry on disk that the primary lacks. */
    private List<Outcome<UpdateReply>> early() {
        primary.disk.hang(true);
        int before = entries(follower).size();
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> entries(follower).size() > before && follower.disk.syncs() > 0, 1);
        cluster.loop.run(SECOND / 20);
        assertThat(outcome).as("the primary has not voted").isEmpty();
        return outcome;
    }

    /** Both replicas are healthy, in sync, and have the same entries. */
    private void alike(String... rows) {
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 90);
        atomic.awaitRows(1, rows);
        cluster.loop.run(2 * SECOND); // a decision is sent with the next entry or with a tick
        List<List<LogEntry>> logs = cluster.actor(1).isr().stream()
                .map(id -> entries(cluster.server(id)))
                .toList();
        assertThat(logs.get(0)).isEqualTo(logs.get(1));
    }

    @Test
    void theFollowerWritesWhileThePrimaryDoes() {
        List<Outcome<UpdateReply>> outcome = early();
        assertThat(atomic.doubt(follower, 1)).isEqualTo(1);
        assertThat(atomic.log().committedVersion()).isZero();
        assertThat(atomic.readAlike(0, 1)).as("in flight").isEmpty();
        primary.disk.hang(false);
        assertThat(atomic.version(outcome)).isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
        alike("1=a");
    }

    @Test
    void theDecisionBeforeItGoesAlong() {
        atomic.update(driver, rows("x", 0, 1));
        cluster.await(() -> atomic.doubt(primary, 1) == 0, 1);
        List<Outcome<UpdateReply>> outcome = early();
        primary.disk.hang(false);
        long version = atomic.version(outcome);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=x," + version + "=a");
        alike("1=x", version + "=a");
    }

    @Test
    void thePrimaryDiesAndTheFollowerLeads() {
        List<Outcome<UpdateReply>> outcome = early();
        primary.kill();
        primary.disk.hang(false);
        cluster.await(() -> atomic.primary(1) == follower, 60);
        long version = atomic.version(outcome);
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        primary.start();
        alike(version + "=a");
    }

    /** It would reuse the entry's index and epoch for another entry. */
    @Test
    void thePrimaryDiesAndComesBackBeforeAnybodyNotices() {
        List<Outcome<UpdateReply>> outcome = early();
        ActorState before = cluster.actor(1);
        primary.kill();
        primary.disk.hang(false);
        primary.start();
        assertThat(cluster.actor(1)).as("not detected yet").isEqualTo(before);
        long version = atomic.version(outcome);
        assertThat(cluster.actor(1).epoch()).isGreaterThan(before.epoch());
        assertThat(cluster.actor(1).primary()).as("it leads again").isEqualTo(before.primary());
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        long last = atomic.update(driver, rows("b", 0, 1));
        alike(version + "=a", last + "=b");
    }

    /** The follower has the decision too, and has applied it. */
    @Test
    void thePrimaryComesBackWithoutTheDecisionBeforeIt() {
        atomic.update(driver, rows("x", 0, 1));
        cluster.await(() -> atomic.doubt(primary, 1) == 0, 1);
        List<Outcome<UpdateReply>> outcome = early();
        primary.kill();
        primary.disk.hang(false);
        primary.start();
        long version = atomic.version(outcome);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=x," + version + "=a");
        alike("1=x", version + "=a");
    }

    @Test
    void allOfThemDieAtOnce() {
        List<Outcome<UpdateReply>> outcome = early();
        List<Host> all = List.copyOf(cluster.servers.values());
        all.forEach(Host::kill);
        primary.disk.hang(false);
        all.forEach(Host::start);
        outcome.clear();
        cluster.await(() -> atomic.log().inFlight() == null, 60);
        cluster.await(() -> cluster.actor(1).epoch() > 1 && atomic.primary(1).serving(cluster.key(1)), 30);
        long version = atomic.update(atomic.primary(0), rows("b", 0, 1));
        String[] rows = atomic.readAlike(0, 1).split(",", -1);
        assertThat(rows).as("what was under way may be there, or not").endsWith(version + "=b");
        alike(rows);
    }

    @Test
    void aRestartWithNothingUnderWayTakesTheNextEpochToo() {
        long version = atomic.update(driver, rows("a", 0, 1));
        cluster.loop.run(SECOND);
        long epoch = cluster.actor(1).epoch();
        primary.kill();
        primary.start();
        long last = atomic.update(driver, rows("b", 0, 1));
        assertThat(cluster.actor(1).epoch()).isEqualTo(epoch + 1);
        alike(version + "=a", last + "=b");
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor(1).epoch()).as("once").isEqualTo(epoch + 1);
    }

    @Test
    void thePrimarysWriteFails() {
        ActorState before = cluster.actor(1);
        primary.disk.hangAppending(true);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> atomic.doubt(follower, 1) == 1, 1);
        cluster.loop.run(SECOND / 20);
        int builds = primary.engine().builds();
        primary.disk.full(true);
        primary.disk.hangAppending(false);
        cluster.loop.run(SECOND / 20);
        primary.disk.full(false);
        long version = atomic.version(outcome);
        assertThat(cluster.actor(1).epoch()).isGreaterThan(before.epoch());
        assertThat(primary.engine().builds()).as("it had prepared what is gone").isGreaterThan(builds);
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        alike(version + "=a");
    }

    @Test
    void thePrimarysWriteFailsWhereNobodyElseIsInSync() {
        with(new AtomicCluster(3, 2, 1));
        ActorState before = cluster.actor(1);
        primary.disk.hangAppending(true);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.loop.run(SECOND / 20);
        int builds = primary.engine().builds();
        primary.disk.full(true);
        primary.disk.hangAppending(false);
        cluster.loop.run(SECOND / 20);
        assertThat(atomic.doubt(primary, 1)).isZero();
        primary.disk.full(false);
        long version = atomic.version(outcome);
        assertThat(cluster.actor(1)).as("the same epoch").isEqualTo(before);
        assertThat(primary.engine().builds()).isEqualTo(builds + 1);
        atomic.awaitRows(1, version + "=a");
        primary.kill();
        primary.start();
        long last = atomic.update(driver, rows("b", 0, 1));
        assertThat(cluster.actor(1)).as("the same epoch after a restart").isEqualTo(before);
        atomic.awaitRows(1, version + "=a", last + "=b");
    }

    @Test
    void thePrimarysSyncFails() {
        List<Outcome<UpdateReply>> outcome = early();
        primary.disk.failSyncs();
        primary.disk.hang(false);
        cluster.await(() -> !primary.fatal.isEmpty(), 1);
        primary.kill();
        long version = atomic.version(outcome);
        assertThat(atomic.primary(1)).isSameAs(follower);
        assertThat(atomic.readAlike(0, 1)).isEqualTo(version + "=a");
        alike(version + "=a"); // with another server
    }

    /** Rows that the engine rejects are sent to no follower, however long the primary's disk takes. */
    @Test
    void rowsAreRefusedWhileTheyAreWritten() {
        atomic.update(driver, rows("x", 0, 1));
        cluster.await(() -> atomic.doubt(primary, 1) == 0, 1);
        primary.disk.hang(true);
        List<Outcome<UpdateReply>> wrong = atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "misfit"));
        cluster.loop.run(SECOND / 20);
        assertThat(wrong).as("the log decides, not the engine alone").isEmpty();
        assertThat(entries(follower).stream().filter(entry -> entry.type() == LogEntry.Type.PREPARE))
                .hasSize(1);
        primary.disk.hang(false);
        assertThat(atomic.error(wrong)).isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.update(driver, rows("b", 0, 1));
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=x," + version + "=b");
        alike("1=x", version + "=b");
        assertThat(entries(follower).stream().filter(entry -> entry.type() == LogEntry.Type.REFUSED))
                .hasSize(1);
    }

    @Test
    void rowsAreRefusedAndTheirWriteFails() {
        int builds = primary.engine().builds();
        primary.disk.hangAppending(true);
        List<Outcome<UpdateReply>> wrong = atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "misfit"));
        cluster.loop.run(SECOND / 20);
        primary.disk.full(true);
        primary.disk.hangAppending(false);
        cluster.loop.run(SECOND / 20);
        assertThat(primary.engine().builds())
                .as("what it made of the rows is not known")
                .isEqualTo(builds + 1);
        primary.disk.full(false);
        assertThat(atomic.error(wrong)).isEqualTo(ErrorCode.UPDATE_REFUSED);
        long version = atomic.update(driver, rows("b", 0, 1));
        alike(version + "=b");
    }

    @Test
    void theReplicaIsClosedWhileARefusalWaitsForTheDisk() {
        primary.disk.hang(true);
        atomic.send(driver, cluster.nextId(), 1, Map.of(0, "a", 1, "misfit")).clear();
        cluster.loop.run(SECOND / 20);
        cluster.loop.after(SECOND / 2, () -> primary.disk.hang(false)); // when the table is dropped
        atomic.recreate(2, 2);
        long version = atomic.update(atomic.primary(0), rows("b", 0, 1));
        atomic.awaitRows(1, version + "=b");
    }

    /** When an epoch continues after a restart, the primary waits only for in-sync replicas. */
    @Test
    void aLearnerIsGivenWhatIsOnDisk() {
        follower.kill();
        cluster.await(() -> cluster.actor(1).isr().size() == 1, 30);
        cluster.await(() -> primary.serving(cluster.key(1)), 30);
        atomic.update(driver, rows("x", 0, 1));
        primary.disk.hang(true);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        follower.start();
        cluster.await(() -> !cluster.actor(1).learners().isEmpty(), 20);
        cluster.loop.run(2 * SECOND);
        assertThat(atomic.doubt(follower, 1)).as("what it has been given").isLessThanOrEqualTo(1);
        primary.disk.hang(false);
        long version = atomic.version(outcome);
        alike("1=x", version + "=a");
    }

    /** In a stream of updates the engine is always ahead of the disk; checkpoints are of the state on disk. */
    @Test
    void checkpointsAreMadeInAStreamOfUpdates() {
        with(new AtomicCluster(new Cluster(3, 8), 2, 2, ConsistencyLevel.FULLY_SERIALIZABLE));
        for (int i = 0; i < 20; i++) {
            atomic.update(driver, rows("a", 0, 1));
        }
        for (Host host : List.of(primary, atomic.follower(1))) {
            assertThat(host.disk.files(cluster.key(1) + "/checkpoint/")).isNotEmpty();
        }
    }
}
