package io.uniserve.client;

import io.uniserve.api.Row;
import io.uniserve.client.operation.Operation;
import io.uniserve.codec.Codec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Update of a table that is ready to run. Immutable and thread-safe; {@link #ack}, {@link #requestId}, {@link #deadline} and
 * {@link #everywhere} return changed copies. Each run without a chosen request id is a separate update.
 *
 * <pre>{@code
 * TableUpdate<Document> update = client.table("visits")
 *         .updateDocuments("kv.put@1", List.of(Map.of("id", "home", "hits", 3L)))
 *         .deadline(Duration.ofSeconds(5));
 * UpdateOutcome outcome = update.run().orThrow();
 * }</pre>
 *
 * @param <R> type of the rows
 */
public final class TableUpdate<R extends Row> {
    private final ClientCore core;
    private final TableName table;
    private final String function;
    private final Codec<R> codec;
    private final Function<TableMeta, Iterable<? extends R>> rows;
    private final AckLevel level;
    private final Optional<RequestId> requestId;
    private final Duration deadline;
    private final boolean everywhere;

    TableUpdate(
            ClientCore core,
            TableName table,
            String function,
            Codec<R> codec,
            Function<TableMeta, Iterable<? extends R>> rows,
            AckLevel level,
            Optional<RequestId> requestId,
            Duration deadline,
            boolean everywhere) {
        this.core = core;
        this.table = table;
        this.function = function;
        this.codec = codec;
        this.rows = rows;
        this.level = level;
        this.requestId = requestId;
        this.deadline = deadline;
        this.everywhere = everywhere;
    }

    /** Sets the condition for an acknowledgement. Default: {@link AckLevel#ISR}, with which no single failure loses the rows. */
    public TableUpdate<R> ack(AckLevel ackLevel) {
        return new TableUpdate<>(core, table, function, codec, rows, ackLevel, requestId, deadline, everywhere);
    }

    /**
     * Sets a request id that the application chooses, so that it can repeat an update after its own restart: the same id with the
     * same rows is applied at most once. Ids of one client number must ascend. The rows of each actor must fit in one message.
     */
    public TableUpdate<R> requestId(RequestId id) {
        return new TableUpdate<>(core, table, function, codec, rows, level, Optional.of(id), deadline, everywhere);
    }

    /** Sets the deadline, more than 0 and at most an hour. Default: the client's. */
    public TableUpdate<R> deadline(Duration duration) {
        return new TableUpdate<>(
                core,
                table,
                function,
                codec,
                rows,
                level,
                requestId,
                DeadlineValidator.check("deadline", duration),
                everywhere);
    }

    /**
     * Sends every row to every actor, not only to the actor of its key, which a row then need not have. For update functions that
     * select rows by another criterion, such as a deletion by query.
     */
    public TableUpdate<R> everywhere() {
        return new TableUpdate<>(core, table, function, codec, rows, level, requestId, deadline, true);
    }

    /**
     * Partitions the rows, sends them to the primaries and waits until each actor has acknowledged or failed. For an atomic table,
     * all actors apply the update or none. Rows are retried under the same request id until the deadline, and applied at most once.
     * After an acknowledgement at level ISR this client's reads return the rows.
     *
     * <p>The outcome has success or failure per actor. The call itself fails, without sending anything, with TABLE_NOT_FOUND,
     * INVALID_ROW or TOO_LARGE (with the row's position), CANCELLED on a closed client, or RESOURCE_EXHAUSTED if the client is at its
     * limit until the deadline.
     */
    public UpdateOutcome run() {
        long end = core.deadlineNanos(deadline);
        return ClientFuture.await(start(TableLocator.locateNow(core, table, end), end, true));
    }

    /** Asynchronous form of {@link #run}. If the client is at its limit, it fails at once with RESOURCE_EXHAUSTED. */
    public CompletionStage<UpdateOutcome> runAsync() {
        try {
            long end = core.deadlineNanos(deadline);
            CompletableFuture<UpdateOutcome> outcome =
                    TableLocator.locate(core, table, end, false, route -> start(route, end, false));
            return ClientFuture.of(outcome, core.options().callbackExecutor(), value -> value);
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Operation<UpdateOutcome> start(TableRoute route, long end, boolean block) {
        return new UpdateOperationFactory(core)
                .update(route, function, codec, rows.apply(route.meta()), level, requestId, end, everywhere, block);
    }
}
