package io.uniserve.client;

import io.uniserve.api.Row;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.extra.ReplacingUpdate;
import io.uniserve.client.operation.Operation;
import io.uniserve.client.operation.RowSplitter;
import io.uniserve.client.operation.UpdatePlan;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.update.ChunkRequester;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Factory of update operations. Thread-safe. */
final class UpdateOperationFactory {
    private final ClientCore core;

    public UpdateOperationFactory(ClientCore core) {
        this.core = core;
    }

    /** Partitions the rows and sends them. */
    public <R extends Row> Operation<UpdateOutcome> update(
            TableRoute route,
            String asked,
            Codec<R> codec,
            Iterable<? extends R> rows,
            AckLevel level,
            Optional<RequestId> chosenId,
            long deadlineNanos,
            boolean everywhere,
            boolean block) {
        RowSplitter<R> splitter = new RowSplitter<>(
                route.meta().partitioner(),
                codec,
                core.index().hasTextKeys(route.meta().name()),
                () -> route.map().numbers(),
                core.clock().wallMillis());
        String function = BroadcastUpdate.functionToSend(
                asked, route.meta(), core.index().updates(route.meta().port()));
        boolean form = BroadcastUpdate.isBroadcast(function);
        for (R row : rows) {
            if (form ? BroadcastUpdate.goesToAllActors(row) : everywhere) {
                splitter.addToAllActors(row);
            } else {
                splitter.add(row);
            }
        }
        List<List<ActorBatch>> steps = splitter.steps();
        if (steps.size() > 1 && ReplacingUpdate.isReplacing(function)) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    function
                            + " replaces rows that it does not name, so its rows must fit in one message per actor, at most "
                            + Limits.BATCH_ROWS_MAX + " rows and " + Limits.BATCH_BYTES_MAX
                            + " bytes; send fewer rows, for example one interval per update");
        }
        if (chosenId.isPresent() && steps.size() > 1) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "rows under one request id must fit in one message per actor, at most " + Limits.BATCH_ROWS_MAX
                            + " rows and " + Limits.BATCH_BYTES_MAX
                            + " bytes; send fewer rows, or do not set the id");
        }
        if (TransactionService.isAtomic(route.meta().level())) {
            return atomic(route, function, splitter, steps, level, chosenId, deadlineNanos, block);
        }
        UpdatePlan plan = new UpdatePlan(
                route.meta().name(), route.meta().tableId(), function, level, steps, chosenId, deadlineNanos);
        Set<Integer> absent = absentChunks(route, splitter);
        return core.begin(splitter.bytes(), block, deadlineNanos, (operation, environment) -> {
            UpdateOperation run = new UpdateOperation(environment, core.requests(), plan, operation);
            if (absent.isEmpty()) {
                operation.start(run::runNextStep, run::cancel);
            } else {
                requestChunks(route, absent, deadlineNanos, operation, environment, run::runNextStep, run::cancel);
            }
        });
    }

    /** The chunks of rows that the map lacks; none for a table without chunks. */
    private static Set<Integer> absentChunks(TableRoute route, RowSplitter<?> splitter) {
        return route.meta().partitioner() instanceof Partitioner.Time time
                ? ChunkRequester.absentChunks(route, time, splitter.actors())
                : Set.of();
    }

    /** Has the coordinator make the chunks that have no actors yet, then sends the rows. */
    private void requestChunks(
            TableRoute route,
            Set<Integer> absent,
            long deadlineNanos,
            Operation<UpdateOutcome> operation,
            ClientContext environment,
            Runnable send,
            Runnable cancel) {
        ChunkRequester chunks = new ChunkRequester(
                environment,
                (leader, request, timeout, completion) -> core.admin()
                        .call(
                                leader,
                                request,
                                timeout,
                                outcome -> operation.serial().execute(() -> completion.done(outcome))),
                route.meta().name(),
                route.meta().tableId(),
                absent,
                deadlineNanos,
                made -> {
                    if (made instanceof Outcome.Err<Done> err) {
                        operation.end(Outcome.err(err.error()));
                    } else {
                        send.run();
                    }
                });
        operation.start(chunks::start, () -> {
            chunks.cancel();
            cancel.run();
        });
    }

    /** Sends the whole update to a transaction manager. All its actors apply it, or none. */
    private Operation<UpdateOutcome> atomic(
            TableRoute route,
            String function,
            RowSplitter<?> splitter,
            List<List<ActorBatch>> steps,
            AckLevel level,
            Optional<RequestId> chosenId,
            long deadlineNanos,
            boolean block) {
        List<ActorBatch> batches = steps.isEmpty() ? List.of() : steps.get(0);
        long bytes = batches.stream().mapToLong(batch -> batch.rows().size()).sum();
        if (steps.size() > 1 || bytes > Limits.ATOMIC_UPDATE_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "an atomic update has at most " + Limits.BATCH_ROWS_MAX + " rows and " + Limits.BATCH_BYTES_MAX
                            + " bytes per actor, and " + Limits.ATOMIC_UPDATE_BYTES_MAX
                            + " bytes in all; this one has "
                            + splitter.bytes() + " bytes: send several updates, each atomic by itself");
        }
        if (level != AckLevel.ISR) {
            throw UniserveException.invalid("ack " + level + " is for tables of level EVENTUAL: an update of table "
                    + route.meta().name() + " is committed by all in-sync replicas of all its actors");
        }
        Update update =
                new Update(route.meta().name(), route.meta().tableId(), function, level, batches, deadlineNanos);
        Set<Integer> absent = absentChunks(route, splitter);
        return core.begin(splitter.bytes(), block, deadlineNanos, (operation, environment) -> {
            AtomicUpdateOperation run = new AtomicUpdateOperation(
                    environment,
                    core.requests(),
                    core.snapshotClient(operation.serial()),
                    core.versionWatermarks(),
                    update,
                    chosenId,
                    operation);
            if (absent.isEmpty()) {
                operation.start(run::start, run::cancel);
            } else {
                requestChunks(route, absent, deadlineNanos, operation, environment, run::start, run::cancel);
            }
        });
    }
}
