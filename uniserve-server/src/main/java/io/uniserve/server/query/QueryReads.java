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

/** The machines that read for one plan, each touched on the plan's serial only. */
final class QueryReads {
    private final QueryContext world;

    QueryReads(QueryContext world) {
        this.world = world;
    }

    /** One read, not begun yet. */
    final class Run<T> {
        private final BiConsumer<Completion<T>, Consumer<Timers.Cancel>> begin;
        private Timers.Cancel running = () -> {};

        private Run(BiConsumer<Completion<T>, Consumer<Timers.Cancel>> begin) {
            this.begin = begin;
        }

        /** On the serial, where the future is completed too. */
        void start(CompletableFuture<Outcome<T>> future) {
            begin.accept(future::complete, begun -> running = begun);
        }

        /** On any thread. */
        void cancel() {
            world.serial().execute(() -> running.cancel());
        }
    }

    /** Of present states, or of those that a session holds. */
    Run<QueryResult> present(Query asked, Optional<ReadSession> states) {
        return new Run<>((completion, running) -> {
            QueryExecution machine = new QueryExecution(world.env(), asked, states, completion);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Of a moment. */
    Run<QueryResult> asOf(ReadSnapshot seen, Query asked) {
        return new Run<>((completion, running) ->
                running.accept(seen.read(world.env(), world.network(), world.network(), asked, completion)));
    }

    /** Of one version of a table with atomic updates, 0 for the newest; of the table of that number, 0 for any of the name. */
    Run<SnapshotRead.Result> versioned(Query asked, long at, long tableId) {
        return new Run<>((completion, running) -> {
            SnapshotRead machine = new SnapshotRead(
                            world.env(), world.network(), new VersionWatermarks(), asked, at, completion)
                    .ofNumber(tableId);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Of such a table as of now, or of a moment that an earlier one saw. */
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
