package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Lookup of a query's table before its first request. It succeeds at once if the routing has the table, which is the usual case; else it
 * refreshes the routing until the deadline. Calls back once, unless stopped before. Not thread-safe.
 */
final class TableLookup {
    private final ClientContext env;
    private final TableName table;
    private final long startNanos;
    private final long deadlineNanos;
    private final Consumer<TableRoute> onFound;
    private final BiConsumer<ErrorCode, String> onFailed;
    private int rounds;
    private boolean stopped;
    private Timers.Cancel timer = () -> {};

    TableLookup(
            ClientContext env,
            TableName table,
            long deadlineNanos,
            Consumer<TableRoute> found,
            BiConsumer<ErrorCode, String> failed) {
        this.env = env;
        this.table = table;
        this.startNanos = env.clock().nanos();
        this.deadlineNanos = deadlineNanos;
        this.onFound = found;
        this.onFailed = failed;
    }

    void start() {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isPresent()) {
            stop();
            onFound.accept(route.get());
            return;
        }
        retryAfter(deadlineNanos - env.clock().nanos());
        env.routing().refresh(this::onRefreshed);
    }

    void stop() {
        stopped = true;
        timer.cancel();
    }

    private void onRefreshed(Outcome<RouteIndex> outcome) {
        if (stopped) {
            return;
        }
        if (env.routing().current().table(table).isPresent()) {
            start();
        } else if (outcome instanceof Outcome.Err<RouteIndex> err
                && err.error().code().retriable()) {
            retryAfter(Math.min(
                    env.state().settings().backoffNanos(rounds++),
                    deadlineNanos - env.clock().nanos()));
        } else if (outcome instanceof Outcome.Err<RouteIndex> err) {
            fail(err.error().code(), err.error().reason());
        } else {
            fail(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + table + " does not exist; create it, or list the tables there are");
        }
    }

    /** Tries again after this time, or fails if the deadline has passed then. */
    private void retryAfter(long nanos) {
        timer.cancel();
        timer = env.timers().after(Math.max(1, nanos), () -> {
            long now = env.clock().nanos();
            if (stopped) {
                return;
            }
            if (now - deadlineNanos >= 0) {
                long millis = (now - startNanos) / 1_000_000;
                fail(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "no server sent the map of table " + table + " within " + millis + " ms");
            } else {
                start();
            }
        });
    }

    private void fail(ErrorCode code, String message) {
        stop();
        onFailed.accept(code, message);
    }
}
