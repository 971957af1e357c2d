package io.uniserve.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.RouteIndex;
import java.util.Optional;

/**
 * Finds a table in the routing. One that is not there is asked for once; TABLE_NOT_FOUND when the answer does not have it
 * either. Its methods run on the operation's serial.
 */
final class AsyncTableLocator {
    private static final long RETRY_NANOS = 100_000_000;

    private final ClientContext environment;
    private final TableName table;
    private final long deadlineNanos;
    private final Operation<TableRoute> operation;
    private Timers.Cancel timer = () -> {};

    AsyncTableLocator(ClientContext environment, TableName table, long deadlineNanos, Operation<TableRoute> operation) {
        this.environment = environment;
        this.table = table;
        this.deadlineNanos = deadlineNanos;
        this.operation = operation;
    }

    /** Where the table is, or a way to wait for it. */
    static Operation<TableRoute> locate(ClientCore core, TableName table, long deadlineNanos, boolean block) {
        return core.begin(0, block, deadlineNanos, (operation, environment) -> {
            AsyncTableLocator asyncTableLocator = new AsyncTableLocator(environment, table, deadlineNanos, operation);
            operation.start(
                    asyncTableLocator::look,
                    () -> asyncTableLocator.fail(ErrorCode.CANCELLED, "the operation was cancelled"));
        });
    }

    private void look() {
        long remaining = deadlineNanos - environment.clock().nanos();
        timer = environment
                .timers()
                .after(
                        Math.max(1, remaining),
                        () -> fail(ErrorCode.DEADLINE_EXCEEDED, "no server told where table " + table + " is"));
        ask();
    }

    private void ask() {
        environment.routing().refresh(outcome -> {
            Optional<TableRoute> route = environment.routing().current().table(table);
            if (route.isPresent()) {
                end(Outcome.ok(route.get()));
            } else if (outcome instanceof Outcome.Err<RouteIndex> err
                    && err.error().code().retriable()) {
                timer.cancel();
                timer = environment.timers().after(RETRY_NANOS, this::look);
            } else if (outcome instanceof Outcome.Err<RouteIndex> err) {
                fail(err.error().code(), err.error().reason());
            } else {
                fail(
                        ErrorCode.TABLE_NOT_FOUND,
                        "table " + table + " does not exist; create it, or list the tables there are");
            }
        });
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<TableRoute> outcome) {
        timer.cancel();
        operation.end(outcome);
    }
}
