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
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rounds at one snapshot of two tables, with commits between them. */
class AtomicTablesSnapshotTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final AtomicReader reader = atomic.reader();
    private final long second;

    AtomicTablesSnapshotTest() {
        cluster.create(SECOND_TABLE, 2, 2, 1, OnLoss.WAIT, ConsistencyLevel.FULLY_SERIALIZABLE);
        second = cluster.store.value(RegistryPaths.map(SECOND_TABLE)) instanceof TableMap map ? map.tableId() : 0;
        cluster.loop.run(3 * Cluster.SECOND);
    }

    private void update(TableName table, String text) {
        long number = table.equals(Cluster.T) ? cluster.map().tableId() : second;
        atomic.version(atomic.send(table, number, atomic.primary(0), cluster.nextId(), 1, rows(text, 0, 1)));
    }

    private AtomicTablesSnapshot settled(ReadMode mode, TableName... tables) {
        List<Outcome<AtomicTablesSnapshot>> heard = new ArrayList<>();
        AtomicTablesSnapshot.take(
                reader.environment(),
                reader::versioned,
                reader::cut,
                mode,
                List.of(tables),
                cluster.loop.nanos() + 20 * Cluster.SECOND,
                heard::add);
        cluster.await(() -> !heard.isEmpty(), 30);
        return heard.get(0) instanceof Outcome.Ok<AtomicTablesSnapshot> ok ? ok.value() : failed(heard.get(0));
    }

    private static <T> T failed(Outcome<?> outcome) {
        throw new AssertionError("not settled: " + outcome);
    }

    private Outcome<QueryResult> read(AtomicTablesSnapshot readSnapshot, TableName table) {
        Query query = new Query(
                table,
                Optional.empty(),
                "rows@1",
                Bytes.EMPTY,
                ReadMode.LINEARIZABLE,
                cluster.loop.nanos() + 30 * Cluster.SECOND);
        List<Outcome<QueryResult>> heard = new ArrayList<>();
        readSnapshot.read(reader.environment(), reader::versioned, reader::cut, query, heard::add);
        cluster.await(() -> !heard.isEmpty(), 40);
        return heard.get(0);
    }

    private List<String> texts(AtomicTablesSnapshot readSnapshot, TableName table) {
        return read(readSnapshot, table) instanceof Outcome.Ok<QueryResult> ok
                ? ok.value().parts().stream().map(Bytes::utf8).toList()
                : failed(read(readSnapshot, table));
    }

    private ErrorCode error(AtomicTablesSnapshot readSnapshot, TableName table) {
        return read(readSnapshot, table) instanceof Outcome.Err<QueryResult> err
                ? err.error().code()
                : failed(read(readSnapshot, table));
    }

    @Test
    void whatIsCommittedBetweenTheRoundsIsInNone() {
        update(Cluster.T, "a");
        for (ReadMode mode : List.of(ReadMode.LINEARIZABLE, ReadMode.STRICT)) {
            update(SECOND_TABLE, "b");
            AtomicTablesSnapshot readSnapshot = settled(mode, Cluster.T, SECOND_TABLE);
            List<String> first = texts(readSnapshot, Cluster.T);
            List<String> both = texts(readSnapshot, SECOND_TABLE);
            update(Cluster.T, "later");
            update(SECOND_TABLE, "later");
            assertThat(texts(readSnapshot, SECOND_TABLE)).isEqualTo(both);
            assertThat(texts(readSnapshot, Cluster.T)).isEqualTo(first);
            assertThat(texts(settled(mode, Cluster.T), Cluster.T)).isNotEqualTo(first);
        }
    }

    @Test
    void aTableWithoutAVersionIsStillEmpty() {
        AtomicTablesSnapshot readSnapshot = settled(ReadMode.LINEARIZABLE, Cluster.T, SECOND_TABLE);
        assertThat(texts(readSnapshot, SECOND_TABLE)).containsOnly("");
        update(SECOND_TABLE, "first");
        assertThat(texts(readSnapshot, SECOND_TABLE)).containsOnly("");
    }

    @Test
    void aTakeoverEndsOnlyStrictMoments() {
        update(Cluster.T, "a");
        AtomicTablesSnapshot leased = settled(ReadMode.LINEARIZABLE, Cluster.T);
        AtomicTablesSnapshot strict = settled(ReadMode.STRICT, Cluster.T);
        AtomicTablesSnapshot told =
                AtomicTablesSnapshot.of(Cluster.T, cluster.map().tableId(), 1);
        atomic.primary(1).kill();
        cluster.loop.run(10 * Cluster.SECOND);
        assertThat(texts(leased, Cluster.T)).containsOnly("1=a");
        assertThat(texts(told, Cluster.T)).containsOnly("1=a");
        assertThat(error(strict, Cluster.T)).isEqualTo(ErrorCode.VERSION_GONE);
    }

    @Test
    void aMapThatIsOlderThanTheMomentIsReadAgain() {
        update(Cluster.T, "a");
        reader.lag();
        RouteIndex before = reader.old;
        atomic.primary(1).kill();
        cluster.loop.run(10 * Cluster.SECOND);
        AtomicTablesSnapshot strict = settled(ReadMode.STRICT, Cluster.T);
        reader.old = before;
        assertThat(texts(strict, Cluster.T)).containsOnly("1=a");
        reader.old = null;
        reader.gone = 1;
        assertThat(texts(strict, Cluster.T)).as("another replica has it yet").containsOnly("1=a");
    }

    @Test
    void anotherTableOfTheNameIsNotThatOne() {
        update(Cluster.T, "a");
        AtomicTablesSnapshot readSnapshot = settled(ReadMode.LINEARIZABLE, Cluster.T);
        reader.lag();
        atomic.recreate(2, 2);
        update(Cluster.T, "b");
        assertThat(error(readSnapshot, Cluster.T)).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(error(readSnapshot, Cluster.T)).as("with the newest map too").isEqualTo(ErrorCode.VERSION_GONE);
    }
}
