package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Older decisions are in the outcomes node, where retries find them. */
class OutcomesTest {
    private static final Predicate<List<Op>> MOVES =
            ops -> ops.stream().anyMatch(op -> RegistryPaths.isOutcomes(op.path()));

    private final AtomicCluster atomic = new AtomicCluster(3, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final TreeMap<Long, RequestId> requests = new TreeMap<>();

    private void commit(Host driver, int count) {
        for (int i = 0; i < count; i++) {
            RequestId id = cluster.nextId();
            long version = atomic.version(atomic.send(driver, id, 1, rows("x" + id.sequence(), 0)));
            assertThat(requests.put(version, id)).isNull();
        }
    }

    private void everyRetryHearsItsOwn(Host driver) {
        requests.forEach((version, id) -> assertThat(
                        atomic.version(atomic.send(driver, id, 2, rows("x" + id.sequence(), 0))))
                .isEqualTo(version));
    }

    private String outcomesPath() {
        return RegistryPaths.outcomes(Cluster.T, cluster.map().tableId());
    }

    private DecisionHistory outcomes() {
        return cluster.store.value(outcomesPath()) instanceof DecisionHistory found ? found : DecisionHistory.empty(-1);
    }

    @Test
    void retriesFindWhatHasMoved() {
        commit(atomic.primary(0), 4 * Limits.TABLE_DECISIONS_RECENT_MAX);
        TransactionLogState log = atomic.log();
        assertThat(log.historyNumber()).isEqualTo(outcomes().writeNumber()).isPositive();
        assertThat(log.decisions()).hasSizeLessThan(Limits.TABLE_DECISIONS_RECENT_MAX + 4);
        everyRetryHearsItsOwn(atomic.primary(0));
        everyRetryHearsItsOwn(atomic.other(0)); // which has read both nodes
        RequestId first = Objects.requireNonNull(requests.get(requests.firstKey()));
        assertThat(atomic.error(atomic.send(atomic.other(0), first, 2, rows("y", 0))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(atomic.log().committedVersion())
                .as("nothing was applied twice")
                .isEqualTo(requests.lastKey());
    }

    @Test
    void theAnswerToTheMoveIsLost() {
        Host driver = atomic.primary(0);
        driver.registry().onlyWrites(MOVES);
        driver.registry().loseNextAnswer();
        commit(driver, Limits.TABLE_DECISIONS_RECENT_MAX + 10);
        driver.registry().loseNextWrite();
        commit(driver, 2 * Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(outcomes().writeNumber()).isGreaterThan(1);
        everyRetryHearsItsOwn(driver);
        everyRetryHearsItsOwn(atomic.other(0));
    }

    /** A manager has read the log, and reads the outcomes after another manager has moved more decisions there. */
    @Test
    void aLogAndOutcomesThatDoNotBelongTogetherAreReadAgain() {
        Host one = atomic.primary(0);
        Host other = atomic.other(0);
        commit(one, Limits.TABLE_DECISIONS_RECENT_MAX + 10);
        long before = outcomes().writeNumber();
        assertThat(before).isPositive();
        other.registry().holdReads(RegistryPaths::isOutcomes);
        RequestId id = Objects.requireNonNull(requests.get(requests.firstKey()));
        var asked = atomic.send(other, id, 2, rows("x" + id.sequence(), 0));
        cluster.await(() -> other.registry().holding() > 0, 10);
        commit(one, 2 * Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(outcomes().writeNumber()).isGreaterThan(before);
        int reads = other.registry().reads(atomic.logPath());
        other.registry().release();
        assertThat(atomic.version(asked)).isEqualTo(requests.firstKey());
        assertThat(other.registry().reads(atomic.logPath())).isGreaterThan(reads);
        everyRetryHearsItsOwn(other);
        commit(other, 2 * Limits.TABLE_DECISIONS_RECENT_MAX);
        everyRetryHearsItsOwn(one);
    }

    @Test
    void aTableThatIsDroppedLeavesNone() {
        commit(atomic.primary(0), 2 * Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(outcomes().writeNumber()).isPositive();
        requests.clear();
        String old = outcomesPath();
        atomic.recreate(2, 2);
        assertThat(cluster.store.value(old)).isNull();
        commit(atomic.primary(0), 2 * Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(outcomes().tableId()).isEqualTo(cluster.map().tableId());
        everyRetryHearsItsOwn(atomic.other(0));
    }

    /** A disconnected manager has the first attempt. Another one commits the second, which is forgotten before the third. */
    @Test
    void aRetryThatMeetsItsFirstAttemptIsARetry() {
        Host away = atomic.other(0);
        away.registry().cut(true);
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> first = atomic.send(away, id, 1, rows("a", 0));
        assertThat(atomic.version(atomic.send(atomic.primary(0), id, 2, rows("a", 0))))
                .isEqualTo(1);
        List<Outcome<UpdateReply>> third = atomic.send(away, id, 3, rows("a", 0));
        cluster.loop.run(2 * AtomicCluster.SECOND);
        TransactionLogState known = atomic.log();
        TransactionLogState later = new TransactionLogState(
                known.tableId(), known.committedVersion(), known.nextVersion(), null, List.of(), 1);
        int version = cluster.store.read(atomic.logPath()).version();
        assertThat(cluster.store
                        .multi(this, List.of(new Op.Set(atomic.logPath(), later, version)))
                        .applied())
                .isTrue();
        away.registry().cut(false);
        assertThat(atomic.error(third)).isEqualTo(ErrorCode.OUTCOME_EXPIRED);
        assertThat(atomic.error(first)).isEqualTo(ErrorCode.OUTCOME_EXPIRED);
        cluster.loop.run(AtomicCluster.SECOND);
        assertThat(atomic.log().committedVersion()).as("it is applied once").isEqualTo(1);
    }

    /** Its client may have sent the update to another manager by then. */
    @Test
    void anUpdateIsNotBegunWhenItsTimeIsOver() {
        Host slow = atomic.other(0);
        slow.registry().holdReads(RegistryPaths::isLog);
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        UpdateRequest request = new UpdateRequest(
                Cluster.T,
                cluster.map().tableId(),
                cluster.nextId(),
                0,
                1,
                AckLevel.ISR,
                "put@1",
                List.of(new UpdateRequest.ActorRows(0, 0, Bytes.utf8("a"))),
                1_000_000);
        slow.machine().onUpdate(request, outcome::add);
        cluster.loop.run(1_500_000);
        assertThat(outcome).as("no timer has fired").isEmpty();
        slow.registry().release();
        assertThat(atomic.error(outcome)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        cluster.loop.run(AtomicCluster.SECOND);
        assertThat(atomic.log().committedVersion()).isZero();
    }
}
