package io.uniserve.benchmark.tpch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.benchmark.measure.ProcFsReader;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Uniserve as a cluster of processes with a SQL port. Not thread-safe. */
public final class UniserveTpchCluster implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final int BATCH_ROWS = 100_000;
    private static final long BATCH_CHARS = 4L << 20;
    private static final long IN_FLIGHT_BYTES_MAX = 1L << 30;

    private final String port;
    private final ProcessCluster cluster;
    private final UniserveClient client;

    /** Starts ZooKeeper, a coordinator and servers, and connects. */
    public UniserveTpchCluster(ProcessClusterOptions options) {
        port = options.port();
        cluster = new ProcessCluster(options);
        try {
            cluster.start();
            client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(Duration.ofMinutes(10))
                    .connectTimeout(Duration.ofMinutes(1))
                    .maxInFlightBytes(IN_FLIGHT_BYTES_MAX)
                    .build();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    public ProcessCluster processes() {
        return cluster;
    }

    public UniserveClient client() {
        return client;
    }

    /** Returns the servers' processes, without ZooKeeper and coordinator. */
    List<Long> serverPids() {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
    }

    /** Returns the peak memory of the server with the most, in MB; 0 if the system does not provide it (Linux does). */
    long peakMb() {
        return serverPids().stream().mapToLong(ProcFsReader::peakMb).max().orElse(0);
    }

    /** Creates the tables, with one actor per server except for the smallest, and fills them from the files. */
    public void load(
            TpchDataGenerator data,
            List<TpchDataGenerator.Table> tables,
            int actors,
            int replicas,
            Console console,
            LongSupplier nanos) {
        for (TpchDataGenerator.Table table : tables) {
            client.admin()
                    .createTable(TableSpec.named(table.name())
                            .port(port)
                            .keyField(table.key())
                            .hash(table.isFixedSize() ? 1 : actors)
                            .replicas(replicas)
                            .option("columns", table.columns())
                            .option("primary", table.primary()));
        }
        long total = tables.stream().mapToLong(data::rows).sum();
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, "load uniserve", total);
        long done = 0;
        for (TpchDataGenerator.Table table : tables) {
            done = load(data, table, done, progress);
        }
        progress.finish();
    }

    /** Reads the next batch while one is stored. */
    private long load(TpchDataGenerator data, TpchDataGenerator.Table table, long before, ProgressBar progress) {
        ColumnSchema columns =
                ColumnSchema.of(client.admin().describeTable(table.name()).meta());
        long done = before;
        CompletionStage<?> last = null;
        try (BufferedReader in = Files.newBufferedReader(data.file(table))) {
            List<Document> batch = batch(in, table, columns);
            while (!batch.isEmpty()) {
                await(last);
                done += batch.size();
                progress.update(done, table.name());
                last = client.table(table.name())
                        .update(port + ".put@1", Document.CODEC, batch)
                        .runAsync()
                        .thenApply(outcome -> outcome.orThrow());
                batch = batch(in, table, columns);
            }
            await(last);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + data.file(table), e);
        }
        return done;
    }

    private static void await(@Nullable CompletionStage<?> sent) {
        try {
            if (sent != null) {
                sent.toCompletableFuture().join();
            }
        } catch (CompletionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, "the load failed", e);
        }
    }

    private static List<Document> batch(BufferedReader in, TpchDataGenerator.Table table, ColumnSchema columns)
            throws IOException {
        List<Document> batch = new ArrayList<>();
        List<String> names = columns.names();
        long chars = 0;
        while (batch.size() < BATCH_ROWS && chars < BATCH_CHARS) {
            String line = in.readLine();
            if (line == null) {
                break;
            }
            chars += line.length();
            batch.add(columns.parseRow(table.key(), names, List.of(line.split("\\|", -1))));
        }
        return batch;
    }

    /** Returns an answer as unparsed JSON. */
    String query(TpchQuery query) {
        return client.query(query.table(), query.sql()).body().utf8();
    }

    /** Returns the rows of an answer, values as texts. */
    public static List<List<@Nullable String>> rows(String answer) {
        try {
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (JsonNode row : JSON.readTree(answer).path("rows")) {
                List<@Nullable String> values = new ArrayList<>();
                row.forEach(value -> values.add(value.isNull() ? null : value.asText()));
                rows.add(values);
            }
            return rows;
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the answer is not JSON: " + answer, e);
        }
    }

    @Override
    public void close() {
        client.close();
        cluster.close();
    }
}
