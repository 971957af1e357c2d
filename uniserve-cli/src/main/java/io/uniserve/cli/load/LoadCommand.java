package io.uniserve.cli.load;

import io.uniserve.api.Columns;
import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationOption;
import io.uniserve.cli.ExitCode;
import io.uniserve.cli.Progress;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve load}. */
@Command(
        name = "load",
        description = {
            "Loads rows from files: JSON lines, CSV with a header line, lines of text, TPC-H's .tbl, or Solr's updates in JSON",
            "or XML, each also packed by gzip. Values of CSV and .tbl are of the types of the table's columns.",
            "A row that is wrong is told with its line and passed over; rows the cluster does not acknowledge end the load."
        },
        footer = {
            "  uniserve load speeches europarl.jsonl.gz",
            "  uniserve load events day1.csv day2.csv --batch 5000 --ack primary",
            "  uniserve load lineitem lineitem.tbl --batch 50000",
            "  zcat words.txt.gz | uniserve load words - --format text",
            "  uniserve load counters deltas.jsonl --update kv.add@1"
        })
public final class LoadCommand extends ClientCommand {
    private static final String STDIN = "-";
    private static final int BATCH_ROWS = 1_000;

    /** Of a table with typed columns: its engine finds the rows to replace by a scan of the keys, once a batch. */
    private static final int BATCH_ROWS_TYPED = 20_000;

    @Parameters(index = "0", paramLabel = "TABLE", description = "The table to load into.")
    private String table = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "FILE", description = "Files; - is standard input.")
    private List<String> files = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "jsonl, csv, tbl, text, or Solr's updates in json or xml (default: by the file's name).")
    private RowSources.@Nullable Format format;

    @Option(
            names = "--batch",
            paramLabel = "ROWS",
            description = {
                "Rows a request (default: 1000; 20000 for a table with typed columns, whose",
                "engine looks through all keys once a request)."
            })
    private @Nullable Integer batch;

    @Option(
            names = "--ack",
            paramLabel = "isr|primary",
            defaultValue = "isr",
            description = "A row counts when all in-sync copies have it on disk (isr, default) or the primary alone.")
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
            converter = DurationOption.class,
            description = "Give up on a batch after this time (default: 60s).")
    private Duration deadline = Duration.ZERO;

    @Option(
            names = "--rejects-max",
            paramLabel = "N",
            defaultValue = "100",
            description = "End the load after more rejected rows than this (default: 100).")
    private long rejectsMax;

    @Override
    public Integer call() {
        TableName name = new TableName(table);
        if (batch != null) {
            range("--batch", batch, 1, Limits.BATCH_ROWS_MAX);
        }
        if (rejectsMax < 0) {
            throw usage("--rejects-max is " + rejectsMax + ": use 0 or more");
        }
        long total = checkFiles();
        try (ClusterClient cluster = connect()) {
            TableMeta meta = cluster.table(name).meta();
            List<String> offered = function == null ? updates(cluster, meta) : List.of(function);
            Loader.Plan plan = new Loader.Plan(offered, ack, batchRows(meta), deadline.toMillis(), rejectsMax);
            LoadPrinter printer = new LoadPrinter(console(), global().json(), rejectsMax);
            LoadReport report = new LoadReport();
            long start = clock().nanos();
            Progress progress =
                    new Progress(console().err(), console().terminal(), clock()::nanos, "load " + name, total);
            try {
                loadAll(new Loader(cluster, meta, plan, report, printer::rejected), meta, report, progress);
            } finally {
                if (total > 0) {
                    progress.finish();
                }
                printer.summary(meta, report, (clock().nanos() - start) / 1e9);
            }
            return report.worst().map(e -> ExitCode.of(e.code())).orElse(ExitCode.OK);
        }
    }

    private int batchRows(TableMeta meta) {
        if (batch != null) {
            return batch;
        }
        return Columns.givenBy(meta) ? BATCH_ROWS_TYPED : BATCH_ROWS;
    }

    /** All files are looked at before the first row is sent; returns their bytes, 0 where standard input is among them. */
    private long checkFiles() {
        long total = 0;
        for (String file : files) {
            Path path = Path.of(file);
            if (format == null) {
                if (file.equals(STDIN)) {
                    throw usage(
                            "standard input has no name to tell its format; give --format jsonl, csv, tbl, text, json or xml");
                }
                RowSources.Format unused = RowSources.formatOf(path);
            }
            if (!file.equals(STDIN) && (!Files.isReadable(path) || Files.isDirectory(path))) {
                throw UniserveException.invalid("cannot read file " + file + ": there is no such file to read");
            }
            total += file.equals(STDIN) ? 0 : size(path);
        }
        return files.contains(STDIN) ? 0 : total;
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read file " + file + ": " + e, e);
        }
    }

    /** The functions that the port offers; the first is the one for rows. */
    private static List<String> updates(ClusterClient cluster, TableMeta meta) {
        return cluster.servers().stream()
                .flatMap(server -> server.ports().stream())
                .filter(port -> port.name().equals(meta.port()))
                .map(PortInfo::updates)
                .filter(updates -> !updates.isEmpty())
                .findFirst()
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNKNOWN_PORT,
                        "no live server offers an update of port " + meta.port() + "; start one, or give --update"));
    }

    private void loadAll(Loader loader, TableMeta meta, LoadReport report, Progress progress) {
        long before = 0;
        for (String file : files) {
            long base = before;
            try (RowSource source = open(file, meta)) {
                boolean bar = !files.contains(STDIN);
                Runnable tick = bar
                        ? () -> progress.at(base + source.bytesRead(), "%,d rows".formatted(report.rows()))
                        : () -> {};
                if (!loader.load(file.equals(STDIN) ? "standard input" : file, source, tick)) {
                    return;
                }
                before += source.bytesRead();
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read file " + file + ": " + e, e);
            }
        }
    }

    private RowSource open(String file, TableMeta meta) {
        Optional<Columns> columns = Columns.givenBy(meta) ? Optional.of(Columns.of(meta)) : Optional.empty();
        if (file.equals(STDIN)) {
            RowSources.Format known = format == null ? RowSources.Format.JSONL : format;
            return RowSources.open(console().in(), "standard input", known, meta.keyField(), columns);
        }
        Path path = Path.of(file);
        return RowSources.open(path, format != null ? format : RowSources.formatOf(path), meta.keyField(), columns);
    }
}
