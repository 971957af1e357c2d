package io.uniserve.cli.load;

import io.uniserve.cli.command.Console;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Printer for a load: rejected rows and failed actors on the error stream, the counts as the answer. */
final class BulkLoadPrinter {
    private static final int TOLD_MAX = 20;

    private final Console console;
    private final boolean json;
    private final long rejectsMax;
    private long printedRejects;
    private boolean checkOnly;

    BulkLoadPrinter(Console console, boolean json, long rejectsMax) {
        this.console = console;
        this.json = json;
        this.rejectsMax = rejectsMax;
    }

    void rejected(BulkLoadReport.Rejected row) {
        if (++printedRejects <= TOLD_MAX) {
            console.failure(row.error().code().name(), location(row));
        } else if (printedRejects == TOLD_MAX + 1) {
            console.note("uniserve: more rejected rows follow; they are counted only");
        }
    }

    /** Marks the rejected rows as those of a check: nothing of the files is loaded. */
    void setCheckOnly() {
        checkOnly = true;
    }

    /** Returns the place of a row with the reason. The message of a row that could not be read already has the place. */
    private static String location(BulkLoadReport.Rejected row) {
        String place = row.file() + " line " + row.line();
        String reason = row.error().reason();
        return reason.startsWith(place) ? reason : place + ": " + reason;
    }

    void summary(TableMeta table, BulkLoadReport report, double seconds) {
        for (BulkLoadReport.Failure failure : report.failures()) {
            console.failure(
                    failure.error().code().name(),
                    "%s lines %d to %d: %d rows of actor %d were not acknowledged: %s"
                            .formatted(
                                    failure.file(),
                                    failure.firstLine(),
                                    failure.lastLine(),
                                    failure.rows(),
                                    failure.actor(),
                                    failure.error().reason()));
        }
        if (checkOnly) {
            String wrong = report.rejectedRows() > rejectsMax
                    ? "more than " + rejectsMax + " rows are wrong"
                    : report.rejectedRows() == 0 ? "one is wrong" : report.rejectedRows() + " rows are wrong";
            console.note("uniserve: nothing is loaded: the files were only checked, and " + wrong
                    + "; correct them, or give --rejects-max to skip up to this many");
        } else if (report.rejectedRows() > rejectsMax) {
            console.note("uniserve: more than " + rejectsMax + " rows were rejected; the load ends (--rejects-max)");
        }
        if (json) {
            console.json(fields(table, report, seconds));
            return;
        }
        console.println("%s in %.1f s (%,.0f rows/s), %,d rejected, %,d not acknowledged"
                .formatted(
                        summaryText(table, report),
                        seconds,
                        (report.rows() + report.deletions()) / Math.max(seconds, 1e-9),
                        report.rejectedRows(),
                        report.failedRows()));
    }

    private static String summaryText(TableMeta table, BulkLoadReport report) {
        String loaded = "%,d rows loaded into %s".formatted(report.rows(), table.name());
        String deleted = "%,d deletions done in %s".formatted(report.deletions(), table.name());
        return report.deletions() == 0 ? loaded : report.rows() == 0 ? deleted : loaded + ", " + deleted;
    }

    private static Map<String, Object> fields(TableMeta table, BulkLoadReport report, double seconds) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("table", table.name().value());
        fields.put("rows", report.rows());
        fields.put("deletions", report.deletions());
        fields.put("rejected", report.rejectedRows());
        fields.put("failed", report.failedRows());
        fields.put("retries", report.retries());
        fields.put("seconds", Math.round(seconds * 1_000) / 1_000.0);
        fields.put(
                "rejects",
                report.rejected().stream().map(BulkLoadPrinter::fields).toList());
        List<Map<String, Object>> failures = new ArrayList<>();
        for (BulkLoadReport.Failure failure : report.failures()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("file", failure.file());
            one.put("actor", failure.actor());
            one.put("rows", failure.rows());
            one.put("firstLine", failure.firstLine());
            one.put("lastLine", failure.lastLine());
            one.put("code", failure.error().code().name());
            one.put("message", failure.error().reason());
            failures.add(one);
        }
        fields.put("failures", failures);
        return fields;
    }

    private static Map<String, Object> fields(BulkLoadReport.Rejected row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("file", row.file());
        fields.put("line", row.line());
        fields.put("code", row.error().code().name());
        fields.put("message", row.error().reason());
        return fields;
    }
}
