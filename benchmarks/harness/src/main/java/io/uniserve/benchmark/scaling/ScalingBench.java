package io.uniserve.benchmark.scaling;

import io.uniserve.api.Document;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.placement.ScalingView;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** Measurement of {@code bench scaling}. Not thread-safe. */
final class ScalingBench implements AutoCloseable {
    private static final String TABLE = "scaled";
    private static final String COORDINATOR = "coordinator-1";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int LOAD_BATCH = 500;

    /** A server with a fraction of a core would compile for minutes with the second compiler. */
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

    private final LongSupplier nanos;
    private final Settings settings;
    private final Path directory;
    private final Console console;
    private final ProcessCluster cluster;
    private final CpuQuota quota = new CpuQuota();
    private final Set<String> limited = new HashSet<>();
    private final List<Sample> samples = new ArrayList<>();

    /**
     * Settings of a run.
     *
     * @param cores CPU limit of each server; 0 for none
     * @param periodSeconds period of the auto-scaler
     * @param warmUpSeconds time at the smallest rate before the load is measured
     */
    record Settings(
            LoadProfile profile,
            int servers,
            int actors,
            int rows,
            int threads,
            double cores,
            int periodSeconds,
            int warmUpSeconds,
            String heap) {}

    /**
     * State of the cluster at one moment.
     *
     * @param second time since the start of the load
     * @param servers servers that may hold replicas
     * @param launching servers that are being launched, drained or terminated
     * @param cpu mean CPU of queries and updates over the auto-scaler's period, as a part of all cores; NaN if unknown
     * @param replicasLeast smallest number of replicas of an actor
     */
    record Sample(double second, int servers, int launching, double cpu, int replicasLeast) {}

    ScalingBench(LongSupplier nanos, Settings settings, Path directory, Console console) {
        this.nanos = nanos;
        this.settings = settings;
        this.directory = directory;
        this.console = console;
        cluster =
                new ProcessCluster(ProcessClusterOptions.of(directory, 0, "kv").with(clusterSettings()));
    }

    private Map<String, String> clusterSettings() {
        Map<String, String> all = new TreeMap<>();
        String period = settings.periodSeconds() + "s";
        all.put("coordinator.rebalance.period", "2s");
        all.put("coordinator.rebalance.copies-max", "0");
        all.put("coordinator.rebalance.moves-per-server", "4");
        String scaling = "coordinator.scaling.";
        all.put(scaling + "provider", "process");
        all.put(scaling + "process.directory", directory.resolve("servers").toString());
        all.put(
                scaling + "process.command",
                String.join(
                        ",",
                        JavaLauncher.ofThisProcess()
                                .with(ONE_COMPILER)
                                .commandLine("-Xmx" + settings.heap(), List.of("server"))));
        all.put(
                scaling + "process.arguments",
                "-S,server.capacity.cpu-cores=" + (settings.cores() > 0 ? settings.cores() : 1)
                        + ",-S,server.load-half-life=2s,-S,server.ping=2s,--host,127.0.0.1");
        all.put(scaling + "servers-min", "1");
        all.put(scaling + "servers-max", Integer.toString(settings.servers()));
        all.put(scaling + "spare-servers", "0");
        all.put(scaling + "period", period);
        all.put(scaling + "pause", period);
        all.put(scaling + "reversal", 4 * settings.periodSeconds() + "s");
        all.put(scaling + "remove-periods", "1");
        all.put(scaling + "list-period", "1s");
        all.put(scaling + "call-timeout", "5s");
        all.put(scaling + "drain-timeout", "5m");
        return all;
    }

    List<Sample> samples() {
        return samples;
    }

    /** Runs the load and returns the reader with its latencies. */
    TargetRateReader run() throws InterruptedException {
        console.note("starting ZooKeeper and a coordinator, which launches the first server");
        cluster.start();
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster.address(COORDINATOR).toString())
                .connectTimeout(PATIENCE)
                .build()) {
            awaitServers(client, 1);
            limitCpu(client);
            load(client);
            warmUp(client);
            TargetRateReader reader = new TargetRateReader(
                    nanos, client.table(TABLE), settings.rows(), settings.profile(), settings.threads());
            try (reader) {
                observe(client, reader);
                reader.join();
            }
            return reader;
        }
    }

    /** Reads at the smallest rate without a measurement, so that the first server's code is compiled. */
    private void warmUp(UniserveClient client) throws InterruptedException {
        double low = settings.profile().low();
        console.note("reading for " + settings.warmUpSeconds() + " s before the measurement");
        LoadProfile flat = new LoadProfile(settings.warmUpSeconds(), low, low);
        try (TargetRateReader reader =
                new TargetRateReader(nanos, client.table(TABLE), settings.rows(), flat, settings.threads())) {
            reader.join();
        }
    }

    private static void awaitServers(UniserveClient client, int servers) throws InterruptedException {
        ConditionPoller.await(
                PATIENCE,
                () -> client.routing().servers().size() >= servers ? Optional.of(true) : Optional.empty(),
                () -> client.routing().servers().size() + " servers have joined, of " + servers);
    }

    private void load(UniserveClient client) {
        client.admin()
                .createTable(TableSpec.named(TABLE)
                        .port("kv")
                        .hash(settings.actors())
                        .replicas(1)
                        .keyField("key"));
        for (int from = 0; from < settings.rows(); from += LOAD_BATCH) {
            List<Document> batch = LongStream.range(from, Math.min(settings.rows(), from + LOAD_BATCH))
                    .mapToObj(TargetRateReader::row)
                    .toList();
            client.table(TABLE)
                    .update("kv.put@1", Document.CODEC, batch)
                    .deadline(PATIENCE)
                    .run()
                    .orThrow();
        }
    }

    private void observe(UniserveClient client, TargetRateReader reader) throws InterruptedException {
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, "load", (long)
                settings.profile().seconds());
        CountDownLatch never = new CountDownLatch(1);
        while (reader.secondsSinceStart() < settings.profile().seconds() && !never.await(1, TimeUnit.SECONDS)) {
            limitCpu(client);
            double second = reader.secondsSinceStart();
            Sample sample = sample(client, second);
            samples.add(sample);
            progress.update(
                    Math.min((long) settings.profile().seconds(), (long) second),
                    String.format(
                            Locale.ROOT,
                            "%.0f op/s, %d servers, CPU %.0f %%",
                            settings.profile().rate(second),
                            sample.servers(),
                            100 * sample.cpu()));
        }
        progress.finish();
    }

    private static Sample sample(UniserveClient client, double second) {
        Scaling scaling = client.admin().scaling();
        ScalingView view = new ScalingView(scaling.servers());
        int changing = (int) scaling.record().instances().stream()
                .filter(one ->
                        one.state() != ScalingInstance.State.JOINED && one.state() != ScalingInstance.State.ENDED)
                .count();
        int least = client.admin().describeTable(TABLE).map().actors().stream()
                .mapToInt(actor -> actor.isr().size())
                .min()
                .orElse(0);
        return new Sample(
                second, view.servers().size(), changing, view.meanCpu().orElse(Double.NaN), least);
    }

    /** Limits the CPU of servers that have joined since the last call. */
    private void limitCpu(UniserveClient client) {
        if (settings.cores() <= 0) {
            return;
        }
        for (ScalingInstance instance : client.admin().scaling().record().instances()) {
            if (instance.state() == ScalingInstance.State.JOINED && limited.add(instance.token())) {
                Path pid =
                        directory.resolve("servers").resolve(instance.token()).resolve("pid");
                try {
                    quota.limit(List.of(Long.parseLong(Files.readString(pid).strip())), settings.cores());
                } catch (IOException e) {
                    throw new UniserveException(ErrorCode.IO, "cannot read " + pid, e);
                }
            }
        }
    }

    /** Returns the decisions of the auto-scaler, for people. */
    List<String> decisions() {
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster.address(COORDINATOR).toString())
                .build()) {
            return client.admin().scaling().record().events().stream()
                    .map(event -> event.action() + ": " + event.reason() + " -> " + event.effect())
                    .toList();
        }
    }

    /** Returns the figures of a run. */
    List<BenchmarkMetric> figures(TargetRateReader reader) {
        return ScalingFigures.of(reader.slices(), samples, settings);
    }

    @Override
    public void close() {
        cluster.close();
        quota.close();
    }
}
