package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.SECOND_TABLE;
import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads at a confirmed snapshot of one or two tables, and reads at level SERIALIZABLE. */
class StrictReadsTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = atomic.primary(0);

    private static List<StrictReadExecution.Result> ok(Outcome<List<StrictReadExecution.Result>> outcome) {
        if (outcome instanceof Outcome.Ok<List<StrictReadExecution.Result>> ok) {
            return ok.value();
        }
        throw new AssertionError("not read: " + outcome);
    }

    private static List<String> texts(StrictReadExecution.Result result) {
        return result.values().values().stream().map(Bytes::utf8).toList();
    }

    @Test
    void theNewestIsRead() {
        assertThat(ok(atomic.reader().strict(5, Cluster.T)).get(0).version())
                .as("nothing is committed yet")
                .isZero();
        atomic.update(driver, rows("a", 0, 1));
        StrictReadExecution.Result read =
                ok(atomic.reader().strict(5, Cluster.T)).get(0);
        assertThat(read.version()).isEqualTo(1);
        assertThat(texts(read)).containsOnly("1=a");
    }

    @Test
    void whatIsInFlightIsLeftOut() {
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> outcome = atomic.send(driver, cluster.nextId(), 1, rows("a", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.awaitPrepared(1, 0, 1);
        assertThat(texts(ok(atomic.reader().strict(5, Cluster.T)).get(0))).containsOnly("");
        driver.registry().release();
        atomic.version(outcome);
        assertThat(texts(ok(atomic.reader().strict(5, Cluster.T)).get(0))).containsOnly("1=a");
    }

    @Test
    void noLeaseIsNeeded() {
        atomic.update(driver, rows("a", 0, 1));
        atomic.awaitRows(0, "1=a");
        atomic.awaitRows(1, "1=a");
        for (Host host : cluster.servers.values()) {
            host.registry().onlyWrites(ops -> false);
            host.registry().hold(ops -> ops.stream().noneMatch(op -> op.path().equals(RegistryPaths.TERM)));
        }
        cluster.loop.run(4 * Cluster.SECOND);
        assertThat(atomic.reader().ask(1, 0, 1)).as("no lease is renewed").isInstanceOf(Outcome.Err.class);
        assertThat(texts(ok(atomic.reader().strict(5, Cluster.T)).get(0))).containsOnly("1=a");
    }

    @Test
    void anOldViewOfTheLogIsNotConfirmed() {
        cluster.servers.values().forEach(host -> host.registry().lag());
        atomic.update(driver, rows("a", 0, 1));
        cluster.servers.values().forEach(host -> assertThat(host.up()).isTrue());
        StrictReadExecution.Result read =
                ok(atomic.reader().strict(5, Cluster.T)).get(0);
        assertThat(read.version()).isEqualTo(1);
    }

    @Test
    void anotherEpochBeginsAnew() {
        atomic.update(driver, rows("a", 0, 1));
        Host dead = atomic.primary(1);
        dead.kill();
        StrictReadExecution.Result read =
                ok(atomic.reader().strict(30, Cluster.T)).get(0);
        assertThat(texts(read)).containsOnly("1=a");
    }

    @Test
    void whatLeavesSomethingIsNotRunForTwoMoments() {
        atomic.update(driver, rows("a", 0, 1));
        AtomicReader reader = atomic.reader();
        reader.gone = 1;
        assertThat(texts(ok(reader.strict(5, Cluster.T)).get(0))).containsOnly("1=a");
        reader.ofOneMoment = true;
        reader.gone = 2; // all first requests
        assertThat(texts(ok(reader.strict(5, Cluster.T)).get(0)))
                .as("nothing has been left yet")
                .containsOnly("1=a");
        reader.answersBefore = 1;
        reader.gone = 1;
        assertThat(error(reader.strict(5, Cluster.T, Cluster.T))).isEqualTo(ErrorCode.VERSION_GONE);
        reader.answersBefore = 1;
        reader.silent = 3;
        assertThat(ok(reader.strict(15, Cluster.T, Cluster.T)))
                .as("all replicas get another read")
                .allSatisfy(read -> assertThat(texts(read)).containsOnly("1=a"));
    }

    @Test
    void laterRoundsSeeTheMomentOfTheFirst() {
        atomic.update(driver, rows("a", 0, 1));
        StrictReadExecution.Result first =
                ok(atomic.reader().strict(5, Cluster.T)).get(0);
        atomic.update(driver, rows("b", 0, 1));
        StrictReadExecution.Result second = ok(atomic.reader().strictAt(first.consistentCut(), 5, Cluster.T))
                .get(0);
        assertThat(second.version()).isEqualTo(first.version());
        assertThat(texts(second)).containsOnly("1=a");
        atomic.primary(1).kill();
        cluster.loop.run(10 * Cluster.SECOND);
        assertThat(error(atomic.reader().strictAt(first.consistentCut(), 30, Cluster.T)))
                .as("another epoch is no longer that moment")
                .isEqualTo(ErrorCode.VERSION_GONE);
    }

    @Test
    void oneTableMayBeReadTwice() {
        atomic.update(driver, rows("a", 0, 1));
        List<StrictReadExecution.Result> read = ok(atomic.reader().strict(5, Cluster.T, Cluster.T));
        assertThat(read).hasSize(2).allSatisfy(result -> {
            assertThat(result.version()).isEqualTo(1);
            assertThat(texts(result)).containsOnly("1=a");
        });
        assertThat(read.get(0).consistentCut().tables()).as("read once").hasSize(1);
    }

    @Test
    void twoTablesAsOfOneMoment() {
        cluster.create(SECOND_TABLE, 2, 2, 1, OnLoss.WAIT, ConsistencyLevel.FULLY_SERIALIZABLE);
        long second = cluster.store.value(RegistryPaths.map(SECOND_TABLE)) instanceof TableMap map ? map.tableId() : 0;
        cluster.loop.run(3 * Cluster.SECOND);
        for (int i = 1; i <= 10; i++) {
            atomic.version(
                    atomic.send(Cluster.T, cluster.map().tableId(), driver, cluster.nextId(), 1, rows("x", 0, 1)));
            List<Outcome<UpdateReply>> later =
                    atomic.send(SECOND_TABLE, second, driver, cluster.nextId(), 1, rows("y", 0, 1));
            List<StrictReadExecution.Result> read = ok(atomic.reader().strict(10, Cluster.T, SECOND_TABLE));
            assertThat(read).hasSize(2);
            assertThat(read.get(0).version()).isEqualTo(i);
            assertThat(read.get(1).version())
                    .as("of the second, never ahead of the first")
                    .isBetween(i - 1L, (long) i);
            for (StrictReadExecution.Result result : read) {
                assertThat(texts(result).stream().distinct().toList())
                        .as("one version")
                        .hasSize(1);
            }
            atomic.version(later);
        }
    }

    @Test
    void tablesThatHaveNoVersions() {
        assertThat(error(atomic.reader().strict(5, new TableName("none")))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        cluster.create(SECOND_TABLE, 1, 1, 1, OnLoss.WAIT, ConsistencyLevel.EVENTUAL);
        assertThat(error(atomic.reader().strict(5, SECOND_TABLE))).isEqualTo(ErrorCode.UNSUPPORTED);
    }

    private static ErrorCode error(Outcome<List<StrictReadExecution.Result>> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<List<StrictReadExecution.Result>>) outcome).error().code();
    }

    @Test
    void actorsOfASerializableTableNeedNotAgree() {
        AtomicCluster looser = new AtomicCluster(4, 2, 2, ConsistencyLevel.SERIALIZABLE);
        Host leader = looser.primary(0);
        for (int i = 1; i <= 5; i++) {
            looser.update(leader, rows("a", 0, 1));
            AtomicReader.Read read = looser.reader().read(0, 1);
            assertThat(read.version())
                    .as("each is complete through what was committed")
                    .isEqualTo(i);
            assertThat(read.rounds())
                    .as("one server has applied the version, another has left it open")
                    .isLessThanOrEqualTo(2);
            assertThat(looser.reader().read(0, 1).rounds())
                    .as("one round, unless it needs more of them")
                    .isEqualTo(1);
        }
        AtomicReader reader = looser.reader();
        long version = looser.update(leader, rows("b", 0));
        reader.floors.raise(looser.cluster.map().tableId(), version, looser.cluster.loop.nanos());
        assertThat(reader.read(0, 1).version()).as("its own writes it reads").isGreaterThanOrEqualTo(version);
    }
}
