package io.uniserve.protocol.tx;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all rounds of a plan see of tables with atomic updates: one moment (docs/protocol.md, section 4). A server confirms the versions
 * and epochs of all of them together, once and before the first round; from then on each round asks for exactly these versions,
 * and what was committed later is in none of them. Where a version is kept no more a round ends with VERSION_GONE, and whoever
 * runs the plan begins anew with another moment.
 *
 * <p>In the default mode the rounds rest on leases, as other reads do, and outlive a takeover; strict ones rest on the epochs of
 * the moment. Immutable.
 */
public final class ReadSnapshot {
    private final List<ConsistentCut.Table> tables;
    /** What strict reads, and those of no version yet, rest on; null where one read told of a version. */
    private final @Nullable ConsistentCut consistentCut;

    private final boolean strict;

    private ReadSnapshot(List<ConsistentCut.Table> tables, @Nullable ConsistentCut consistentCut, boolean strict) {
        this.tables = List.copyOf(tables);
        this.consistentCut = consistentCut;
        this.strict = strict;
    }

    /**
     * The moment of a read of one table: later ones are to see what it saw. Not for strict reads.
     *
     * @param tableId the table's number
     * @param version that it saw, more than 0
     */
    public static ReadSnapshot of(TableName table, long tableId, long version) {
        if (version <= 0) {
            throw new IllegalArgumentException("version " + version + " stands for the newest");
        }
        return new ReadSnapshot(List.of(new ConsistentCut.Table(table, tableId, version, List.of())), null, false);
    }

    /**
     * Settles a moment after now.
     *
     * @param mode of the rounds, LINEARIZABLE or STRICT
     * @param tables with atomic updates, one at least
     * @param deadlineNanos when to give up, on the environment's clock
     * @param completion called once
     */
    public static Timers.Cancel settle(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            ReadMode mode,
            List<TableName> tables,
            long deadlineNanos,
            Completion<ReadSnapshot> completion) {
        List<Query> nobody = tables.stream()
                .map(table -> new Query(table, Optional.of(List.of()), "", Bytes.EMPTY, mode, deadlineNanos))
                .toList();
        StrictRead machine = new StrictRead(
                env,
                network,
                cuts,
                new VersionWatermarks(),
                nobody,
                outcome -> completion.done(outcome.map(results -> {
                    ConsistentCut consistentCut = results.get(0).cut();
                    return new ReadSnapshot(consistentCut.tables(), consistentCut, mode == ReadMode.STRICT);
                })));
        machine.start();
        return machine::cancel;
    }

    /** The table as of this moment; empty for one that it was not settled for. */
    public Optional<ConsistentCut.Table> table(TableName name) {
        return tables.stream().filter(one -> one.name().equals(name)).findFirst();
    }

    /**
     * Reads a table that the moment was settled for, as of this moment.
     *
     * @param completion called once; VERSION_GONE where the table's state of the moment is not there any more
     */
    public Timers.Cancel read(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            Query query,
            Completion<QueryResult> completion) {
        ConsistentCut.Table table = table(query.table())
                .orElseThrow(() -> new IllegalStateException("no moment of table " + query.table() + " was settled"));
        if (strict || table.version() == 0) { // to others version 0 means the newest
            StrictRead machine = new StrictRead(
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
        SnapshotRead machine = new SnapshotRead(
                        env,
                        network,
                        new VersionWatermarks(),
                        query,
                        table.version(),
                        outcome -> completion.done(outcome.map(SnapshotRead.Result::asQueryResult)))
                .ofNumber(table.tableId());
        machine.start();
        return machine::cancel;
    }
}
