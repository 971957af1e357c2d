package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Check of files for a table with typed columns, before the first row is sent. It reads them to their ends. If a row is invalid, or
 * requests an operation without an update function, nothing is loaded. It does not find rows that only the port's engine rejects. Not
 * thread-safe.
 */
final class LoadFileValidator {
    /** Maximum number of reported invalid rows; the check ends after more. */
    static final long WRONG_ROWS_MAX = 100;

    private static final int TICK_ROWS = 10_000;

    private final RowValidator check;
    private final ColumnSchema columns;
    private final TableMeta table;
    private final BulkLoader.Plan plan;
    private final BulkLoadReport report;
    private final Consumer<BulkLoadReport.Rejected> rejects;
    private long rows;

    LoadFileValidator(
            TableMeta table, BulkLoader.Plan plan, BulkLoadReport report, Consumer<BulkLoadReport.Rejected> rejects) {
        this.check = new RowValidator(table);
        this.columns = ColumnSchema.of(table);
        this.table = table;
        this.plan = plan;
        this.report = report;
        this.rejects = rejects;
    }

    /**
     * Reads one file; {@code progress} gets the number of rows of all files so far, from time to time. Invalid rows are reported. A failure
     * that ends the file is thrown.
     */
    void checkFile(String file, RowSource source, LongConsumer progress) {
        while (report.rejectedRows() <= WRONG_ROWS_MAX) {
            try {
                Optional<Document> next = source.next();
                if (next.isEmpty()) {
                    break;
                }
                Document row = check.withTableKey(next.get());
                if (plan.isSkipped(source.command())) {
                    continue;
                }
                String function = plan.function(source.command(), table);
                if (!source.command().goesToAllActors()) {
                    int unused = check.actor(row);
                }
                long unusedBytes = RowValidator.bytes(row);
                check.checkColumns(columns, source.command(), function, row);
                rows++;
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.INVALID_ROW && e.code() != ErrorCode.TOO_LARGE) {
                    throw e;
                }
                BulkLoadReport.Rejected wrong = new BulkLoadReport.Rejected(file, source.line(), e);
                report.addRejected(wrong);
                rejects.accept(wrong);
            }
            if (rows % TICK_ROWS == 0) {
                progress.accept(rows);
            }
        }
        progress.accept(rows);
    }
}
