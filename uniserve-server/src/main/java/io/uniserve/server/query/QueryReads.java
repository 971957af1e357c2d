package io.uniserve.server.query;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryExecution;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.tx.ReadSnapshot;
import io.uniserve.protocol.tx.SnapshotRead;
import io.uniserve.protocol.tx.StrictRead;
import io.uniserve.protocol.tx.VersionWatermarks;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Factory of one plan's reads. Each read runs on the plan's serial executor only. */
final class QueryReads {
    private final QueryContext world;

    QueryReads(QueryContext world) {
        this.world = world;
    }

    /** Read that has not started yet. */
    final class Run<T> {
        private final BiConsumer<Completion<T>, Consumer<Timers.Cancel>> begin;
        private Timers.Cancel running = () -> {};

        private Run(BiConsumer<Completion<T>, Consumer<Timers.Cancel>> begin) {
            this.begin = begin;
        }

        /** Call on the serial executor, which also completes the future. */
        void start(CompletableFuture<Outcome<T>> future) {
            begin.accept(future::complete, begun -> running = begun);
        }

        /** Thread-safe. */
        void cancel() {
            world.serial().execute(() -> running.cancel());
        }
    }

    /** Read of the present states, or of those that a session holds. */
    Run<QueryResult> present(Query asked, Optional<ReadSession> states) {
        return new Run<>((completion, running) -> {
            QueryExecution machine = new QueryExecution(world.env(), asked, states, completion);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Read of a snapshot. */
    Run<QueryResult> asOf(ReadSnapshot seen, Query asked) {
        return new Run<>((completion, running) ->
                running.accept(seen.read(world.env(), world.network(), world.network(), asked, completion)));
    }

    /** Read of one version of an atomic table. Version 0 is the newest; table number 0 is any table of that name. */
    Run<SnapshotRead.Result> versioned(Query asked, long at, long tableId) {
        return new Run<>((completion, running) -> {
            SnapshotRead machine = new SnapshotRead(
                            world.env(), world.network(), new VersionWatermarks(), asked, at, completion)
                    .ofNumber(tableId);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** STRICT read of an atomic table: of a new snapshot, or of one that an earlier read took. */
    Run<StrictRead.Result> strict(Query asked, @Nullable ConsistentCut at) {
        return new Run<>((completion, running) -> {
            StrictRead machine = new StrictRead(
                    world.env(),
                    world.network(),
                    world.network(),
                    new VersionWatermarks(),
                    List.of(asked),
                    at,
                    outcome -> completion.done(outcome.map(results -> results.get(0))));
            running.accept(machine::cancel);
            machine.start();
        });
    }
}
