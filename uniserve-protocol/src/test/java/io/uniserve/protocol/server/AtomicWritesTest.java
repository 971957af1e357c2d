package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole updates by the client's own machine: by new clients, and with rows staged at primaries. */
class AtomicWritesTest {
    private static final long WHOLE = Limits.BATCH_BYTES_MAX;

    private final AtomicCluster atomic = new AtomicCluster(4, 3, 2);
    private final Cluster cluster = atomic.cluster;
    private final AtomicWriter writer = new AtomicWriter(atomic);

    /** Gives the table this many past versions, of which it has forgotten all but the last. */
    private void past(long versions) {
        String path = atomic.logPath();
        TransactionLogState old =
                new TransactionLogState(cluster.map().tableId(), versions, versions + 1, null, List.of(), versions - 1);
        assertThat(cluster.store
                        .multi(
                                this,
                                List.of(new Op.Set(
                                        path, old, cluster.store.read(path).version())))
                        .applied())
                .isTrue();
    }

    @Test
    void aStrangersFirstUpdateIsRetriedLate() {
        past(5_000);
        writer.lost = request -> request.attempt() == 1;
        assertThat(writer.write(WHOLE, rows("a", 0, 1))).isEqualTo(5_001);
        assertThat(writer.sent).singleElement().satisfies(request -> {
            assertThat(request.attempt()).isEqualTo(2);
            assertThat(request.lowWater()).isEqualTo(5_000);
        });
        assertThat(atomic.readAlike(0, 1)).isEqualTo("5001=a");
    }

    @Test
    void aStrangersFirstUpdateWhoseAnswerIsLost() {
        past(5_000);
        writer.unanswered = request -> request.attempt() == 1;
        assertThat(writer.write(WHOLE, rows("a", 0, 1))).isEqualTo(5_001);
        assertThat(writer.sent).hasSize(2);
        atomic.awaitRows(0, "5001=a");
        atomic.awaitRows(1, "5001=a");
    }

    private static boolean drives(UpdateRequest request) {
        return !request.stageOnly();
    }

    @Test
    void stagedRowsAreCommittedAsOne() {
        assertThat(writer.write(1, rows("a", 0, 1, 2))).isEqualTo(1);
        assertThat(writer.sent).filteredOn(UpdateRequest::stageOnly).hasSize(3);
        assertThat(writer.sent)
                .filteredOn(AtomicWritesTest::drives)
                .singleElement()
                .satisfies(request -> assertThat(request.actors())
                        .hasSize(3)
                        .allMatch(rows -> rows.staged() != null && rows.rows().size() == 0));
        assertThat(atomic.readAlike(0, 1, 2)).isEqualTo("1=a");
    }

    @Test
    void theHashIsTheSameHoweverRowsCome() {
        writer.unanswered = request -> request.attempt() == 1 && drives(request);
        List<Outcome<Long>> staged = writer.begin(1, 60, rows("a", 0, 1, 2));
        cluster.await(() -> writer.sent.stream().anyMatch(AtomicWritesTest::drives), 10);
        UpdateRequest first = writer.sent.get(writer.sent.size() - 1);
        List<Outcome<UpdateReply>> whole = atomic.send(atomic.primary(0), first.request(), 2, rows("a", 0, 1, 2));
        assertThat(atomic.version(whole)).isEqualTo(1);
        assertThat(writer.version(staged)).isEqualTo(1);
        List<Outcome<UpdateReply>> other = atomic.send(atomic.primary(0), first.request(), 2, rows("b", 0, 1, 2));
        assertThat(atomic.error(other)).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void theDriverDiesBeforeItIsAsked() {
        Host driver = atomic.primary(0);
        writer.lost = request -> {
            boolean first = request.attempt() == 1 && drives(request);
            if (first && driver.up()) {
                driver.kill();
            }
            return first;
        };
        long version = writer.write(1, rows("a", 0, 1, 2));
        assertThat(atomic.log().decisions().stream().filter(TransactionLogState.Decision::committed))
                .hasSize(1);
        assertThat(atomic.readAlike(0, 1, 2)).isEqualTo(version + "=a");
    }

    @Test
    void rowsThatAreGoneAreStagedAgain() {
        Host driver = atomic.primary(0);
        Host holder = atomic.other(0);
        int held = atomic.primary(1) == holder ? 1 : atomic.primary(2) == holder ? 2 : 3;
        writer.lost = request -> {
            if (request.attempt() == 1 && drives(request) && holder.up()) {
                holder.kill(); // with the rows, which are only in memory
                cluster.loop.after(Cluster.SECOND / 10, holder::start);
            }
            return false;
        };
        assertThat(driver).isNotSameAs(holder);
        long version = writer.write(1, rows("a", 0, held));
        assertThat(writer.sent).filteredOn(AtomicWritesTest::drives).hasSizeGreaterThan(1);
        assertThat(atomic.log().decisions().stream().filter(TransactionLogState.Decision::committed))
                .hasSize(1);
        assertThat(atomic.readAlike(0, held)).isEqualTo(version + "=a");
    }

    @Test
    void othersMergedWithRowsThatAreGoneAreCommitted() {
        UpdateRequest.ActorRows nowhere =
                new UpdateRequest.ActorRows(1, 0, Bytes.EMPTY, new StagedRowsRef(4, "0".repeat(64)));
        Host driver = atomic.primary(0);
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> first = atomic.send(driver, cluster.nextId(), 1, rows("a", 0));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        List<Outcome<UpdateReply>> gone = new ArrayList<>();
        driver.machine()
                .onUpdate(
                        new UpdateRequest(
                                Cluster.T,
                                cluster.map().tableId(),
                                cluster.nextId(),
                                0,
                                1,
                                AckLevel.ISR,
                                "put@1",
                                List.of(nowhere),
                                10 * Cluster.SECOND),
                        gone::add);
        List<Outcome<UpdateReply>> third = atomic.send(driver, cluster.nextId(), 1, rows("c", 0, 1));
        driver.registry().release();
        assertThat(atomic.version(first)).isEqualTo(1);
        assertThat(atomic.error(gone)).isEqualTo(ErrorCode.UNAVAILABLE);
        long version = atomic.version(third);
        atomic.awaitRows(1, version + "=c");
    }

    @Test
    void theDriversAnswerIsLost() {
        writer.unanswered = request -> request.attempt() == 1 && drives(request);
        assertThat(writer.write(1, rows("a", 0, 1, 2))).isEqualTo(1);
        assertThat(writer.sent).hasSize(8);
        atomic.awaitRows(0, "1=a");
        assertThat(atomic.readAlike(0, 1, 2)).isEqualTo("1=a");
    }

    @Test
    void twoWritersThatStageAndOthersBetweenThem() {
        AtomicWriter other = new AtomicWriter(atomic);
        List<Outcome<Long>> one = writer.begin(1, 60, rows("a", 0, 1, 2));
        List<Outcome<Long>> two = other.begin(1, 60, rows("b", 0, 1, 2));
        List<Outcome<Long>> three = new AtomicWriter(atomic).begin(WHOLE, 60, rows("c", 0, 1, 2));
        List<Long> versions = new ArrayList<>(List.of(writer.version(one), other.version(two), other.version(three)));
        assertThat(atomic.log().committedVersion())
                .isEqualTo(versions.stream().max(Long::compare).orElseThrow());
        assertThat(atomic.readAlike(0, 1, 2)).contains("=a", "=b", "=c");
    }

    @Test
    void tablesWithoutAtomicUpdatesStageNothing() {
        AtomicCluster eventual = new AtomicCluster(2, 2, 1, ConsistencyLevel.EVENTUAL);
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        UpdateRequest request = new UpdateRequest(
                Cluster.T,
                eventual.cluster.map().tableId(),
                cluster.nextId(),
                0,
                1,
                AckLevel.ISR,
                "put@1",
                List.of(new UpdateRequest.ActorRows(0, 0, Bytes.utf8("a"))),
                Cluster.SECOND,
                true);
        eventual.primary(0).machine().onUpdate(request, outcome::add);
        eventual.cluster.await(() -> !outcome.isEmpty(), 10);
        assertThat(((Outcome.Err<UpdateReply>) outcome.get(0)).error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
}
