package io.uniserve.client;

import io.uniserve.api.Row;
import io.uniserve.codec.Codec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * An eventual update that waits to be run. Immutable: {@link #ack}, {@link #requestId} and {@link #deadline} return changed
 * copies. Safe for use by several threads; every run without a chosen request id is an update of its own.
 *
 * @param <R> the rows
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

    /** When an actor's rows count as acknowledged. Default: {@link AckLevel#ISR}, which no single failure undoes. */
    public TableUpdate<R> ack(AckLevel ackLevel) {
        return new TableUpdate<>(core, table, function, codec, rows, ackLevel, requestId, deadline, everywhere);
    }

    /**
     * An identity of the application's own, so that it can repeat an update after its own restart: the same id with the same
     * rows is applied at most once. Ids of one client number must ascend. The rows of each actor must fit in one message.
     */
    public TableUpdate<R> requestId(RequestId id) {
        return new TableUpdate<>(core, table, function, codec, rows, level, Optional.of(id), deadline, everywhere);
    }

    /** When to give up; more than 0, at most an hour. Default: the client's. */
    public TableUpdate<R> deadline(Duration duration) {
        return new TableUpdate<>(
                core,
                table,
                function,
                codec,
                rows,
                level,
                requestId,
                Deadlines.check("deadline", duration),
                everywhere);
    }

    /**
     * Sends every row to every actor, instead of to the one of its key, which it need not have: for update functions that
     * find what they change by something else, such as a deletion by query.
     */
    public TableUpdate<R> everywhere() {
        return new TableUpdate<>(core, table, function, codec, rows, level, requestId, deadline, true);
    }

    /**
     * Puts the rows with their actors, sends them to the primaries and waits until each actor has acknowledged or failed.
     * Rows are repeated under the same request id, at most once applied, until the deadline. After an acknowledgement at
     * level ISR reads of this client see the rows.
     *
     * <p>The outcome tells success and failure per actor. The call itself fails, nothing sent, with TABLE_NOT_FOUND,
     * INVALID_ROW or TOO_LARGE (naming the row), CANCELLED on a closed client, or RESOURCE_EXHAUSTED without room before the
     * deadline.
     */
    public UpdateOutcome run() {
        long end = core.deadlineNanos(deadline);
        return ClientFuture.await(start(TableLocator.locateNow(core, table, end), end, true));
    }

    /** As {@link #run}, without waiting; without room it fails at once with RESOURCE_EXHAUSTED. */
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
        return new UpdateOperations(core)
                .update(route, function, codec, rows.apply(route.meta()), level, requestId, end, everywhere, block);
    }
}
