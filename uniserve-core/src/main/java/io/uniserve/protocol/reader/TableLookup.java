package io.uniserve.protocol.reader;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
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
    private final Consumer<TableRoute> found;
    private final BiConsumer<ErrorCode, String> failed;
    private int rounds;
    private boolean over;
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
        this.found = found;
        this.failed = failed;
    }

    void start() {
        Optional<TableRoute> route = env.routing().current().table(table);
        if (route.isPresent()) {
            stop();
            found.accept(route.get());
            return;
        }
        wake(deadlineNanos - env.clock().nanos());
        env.routing().refresh(this::heard);
    }

    void stop() {
        over = true;
        timer.cancel();
    }

    private void heard(Outcome<RouteIndex> outcome) {
        if (over) {
            return;
        }
        if (env.routing().current().table(table).isPresent()) {
            start();
        } else if (outcome instanceof Outcome.Err<RouteIndex> err
                && err.error().code().retriable()) {
            wake(Math.min(
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
    private void wake(long nanos) {
        timer.cancel();
        timer = env.timers().after(Math.max(1, nanos), () -> {
            long now = env.clock().nanos();
            if (over) {
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
        failed.accept(code, message);
    }
}
