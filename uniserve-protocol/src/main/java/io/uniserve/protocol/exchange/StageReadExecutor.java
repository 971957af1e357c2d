package io.uniserve.protocol.exchange;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Reads of a plan's stages, each by its table's level and the plan's mode. If there are several scatters of atomic tables, they read one
 * snapshot, unless the mode is STALE. Not thread-safe.
 */
public final class StageReadExecutor implements ShuffleStateMachine.Reads {
    private static final long END_NANOS = 5_000_000_000L;
    private static final long END_AGAIN_NANOS = 500_000_000L;
    private static final int END_TRIES = 4;

    private final ClientContext env;
    private final SnapshotReadClient versions;
    private final ConsistentSnapshotClient consistentCuts;
    private final Network peers;
    private final ReadMode mode;
    private final long deadlineNanos;
    private final Predicate<TableName> versioned;
    private final VersionListener versionListener;
    private Optional<AtomicTablesSnapshot> snapshot = Optional.empty();
    private boolean gathersUseSnapshot;

    /** Callback for the version that a stage of an atomic table has read; the last attempt reports last. */
    @FunctionalInterface
    public interface VersionListener {
        void onVersion(TableName table, String operator, long version);

        /** A stage has read actors of a TIME table on servers with this chunk generation, or an earlier one. */
        default void onGeneration(TableName table, long generation) {}
    }

    /** @param versioned true for an atomic table */
    public StageReadExecutor(
            ClientContext env,
            SnapshotReadClient versions,
            ConsistentSnapshotClient cuts,
            Network peers,
            ReadMode mode,
            long deadlineNanos,
            Predicate<TableName> versioned,
            VersionListener told) {
        this.env = env;
        this.versions = versions;
        this.consistentCuts = cuts;
        this.peers = peers;
        this.mode = mode;
        this.deadlineNanos = deadlineNanos;
        this.versioned = versioned;
        this.versionListener = told;
    }

    /**
     * Sets the snapshot that scatters of its tables read, because earlier rounds of the plan read it. Call it before the start.
     *
     * @param actors true if the actors of maps and gathers read it too
     */
    public StageReadExecutor withSnapshot(AtomicTablesSnapshot settled, boolean actors) {
        snapshot = Optional.of(settled);
        gathersUseSnapshot = actors;
        return this;
    }

    /**
     * Notifies all servers that an attempt has ended, because any may have chunks of it. A server without the message drops them at the
     * deadline.
     */
    public void endAttempt(ExchangeId exchange) {
        for (ServerRecord server : env.routing().current().routing().servers()) {
            end(server.address(), exchange, END_TRIES);
        }
    }

    private void end(Address server, ExchangeId exchange, int tries) {
        peers.call(server, new PeerRequest.EndExchange(exchange), END_NANOS, outcome -> {
            if (outcome instanceof Outcome.Err<PeerReply> && tries > 1) {
                env.timers().after(END_AGAIN_NANOS, () -> end(server, exchange, tries - 1));
            }
        });
    }

    @Override
    public boolean readsCommonSnapshot(TableName table) {
        return mode != ReadMode.STALE
                && versioned.test(table)
                && snapshot.map(settled -> settled.table(table).isPresent()).orElse(true);
    }

    @Override
    public boolean hasFixedSnapshot() {
        return snapshot.isPresent();
    }

    @Override
    public Timers.Cancel readAtOneSnapshot(
            List<ShuffleStateMachine.StageRead> scatters, Completion<List<QueryResult>> completion) {
        return snapshot.isPresent()
                ? readAtSnapshot(snapshot.get(), scatters, completion)
                : strict(scatters, completion);
    }

    /** Runs all reads at the same time; completes with the first error, if there is one. */
    private Timers.Cancel readAtSnapshot(
            AtomicTablesSnapshot settled,
            List<ShuffleStateMachine.StageRead> scatters,
            Completion<List<QueryResult>> completion) {
        QueryResult[] results = new QueryResult[scatters.size()];
        List<Timers.Cancel> running = new ArrayList<>();
        int[] missing = {results.length};
        for (int i = 0; i < results.length && missing[0] > 0; i++) {
            int place = i;
            ShuffleStateMachine.StageRead asked = scatters.get(i);
            long version = settled.table(asked.table()).orElseThrow().version();
            running.add(settled.read(env, versions, consistentCuts, query(asked), outcome -> {
                if (missing[0] <= 0) {
                    return;
                }
                if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                    versionListener.onVersion(asked.table(), asked.operator(), version);
                    versionListener.onGeneration(asked.table(), ok.value().generation());
                    results[place] = ok.value();
                    if (--missing[0] == 0) {
                        completion.done(Outcome.ok(List.of(results)));
                    }
                } else {
                    missing[0] = 0;
                    running.forEach(Timers.Cancel::cancel);
                    completion.done(Outcome.err(outcome.error()));
                }
            }));
        }
        return () -> running.forEach(Timers.Cancel::cancel);
    }

    @Override
    public Timers.Cancel read(ShuffleStateMachine.StageRead asked, Completion<QueryResult> completion) {
        TableName table = asked.table();
        String operator = asked.operator();
        if (asked.parameters().size() > Limits.PARAMETER_BYTES_MAX) {
            UniserveException error = new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the parameters of " + operator + " have "
                            + asked.parameters().size() + " bytes, at most " + Limits.PARAMETER_BYTES_MAX
                            + ": gather at a table of fewer actors");
            return env.timers().after(0, () -> completion.done(Outcome.err(error)));
        }
        if (gathersUseSnapshot && snapshot.isPresent() && readsCommonSnapshot(table)) {
            return readAtSnapshot(
                    snapshot.get(), List.of(asked), outcome -> completion.done(outcome.map(results -> results.get(0))));
        }
        Query query = query(asked);
        if (!versioned.test(table) || mode == ReadMode.STALE) {
            QueryExecution started = new QueryExecution(env, query, Optional.empty(), outcome -> {
                if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                    versionListener.onGeneration(table, ok.value().generation());
                }
                completion.done(outcome);
            });
            started.start();
            return started::cancel;
        }
        if (mode == ReadMode.STRICT) {
            return strict(List.of(asked), outcome -> completion.done(outcome.map(results -> results.get(0))));
        }
        SnapshotReadExecution started =
                new SnapshotReadExecution(env, versions, new VersionWatermarks(), query, 0, outcome -> {
                    if (outcome instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
                        versionListener.onVersion(table, operator, ok.value().version());
                        versionListener.onGeneration(table, ok.value().generation());
                    }
                    completion.done(outcome.map(SnapshotReadExecution.Result::asQueryResult));
                });
        started.start();
        return started::cancel;
    }

    private Query query(ShuffleStateMachine.StageRead asked) {
        return new Query(
                asked.table(),
                Optional.of(asked.actors()),
                asked.operator(),
                asked.parameters(),
                mode,
                deadlineNanos,
                asked.preferredAddresses());
    }

    /**
     * Stages that produce chunks must read one snapshot within an attempt: with a second snapshot the query would store all chunks twice.
     */
    private Timers.Cancel strict(List<ShuffleStateMachine.StageRead> all, Completion<List<QueryResult>> completion) {
        List<Query> queries = all.stream().map(this::query).toList();
        StrictReadExecution started =
                new StrictReadExecution(env, versions, consistentCuts, new VersionWatermarks(), queries, outcome -> {
                    if (outcome instanceof Outcome.Ok<List<StrictReadExecution.Result>> ok) {
                        for (int i = 0; i < queries.size(); i++) {
                            StrictReadExecution.Result result = ok.value().get(i);
                            versionListener.onVersion(
                                    result.table(), queries.get(i).operator(), result.version());
                            versionListener.onGeneration(
                                    result.table(), result.asQueryResult().generation());
                        }
                    }
                    completion.done(outcome.map(results -> results.stream()
                            .map(StrictReadExecution.Result::asQueryResult)
                            .toList()));
                });
        if (all.stream().anyMatch(ShuffleStateMachine.StageRead::chunks)) {
            started.requireSingleSnapshot();
        }
        started.start();
        return started::cancel;
    }
}
