package io.uniserve.cli.load;

import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve load}. */
@Command(
        name = "load",
        description = {
            "Loads rows from files: JSON lines, CSV with a header line, lines of text, TPC-H's .tbl, or Solr's updates in JSON",
            "or XML, each optionally compressed by gzip. Values of CSV and .tbl are of the types of the table's columns.",
            "An invalid row is reported with its line and skipped; rows that the cluster does not acknowledge end the load.",
            "Files for a table with typed columns are checked to their ends first: if a row does not fit the columns, nothing",
            "is loaded. Rows that only the port's engine rejects are found later; the rows before and after them are loaded."
        },
        footer = {
            "  uniserve load speeches europarl.jsonl.gz",
            "  uniserve load events day1.csv day2.csv --batch 5000 --ack primary",
            "  uniserve load lineitem lineitem.tbl --batch 50000",
            "  zcat words.txt.gz | uniserve load words - --format text",
            "  uniserve load counters deltas.jsonl --update kv.add@1"
        })
public final class LoadCommand extends ClientCommand {
    private static final int BATCH_ROWS = 1_000;

    /** Batch size for a table with typed columns: its engine finds the rows to replace by one scan of the keys per batch. */
    private static final int BATCH_ROWS_TYPED = 20_000;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table to load into.")
    private String table = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "FILE", description = "Files; - is standard input.")
    private List<String> files = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "jsonl, csv, tsv, tbl, text, or Solr's updates in json or xml (default: by the file's name).")
    private RowSourceFactory.@Nullable Format format;

    @Option(
            names = "--batch",
            paramLabel = "ROWS",
            description = {
                "Rows per request (default: 1000; 20000 for a table with typed columns, whose",
                "engine scans all keys once per request)."
            })
    private @Nullable Integer batch;

    @Option(
            names = "--ack",
            paramLabel = "isr|primary",
            defaultValue = "isr",
            description =
                    "A row is acknowledged when all in-sync replicas have it on disk (isr, default) or only the primary.")
    private AckLevel ack = AckLevel.ISR;

    @Option(
            names = "--update",
            paramLabel = "NAME@VERSION",
            description = "The update function (default: the first one that the port offers, e.g. solr.add@1).")
    private @Nullable String function;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "Give up on a batch after this time (default: 60s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--rejects-max",
            paramLabel = "N",
            description = {
                "Skip up to this many rejected rows; more end the load (default: 100). If given for a table",
                "with typed columns, its files are not checked first, and their valid rows are loaded."
            })
    private @Nullable Long rejectsMax;

    @Option(
            names = "--split",
            paramLabel = "FIELD=SEPARATOR",
            description = {
                "Split a field's texts into lists at this separator, e.g. for CSV",
                "(tags_ss=;). Repeatable for several fields; only for tables without typed columns."
            })
    private Map<String, String> split = Map.of();

    @Override
    public Integer call() {
        TableName name = new TableName(table);
        if (batch != null) {
            checkRange("--batch", batch, 1, Limits.BATCH_ROWS_MAX);
        }
        if (rejectsMax != null && rejectsMax < 0) {
            throw usageError("--rejects-max is " + rejectsMax + ": use 0 or more");
        }
        if (format == null && files.contains(LoadInputFiles.STDIN)) {
            throw usageError(
                    "standard input has no file name that shows its format; give --format jsonl, csv, tsv, tbl, text, json or xml");
        }
        try (LoadInputFiles opened = new LoadInputFiles(files, format, console().in());
                ClusterClient cluster = connect()) {
            return load(cluster, cluster.table(name).meta(), opened);
        }
    }

    private int load(ClusterClient cluster, TableMeta meta, LoadInputFiles opened) {
        if (!split.isEmpty() && ColumnSchema.isDefinedBy(meta)) {
            throw usageError("--split: a column of table " + meta.name() + " has one value");
        }
        List<String> offered = forTable(meta, updates(cluster, meta));
        long most = rejectsMax == null ? LoadFileValidator.WRONG_ROWS_MAX : rejectsMax;
        BulkLoader.Plan plan = new BulkLoader.Plan(offered, ack, batchRows(meta), deadline.toMillis(), most);
        BulkLoadPrinter printer = new BulkLoadPrinter(console(), global().isJson(), most);
        BulkLoadReport report = new BulkLoadReport();
        BulkLoader loader = new BulkLoader(
                cluster, meta, plan, FieldSplitter.of(split, meta.keyField()), report, printer::rejected);
        long start = clock().nanos();
        try {
            if (rejectsMax != null
                    || !ColumnSchema.isDefinedBy(meta)
                    || checkFiles(meta, plan, opened, report, printer)) {
                loadAll(loader, meta, opened, report);
            }
        } finally {
            printer.summary(meta, report, (clock().nanos() - start) / 1e9);
        }
        return report.worstFailure().map(e -> ExitCode.of(e.code())).orElse(ExitCode.OK);
    }

    /** Reads all files before the first row is sent. Returns false if a row is invalid. */
    private boolean checkFiles(
            TableMeta meta,
            BulkLoader.Plan plan,
            LoadInputFiles opened,
            BulkLoadReport report,
            BulkLoadPrinter printer) {
        opened.copyUnrepeatable();
        LoadFileValidator check = new LoadFileValidator(meta, plan, report, printer::rejected);
        boolean right = false;
        try {
            forEachFile("check " + meta.name(), meta, opened, (file, source, tick) -> {
                check.checkFile(file, source, rows -> tick.accept("%,d rows".formatted(rows)));
                return report.rejectedRows() <= LoadFileValidator.WRONG_ROWS_MAX;
            });
            right = report.rejectedRows() == 0;
        } finally {
            if (!right) {
                printer.setCheckOnly();
            }
        }
        return right;
    }

    private void loadAll(BulkLoader loader, TableMeta meta, LoadInputFiles opened, BulkLoadReport report) {
        forEachFile(
                "load " + meta.name(),
                meta,
                opened,
                (file, source, tick) ->
                        loader.load(file, source, () -> tick.accept("%,d rows".formatted(report.rows()))));
    }

    /** Action on a file; returns false to end. */
    private interface Step {
        boolean run(String file, RowSource source, Consumer<String> tick);
    }

    /** Handles file by file, with a progress bar if the total size is known. */
    private void forEachFile(String what, TableMeta meta, LoadInputFiles opened, Step step) {
        boolean bar = opened.bytes() > 0;
        ProgressBar progress =
                new ProgressBar(console().err(), console().terminal(), clock()::nanos, what, opened.bytes());
        long before = 0;
        try {
            for (int i = 0; i < opened.count(); i++) {
                long base = before;
                opened.checkUnchanged(i);
                try (RowSource source = opened.open(i, meta)) {
                    Consumer<String> tick = bar ? note -> progress.update(base + source.bytesRead(), note) : note -> {};
                    if (!step.run(opened.displayName(i), source, tick)) {
                        return;
                    }
                    before += source.bytesRead();
                    opened.checkUnchanged(i);
                } catch (IOException e) {
                    throw new UniserveException(
                            ErrorCode.INVALID_ARGUMENT, "cannot read file " + opened.displayName(i) + ": " + e, e);
                }
            }
        } finally {
            if (bar) {
                progress.finish();
            }
        }
    }

    private int batchRows(TableMeta meta) {
        if (batch != null) {
            return batch;
        }
        return ColumnSchema.isDefinedBy(meta) ? BATCH_ROWS_TYPED : BATCH_ROWS;
    }

    /** Returns the functions to load with. The first is that for rows, in its form for all actors if the table needs that. */
    private List<String> forTable(TableMeta meta, List<String> offered) {
        List<String> functions = new ArrayList<>(function == null ? offered : List.of(function));
        functions.set(0, BroadcastUpdate.functionToSend(functions.get(0), meta, offered));
        return functions;
    }

    /** Returns the functions that the port offers; the first is that for rows. */
    private List<String> updates(ClusterClient cluster, TableMeta meta) {
        List<String> offered = cluster.servers().stream()
                .flatMap(server -> server.ports().stream())
                .filter(port -> port.name().equals(meta.port()))
                .flatMap(port -> port.updates().stream())
                .distinct()
                .toList();
        if (offered.isEmpty() && function == null) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT,
                    "no live server offers an update of port " + meta.port() + "; start one, or give --update");
        }
        return offered;
    }
}
