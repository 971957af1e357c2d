package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Updates of servers' copies of the transaction log: pushes of managers, else reads. */
class TransactionLogFollowerTest {
    private static final int UPDATES = 5;

    private final AtomicCluster atomic = new AtomicCluster(3, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);
    private final Host follower = atomic.follower(0);
    private final String log = atomic.logPath();

    private void update() {
        for (int i = 0; i < UPDATES; i++) {
            atomic.update(driver, rows("a", 0));
        }
    }

    private long version(Host host) {
        return host.version(cluster.map().tableId());
    }

    private static Optional<TransactionLogSnapshot> told(PeerRequest request) {
        if (request instanceof PeerRequest.Prepare prepare) {
            return prepare.transactionLog();
        } else if (request instanceof PeerRequest.Decide decide) {
            return decide.transactionLog();
        }
        return request instanceof PeerRequest.PublishTransactionLog tell
                ? Optional.of(tell.transactionLog())
                : Optional.empty();
    }

    @Test
    void whoIsToldNeitherWatchesNorReads() {
        update();
        List<Integer> before = reads();
        update();
        assertThat(reads()).isEqualTo(before);
        for (Host host : hosts()) {
            assertThat(host.registry().watches(log)).isFalse();
        }
        long newest = atomic.log().committedVersion();
        cluster.loop.run(Cluster.SECOND / 50);
        assertThat(hosts()).allMatch(host -> version(host) == newest);
    }

    private List<Host> hosts() {
        return cluster.servers.values().stream()
                .filter(host -> host.gates.keySet().stream()
                        .anyMatch(key -> key.tableId() == cluster.map().tableId()))
                .toList();
    }

    private List<Integer> reads() {
        return hosts().stream().map(host -> host.registry().reads(log)).toList();
    }

    @Test
    void afterAWhileWithoutAWordTheLogIsReadOnceAndWatched() {
        update();
        List<Integer> before = reads();
        cluster.loop.run(2 * Cluster.SECOND);
        assertThat(hosts()).allMatch(host -> host.registry().watches(log));
        List<Integer> once = reads();
        for (int i = 0; i < once.size(); i++) {
            assertThat(once.get(i) - before.get(i)).isBetween(1, 2);
        }
        cluster.loop.run(10 * Cluster.SECOND);
        assertThat(reads()).isEqualTo(once);
    }

    @Test
    void eachServerIsSentEachWriteOnceAtMost() {
        List<String> sent = new ArrayList<>();
        cluster.network.lose((to, request) -> {
            told(request).ifPresent(told -> sent.add(to + " " + told.nodeVersion()));
            return false;
        });
        update();
        cluster.loop.run(Cluster.SECOND);
        assertThat(sent)
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .noneMatch(each -> each.startsWith(driver.address() + " "));
    }

    @Test
    void aServerThatDoesNotAnswerIsToldOneThingAtATimeAndThenTheNewest() {
        cluster.loop.run(2 * Cluster.SECOND);
        List<Integer> sent = new ArrayList<>();
        Address deaf = follower.address();
        cluster.network.lose((to, request) -> {
            if (to.equals(deaf) && request instanceof PeerRequest.PublishTransactionLog tell) {
                sent.add(tell.transactionLog().nodeVersion());
                return sent.size() == 1;
            }
            return false;
        });
        update();
        assertThat(sent).hasSize(1);
        cluster.loop.run(10 * Cluster.SECOND);
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1)).as("of five updates with a write each").isGreaterThanOrEqualTo(sent.get(0) + 5);
    }

    @Test
    void whatNobodyTellsIsRead() {
        cluster.loop.run(2 * Cluster.SECOND);
        Address deaf = follower.address();
        cluster.network.lose((to, request) -> to.equals(deaf) && told(request).isPresent());
        long version = atomic.update(driver, rows("a", 0));
        cluster.loop.run(Cluster.SECOND / 20);
        assertThat(version(follower)).as("by its watch").isEqualTo(version);
        assertThat(follower.registry().watches(log)).isTrue();
    }

    @Test
    void aDriverThatFallsSilentIsNoticed() {
        update();
        assertThat(follower.registry().watches(log)).isFalse();
        Address deaf = follower.address();
        cluster.network.lose((to, request) -> to.equals(deaf) && request instanceof PeerRequest.PublishTransactionLog);
        long version = atomic.update(driver, rows("b", 0));
        cluster.loop.run(2 * Cluster.SECOND);
        assertThat(version(follower)).isEqualTo(version);
    }

    @Test
    void anOldLogAndOneOfAnotherTableAreNotHeard() {
        TransactionLogState old = atomic.log();
        long version = atomic.update(driver, rows("a", 0));
        cluster.loop.run(2 * Cluster.SECOND);
        TransactionLogState known = atomic.log();
        tell(old, 0);
        assertThat(follower.registry().watches(log)).as("nothing new").isTrue();
        TransactionLogState foreign = new TransactionLogState(
                known.tableId() + 1,
                99,
                100,
                null,
                known.decisions(),
                known.newestForgottenVersion(),
                known.historyNumber());
        tell(foreign, 1_000);
        assertThat(follower.version(foreign.tableId())).isZero();
        assertThat(version(follower)).isEqualTo(version);
        assertThat(atomic.ask(follower, 0, 0).at()).isEqualTo(version);
    }

    private void tell(TransactionLogState log, int nodeVersion) {
        follower.machine()
                .onPeer(
                        new PeerRequest.PublishTransactionLog(Cluster.T, new TransactionLogSnapshot(log, nodeVersion)),
                        reply -> {});
        cluster.loop.run(Cluster.SECOND / 50);
    }

    @Test
    void aNewSessionLooksAgain() {
        cluster.loop.run(2 * Cluster.SECOND);
        int before = follower.registry().reads(log);
        follower.registry().expire();
        cluster.loop.run(Cluster.SECOND);
        assertThat(follower.registry().reads(log)).isGreaterThan(before);
        assertThat(follower.registry().watches(log)).isTrue();
    }

    @Test
    void whoHostsNothingDoesNotFollow() {
        AtomicCluster small = new AtomicCluster(3, 1, 1, ConsistencyLevel.SERIALIZABLE);
        Host idle = small.other(0);
        assertThat(idle.registry().watches(log)).isFalse();
        assertThat(idle.registry().reads(log)).isZero();
        long version = small.update(idle, rows("a", 0));
        small.cluster.loop.run(Cluster.SECOND / 50);
        assertThat(small.primary(0).version(small.cluster.map().tableId()))
                .as("it is the manager, and pushes logs")
                .isEqualTo(version);
    }
}
