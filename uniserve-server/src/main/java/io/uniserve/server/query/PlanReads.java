package io.uniserve.server.query;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.Cut;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryMachine;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.tx.Moment;
import io.uniserve.protocol.tx.StrictReadMachine;
import io.uniserve.protocol.tx.VersionFloors;
import io.uniserve.protocol.tx.VersionedReadMachine;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The machines that read for one plan, each touched on the plan's serial only. */
final class PlanReads {
    private final PlanWorld world;

    PlanReads(PlanWorld world) {
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
            QueryMachine machine = new QueryMachine(world.env(), asked, states, completion);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Of a moment. */
    Run<QueryResult> asOf(Moment seen, Query asked) {
        return new Run<>((completion, running) ->
                running.accept(seen.read(world.env(), world.network(), world.network(), asked, completion)));
    }

    /** Of one version of a table with atomic updates, 0 for the newest; of the table of that number, 0 for any of the name. */
    Run<VersionedReadMachine.Result> versioned(Query asked, long at, long tableId) {
        return new Run<>((completion, running) -> {
            VersionedReadMachine machine = new VersionedReadMachine(
                            world.env(), world.network(), new VersionFloors(), asked, at, completion)
                    .ofNumber(tableId);
            running.accept(machine::cancel);
            machine.start();
        });
    }

    /** Of such a table as of now, or of a moment that an earlier one saw. */
    Run<StrictReadMachine.Result> strict(Query asked, @Nullable Cut at) {
        return new Run<>((completion, running) -> {
            StrictReadMachine machine = new StrictReadMachine(
                    world.env(),
                    world.network(),
                    world.network(),
                    new VersionFloors(),
                    List.of(asked),
                    at,
                    outcome -> completion.done(outcome.map(results -> results.get(0))));
            running.accept(machine::cancel);
            machine.start();
        });
    }
}
