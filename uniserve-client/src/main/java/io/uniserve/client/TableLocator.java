package io.uniserve.client;

import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Finds tables: at once where the routing knows them, as nearly always. */
final class TableLocator {
    private TableLocator() {}

    /** Where the table is; blocks only if it has to be asked for. TABLE_NOT_FOUND. */
    public static TableRoute locateNow(ClientCore core, TableName table, long deadlineNanos) {
        core.checkOpen();
        Optional<TableRoute> known = core.index().table(table);
        return known.isPresent()
                ? known.get()
                : ClientFuture.await(AsyncTableLocator.locate(core, table, deadlineNanos, true));
    }

    /** Goes on with the table, at once where it is known. */
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
