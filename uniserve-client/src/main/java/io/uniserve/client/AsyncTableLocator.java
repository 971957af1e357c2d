package io.uniserve.client;

import io.uniserve.client.operation.Operation;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.Optional;

/**
 * Lookup of a table in the routing map. If the map does not have it, the lookup requests the newest map, and fails with
 * TABLE_NOT_FOUND if that does not have it either. Methods run on the operation's serial executor.
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

    /** Starts a lookup. */
    static Operation<TableRoute> locate(ClientCore core, TableName table, long deadlineNanos, boolean block) {
        return core.begin(0, block, deadlineNanos, (operation, environment) -> {
            AsyncTableLocator asyncTableLocator = new AsyncTableLocator(environment, table, deadlineNanos, operation);
            operation.start(
                    asyncTableLocator::lookUp,
                    () -> asyncTableLocator.fail(ErrorCode.CANCELLED, "the operation was cancelled"));
        });
    }

    private void lookUp() {
        long remaining = deadlineNanos - environment.clock().nanos();
        timer = environment
                .timers()
                .after(
                        Math.max(1, remaining),
                        () -> fail(ErrorCode.DEADLINE_EXCEEDED, "no server answered for table " + table + " in time"));
        requestRouting();
    }

    private void requestRouting() {
        environment.routing().refresh(outcome -> {
            Optional<TableRoute> route = environment.routing().current().table(table);
            if (route.isPresent()) {
                end(Outcome.ok(route.get()));
            } else if (outcome instanceof Outcome.Err<RouteIndex> err
                    && err.error().code().retriable()) {
                timer.cancel();
                timer = environment.timers().after(RETRY_NANOS, this::lookUp);
            } else if (outcome instanceof Outcome.Err<RouteIndex> err) {
                fail(err.error().code(), err.error().reason());
            } else {
                fail(ErrorCode.TABLE_NOT_FOUND, "table " + table + " does not exist; create it, or list the tables");
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
