package io.uniserve.client;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Lookup of tables: immediate if the routing map has the table, which is nearly always so. */
final class TableLocator {
    private TableLocator() {}

    /** Returns the table. Blocks only if the routing map does not have it yet. Fails with TABLE_NOT_FOUND. */
    public static TableRoute locateNow(ClientCore core, TableName table, long deadlineNanos) {
        core.checkOpen();
        Optional<TableRoute> known = core.index().table(table);
        return known.isPresent()
                ? known.get()
                : ClientFuture.await(AsyncTableLocator.locate(core, table, deadlineNanos, true));
    }

    /** Continues with the table, at once if the routing map has it. */
    public static <T> CompletableFuture<T> locate(
            ClientCore core,
            TableName table,
            long deadlineNanos,
            boolean block,
            Function<TableRoute, CompletableFuture<T>> next) {
        core.checkOpen();
        Optional<TableRoute> known = core.index().table(table);
        return known.isPresent()
                ? next.apply(known.get())
                : AsyncTableLocator.locate(core, table, deadlineNanos, block).thenCompose(next);
    }
}
