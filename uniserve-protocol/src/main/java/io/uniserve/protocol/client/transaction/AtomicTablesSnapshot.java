package io.uniserve.protocol.client.transaction;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of atomic tables that all rounds of a planned query read (docs/protocol.md, section 4). Before the first round a server confirms
 * versions and epochs of all tables together. Each round then requests exactly these versions, so later commits are in none of them. If a
 * state is no longer kept, a round fails with VERSION_GONE, and the caller restarts the query with another snapshot.
 *
 * <p>In the default mode the rounds depend on leases, as other reads do, and survive a fail-over. In mode STRICT they depend on the epochs
 * of the snapshot. Immutable.
 */
public final class AtomicTablesSnapshot {
    private final List<ConsistentSnapshot.Table> tables;
    /** The confirmed snapshot, which STRICT reads and reads of version 0 need; null if the version comes from a single read. */
    private final @Nullable ConsistentSnapshot consistentCut;

    private final boolean strict;

    private AtomicTablesSnapshot(
            List<ConsistentSnapshot.Table> tables, @Nullable ConsistentSnapshot consistentCut, boolean strict) {
        this.tables = List.copyOf(tables);
        this.consistentCut = consistentCut;
        this.strict = strict;
    }

    /**
     * The snapshot that an earlier read of one table has seen, for later reads. Not for mode STRICT.
     *
     * @param tableId table number
     * @param version version of the earlier read, greater than 0
     */
    public static AtomicTablesSnapshot of(TableName table, long tableId, long version) {
        if (version <= 0) {
            throw new IllegalArgumentException("version " + version + ": must be greater than 0");
        }
        return new AtomicTablesSnapshot(
                List.of(new ConsistentSnapshot.Table(table, tableId, version, List.of())), null, false);
    }

    /**
     * Takes a snapshot of some moment after the call.
     *
     * @param mode mode of the rounds, LINEARIZABLE or STRICT
     * @param tables atomic tables, at least one
     * @param deadlineNanos deadline by the environment's clock
     * @param completion called once
     */
    public static Timers.Cancel take(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            ReadMode mode,
            List<TableName> tables,
            long deadlineNanos,
            Completion<AtomicTablesSnapshot> completion) {
        List<Query> queriesOfNoActor = tables.stream()
                .map(table -> new Query(table, Optional.of(List.of()), "", Bytes.EMPTY, mode, deadlineNanos))
                .toList();
        StrictReadExecution machine = new StrictReadExecution(
                env,
                network,
                cuts,
                new VersionWatermarks(),
                queriesOfNoActor,
                outcome -> completion.done(outcome.map(results -> {
                    ConsistentSnapshot consistentCut = results.get(0).consistentCut();
                    return new AtomicTablesSnapshot(consistentCut.tables(), consistentCut, mode == ReadMode.STRICT);
                })));
        machine.start();
        return machine::cancel;
    }

    /** The table's version and epochs in this snapshot; empty if the table is not part of it. */
    public Optional<ConsistentSnapshot.Table> table(TableName name) {
        return tables.stream().filter(one -> one.name().equals(name)).findFirst();
    }

    /**
     * Reads a table of this snapshot.
     *
     * @param completion called once; VERSION_GONE if no replica keeps the table's state any more
     */
    public Timers.Cancel read(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            Query query,
            Completion<QueryResult> completion) {
        ConsistentSnapshot.Table table = table(query.table())
                .orElseThrow(() -> new IllegalStateException("table " + query.table() + " is not in the snapshot"));
        if (strict || table.version() == 0) { // in other reads version 0 means the newest
            StrictReadExecution machine = new StrictReadExecution(
                    env,
                    network,
                    cuts,
                    new VersionWatermarks(),
                    List.of(query),
                    consistentCut,
                    outcome -> completion.done(
                            outcome.map(results -> results.get(0).asQueryResult())));
            machine.start();
            return machine::cancel;
        }
        SnapshotReadExecution machine = new SnapshotReadExecution(
                        env,
                        network,
                        new VersionWatermarks(),
                        query,
                        table.version(),
                        outcome -> completion.done(outcome.map(SnapshotReadExecution.Result::asQueryResult)))
                .forTableId(table.tableId());
        machine.start();
        return machine::cancel;
    }
}
