package io.uniserve.server.query;

import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Factory of one plan's reads. Each read runs on the plan's serial executor only. */
final class QueryReadFactory {
    private final QueryContext context;

    QueryReadFactory(QueryContext world) {
        this.context = world;
    }

    /** Read that has not started yet. */
    final class Read<T> {
        private final BiConsumer<Completion<T>, Consumer<Timers.Cancel>> starter;
        private Timers.Cancel canceller = () -> {};

        private Read(BiConsumer<Completion<T>, Consumer<Timers.Cancel>> begin) {
            this.starter = begin;
        }

        /** Call on the serial executor, which also completes the future. */
        void start(CompletableFuture<Outcome<T>> future) {
            starter.accept(future::complete, cancel -> canceller = cancel);
        }

        /** Thread-safe. */
        void cancel() {
            context.serialExecutor().execute(() -> canceller.cancel());
        }
    }

    /** Read of the present states, or of those that a session holds. */
    Read<QueryResult> readCurrentState(Query asked, Optional<ReadSession> states) {
        return new Read<>((completion, running) -> {
            QueryExecution machine = new QueryExecution(context.env(), asked, states, completion);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Read of a snapshot. */
    Read<QueryResult> readSnapshot(AtomicTablesSnapshot seen, Query asked) {
        return new Read<>((completion, running) ->
                running.accept(seen.read(context.env(), context.network(), context.network(), asked, completion)));
    }

    /** Read of one version of an atomic table. Version 0 is the newest; table number 0 is any table of that name. */
    Read<SnapshotReadExecution.Result> readVersion(Query asked, long at, long tableId) {
        return new Read<>((completion, running) -> {
            SnapshotReadExecution machine = new SnapshotReadExecution(
                            context.env(), context.network(), new VersionWatermarks(), asked, at, completion)
                    .forTableId(tableId);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** STRICT read of an atomic table: of a new snapshot, or of one that an earlier read took. */
    Read<StrictReadExecution.Result> readStrict(Query asked, @Nullable ConsistentSnapshot at) {
        return new Read<>((completion, running) -> {
            StrictReadExecution machine = new StrictReadExecution(
                    context.env(),
                    context.network(),
                    context.network(),
                    new VersionWatermarks(),
                    List.of(asked),
                    at,
                    outcome -> completion.done(outcome.map(results -> results.get(0))));
            running.accept(machine::cancel);
            machine.start();
        });
    }
}
