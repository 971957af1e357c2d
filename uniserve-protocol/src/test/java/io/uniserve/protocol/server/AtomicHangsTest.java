package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An engine that hangs in a prepare, while its process is otherwise healthy and is not killed. */
class AtomicHangsTest {
    private static final long SECOND = Cluster.SECOND;
    /** Longer than the time after which a manager aborts a version. */
    private static final long ENGINE_TIMEOUT_NANOS = 15 * SECOND;

    private Cluster cluster = cluster(4);
    private AtomicCluster atomic = table();
    private AtomicWatch watch = atomic.watch();
    private final RequestId id = new RequestId(7, 7, 7);
    private long hungAt;

    private static Cluster cluster(int servers) {
        return new Cluster(servers, 20_000, LogOptions.defaults(), ENGINE_TIMEOUT_NANOS);
    }

    private AtomicCluster table() {
        return new AtomicCluster(cluster, 2, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
    }

    /** The whole table is read during each of these cases. */
    @AfterEach
    void whatWasReadMeanwhileWasWhole() {
        watch.ended();
    }

    private boolean inSync(Host host) {
        return cluster.actor(1).isr().contains(new ServerId(host.address().host()));
    }

    /** A server whose engine does not hang. */
    private Host driver(Host hung) {
        return cluster.servers.values().stream()
                .filter(host -> host != hung && !host.gates.containsKey(cluster.key(1)))
                .findFirst()
                .orElseGet(() -> cluster.servers.values().stream()
                        .filter(host -> host != hung)
                        .findFirst()
                        .orElseThrow());
    }

    private List<Outcome<UpdateReply>> sendAndHang(Host hung) {
        hung.engine().hangPrepares();
        List<Outcome<UpdateReply>> update = send(hung, 1);
        cluster.await(() -> hung.engine().hungPrepares() > 0, 5);
        hungAt = cluster.loop.nanos();
        return update;
    }

    private List<Outcome<UpdateReply>> send(Host hung, int attempt) {
        return atomic.send(driver(hung), id, attempt, rows("b", 0, 1));
    }

    private boolean mayHang() {
        return cluster.loop.nanos() - hungAt < ENGINE_TIMEOUT_NANOS - 3 * SECOND;
    }

    /** It leaves the set by itself after the time-out, without another fault. */
    private void leavesTheSet(Host hung) {
        assertThat(inSync(hung)).isTrue();
        cluster.await(() -> !inSync(hung), 10);
        assertThat(cluster.loop.nanos() - hungAt).isGreaterThan(ENGINE_TIMEOUT_NANOS);
        assertThat(hung.serving(cluster.key(1))).isFalse();
        assertThat(hung.up()).isTrue();
    }

    /** Later updates work as usual, and another server gets the replica, as this one reports that it cannot have it. */
    private void goesOnElsewhere(Host hung) {
        String before = atomic.readAlike(0, 1);
        long version = atomic.update(driver(hung), rows("d", 0, 1));
        String all = before + "," + version + "=d";
        assertThat(atomic.readAlike(0, 1)).isEqualTo(all);
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 30);
        assertThat(inSync(hung)).isFalse();
        atomic.awaitRows(1, all.split(","));
        assertThat(hung.engine().hungPrepares()).as("it hangs still").isPositive();
    }

    /** An update only needs its rows on the replica's disk. The replica must not skip a version that it could not prepare. */
    @Test
    void aReplicaThatHangsHoldsNothingUpAndLeavesTheSet() {
        Host hung = atomic.follower(1);
        Host primary = atomic.primary(1);
        atomic.update(driver(hung), rows("a", 0, 1));
        assertThat(atomic.version(sendAndHang(hung))).isEqualTo(2);
        long third = atomic.update(driver(hung), rows("c", 0, 1));
        while (mayHang()) {
            assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a,2=b," + third + "=c");
            assertThat(atomic.ask(hung, 1, 0).error()).as("in doubt").isPresent();
            cluster.loop.run(SECOND / 2);
        }
        leavesTheSet(hung);
        assertThat(atomic.primary(1)).isSameAs(primary);
        goesOnElsewhere(hung);
    }

    /** An update needs more of a primary: it waits, readers see the state before, and it commits under another primary. */
    @Test
    void aPrimaryThatHangsIsReplacedAndTheUpdateIsCommitted() {
        Host hung = atomic.primary(1);
        Host follower = atomic.follower(1);
        atomic.update(driver(hung), rows("a", 0, 1));
        List<Outcome<UpdateReply>> update = sendAndHang(hung);
        while (mayHang()) {
            assertThat(update).isEmpty();
            assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a");
            cluster.loop.run(SECOND / 2);
        }
        leavesTheSet(hung);
        long version = atomic.version(update);
        assertThat(atomic.primary(1)).isSameAs(follower);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a," + version + "=b");
        goesOnElsewhere(hung);
    }

    /** It stays out of the set while its engine hangs. It is admitted when the engine returns, with all updates since. */
    @Test
    void whereNoOtherServerIsItIsAwaited() {
        cluster = cluster(2);
        atomic = table();
        watch = atomic.watch();
        Host hung = atomic.follower(1);
        atomic.update(driver(hung), rows("a", 0, 1));
        long version = atomic.version(sendAndHang(hung));
        cluster.await(() -> !inSync(hung), 30);
        long epoch = cluster.actor(1).epoch();
        cluster.loop.run(100 * SECOND);
        assertThat(inSync(hung)).isFalse();
        assertThat(cluster.actor(1).epoch() - epoch).as("tries of it").isBetween(1L, 10L);
        long next = atomic.update(driver(hung), rows("d", 0, 1));
        hung.engine().resumePrepares();
        cluster.await(() -> inSync(hung), 60);
        atomic.awaitRows(1, "1=a", version + "=b", next + "=d");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a," + version + "=b," + next + "=d");
    }

    /**
     * The removal does not wait for the hung engine. If the server is named again, it reports that it cannot have the replica, and another
     * one gets it.
     */
    @Test
    void aReplicaIsMovedAwayWhileItHangsAndIsWantedAgain() {
        Host hung = atomic.follower(1);
        ServerId here = new ServerId(hung.address().host());
        ServerId there = cluster.servers.keySet().stream()
                .map(ServerId::new)
                .filter(id -> !cluster.actor(1).isr().contains(id))
                .filter(id -> !id.equals(cluster.actor(0).primary()))
                .findFirst()
                .orElseThrow();
        atomic.update(driver(hung), rows("a", 0, 1));
        long version = atomic.version(sendAndHang(hung));
        move(here, there);
        cluster.await(() -> !inSync(hung) && cluster.actor(1).isr().size() == 2, 10);
        assertThat(mayHang()).as("moved before the time-out").isTrue();
        cluster.loop.run(2 * ENGINE_TIMEOUT_NANOS);
        move(there, here);
        cluster.loop.run(SECOND);
        cluster.server(there).kill();
        cluster.await(
                () -> cluster.actor(1).isr().size() == 2
                        && !cluster.actor(1).isr().contains(there),
                120);
        assertThat(inSync(hung)).isFalse();
        assertThat(hung.engine().hungPrepares()).as("it hangs still").isPositive();
        atomic.awaitRows(1, "1=a", version + "=b");
    }

    private void move(ServerId from, ServerId to) {
        cluster.coordinator.onAdmin(
                new AdminRequest.MoveReplica(Cluster.T, 1, from, to),
                moved -> assertThat(moved).isInstanceOf(Outcome.Ok.class));
    }

    /** No replica can prepare the update, so it fails, and the actor is unavailable until one of them returns. */
    @Test
    void whereAllReplicasHangTheUpdateFails() {
        Host primary = atomic.primary(1);
        Host follower = atomic.follower(1);
        atomic.update(driver(primary), rows("a", 0, 1));
        follower.engine().hangPrepares();
        List<Outcome<UpdateReply>> update = sendAndHang(primary);
        assertThat(atomic.error(update)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(atomic.message(update)).contains("not decided before the deadline", "retry with the same id");
        assertThat(atomic.log().committedVersion()).isEqualTo(1);
        assertThat(atomic.reader().ask(2, 1)).as("no answer of either").isInstanceOf(Outcome.Err.class);
        assertThat(atomic.reader().read(0).values()).containsEntry(0, "1=a");
        primary.engine().resumePrepares();
        follower.engine().resumePrepares();
        cluster.await(() -> cluster.actor(1).isr().size() == 2, 60);
        assertThat(atomic.readAlike(0, 1)).as("what came back late did nothing").isEqualTo("1=a");
        long version = atomic.version(send(primary, 2));
        atomic.awaitRows(1, "1=a", version + "=b");
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=a," + version + "=b");
    }
}
