package io.uniserve.benchmark.overhead;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UniserveClientBuilder;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Cost of mode closed, of {@code bench overhead --modes}: the same queries at three clusters, in turn: plain text, TLS without rules, and mode
 * closed with a reader that has limits. The difference of the last two is the authorization. Not thread-safe.
 */
final class SecurityModesBench {
    private static final int SERVERS = 2;
    private static final int ACTORS = 16;
    private static final int THREADS = 4;
    private static final int WARMUP_PASSES = 5;
    private static final double AUTHORIZATION_MAX = 1.02;
    private static final Duration VALIDITY = Duration.ofDays(2);
    private static final String CLUSTER = "local";
    private static final String TABLE = "modes";
    private static final String READER = "reader";
    private static final Map<LimitKind, Long> LIMITS = Map.of(
            LimitKind.CONCURRENT_QUERIES, 1_000L,
            LimitKind.RESULT_BYTES, 1L << 30,
            LimitKind.DEADLINE_MS, 60_000L,
            LimitKind.ANSWER_ROWS, 1_000_000L);

    private final PairedBenchmark bench;
    private final OverheadBench.Scale scale;
    private final Path directory;
    private final Console console;
    private final List<String> rows = new ArrayList<>();
    private final List<BenchmarkMetric> figures = new ArrayList<>();

    SecurityModesBench(PairedBenchmark bench, OverheadBench.Scale scale, Path directory, Console console) {
        this.bench = bench;
        this.scale = scale;
        this.directory = directory;
        this.console = console;
    }

    /** Returns one line per measurement, for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    /** A running cluster in one mode. */
    private record Mode(String name, ProcessCluster cluster, UniserveClient client, ClientTable table, CpuMeter cpu)
            implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            cluster.close();
        }
    }

    List<BenchmarkMetric> run() {
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority authority = CertificateAuthority.create(directory.resolve("authority"), CLUSTER, now);
        CertificateFiles node = authority.issueServer("node", List.of(), now, VALIDITY, directory.resolve("node"));
        CertificateFiles admin = authority.issueUser("admin", now, VALIDITY, directory.resolve("admin"));
        CertificateFiles reader = authority.issueUser(READER, now, VALIDITY, directory.resolve(READER));
        try (Mode plain = start("plain text", Map.of(), TlsFiles.PLAIN, TlsFiles.PLAIN);
                Mode tls = start("TLS", settings(node, "open"), tls(admin), tls(admin));
                Mode closed = start("closed", settings(node, "closed"), tls(admin), tls(reader))) {
            List<Mode> modes = List.of(plain, tls, closed);
            rows.add(String.format(
                    Locale.ROOT, "%-34s %12s %12s %10s", "queries, mode", "p50 (us)", "CPU ms/op", "CPU ratio"));
            long total = (long) ACTORS * OverheadBench.ROWS_PER_ACTOR;
            measure("single-actor", modes, (table, n) -> OverheadBench.getOne(table, n % total));
            measure("all-actor", modes, (table, n) -> OverheadBench.countAll(table, total));
        }
        return List.copyOf(figures);
    }

    private static Map<String, String> settings(CertificateFiles files, String mode) {
        return new HashMap<>(Map.of(
                "security.mode", mode,
                "tls.enabled", "true",
                "tls.certificate-file", files.certificate().toString(),
                "tls.key-file", files.key().toString(),
                "tls.trust-file", files.trust().toString()));
    }

    private static TlsFiles tls(CertificateFiles files) {
        return new TlsFiles(
                true, Optional.of(files.certificate()), Optional.of(files.key()), Optional.of(files.trust()), false);
    }

    private Mode start(String name, Map<String, String> settings, TlsFiles admin, TlsFiles user) {
        console.note("starting " + SERVERS + " servers: " + name);
        ProcessCluster cluster =
                new ProcessCluster(ProcessClusterOptions.of(directory.resolve(name.replace(' ', '-')), SERVERS, "kv")
                        .with(settings));
        cluster.start();
        try (UniserveClient owner = client(cluster, admin)) {
            ClientTable unused = OverheadBench.table(owner, TABLE, ACTORS);
            if (name.equals("closed")) {
                restrict(owner);
            }
        }
        UniserveClient client = client(cluster, user);
        List<Long> pids = cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
        return new Mode(name, cluster, client, client.table(TABLE), new CpuMeter(pids, true));
    }

    /** Permits the table to the reader, with limits that no query of this benchmark reaches. */
    private static void restrict(UniserveClient owner) {
        owner.admin().changeGrant(new RoleGrant(READER, Role.READER, new TablePattern(TABLE)), false);
        LIMITS.forEach((kind, value) -> owner.admin().changeLimit(Role.READER, kind, value));
    }

    private static UniserveClient client(ProcessCluster cluster, TlsFiles tls) {
        UniserveClientBuilder builder =
                UniserveClient.builder().bootstrap(cluster.bootstrap().toArray(new String[0]));
        return tls.enabled() ? builder.tls(tls).build() : builder.build();
    }

    /** A query of a table. */
    private interface Query {
        void run(ClientTable table, long n);
    }

    private void measure(String name, List<Mode> modes, Query query) {
        List<PairedBenchmark.Side> sides = modes.stream()
                .map(mode -> new PairedBenchmark.Side(mode.name(), n -> query.run(mode.table(), n), mode.cpu()))
                .toList();
        console.note("warming up " + name + ": " + scale.warmup() + " operations of each mode");
        for (int pass = 0; pass < WARMUP_PASSES; pass++) {
            for (PairedBenchmark.Side side : sides) {
                bench.warmUp(side, THREADS, scale.warmup() / THREADS / WARMUP_PASSES);
            }
        }
        console.note(name + ", " + THREADS + " threads");
        List<BenchmarkIteration> blocks = bench.compare(
                new PairedBenchmark.Load(name, THREADS, Math.max(1, scale.operations() / THREADS), scale.rounds()),
                sides);
        double plain = blocks.get(0).cpuMsPerOperation();
        for (int i = 0; i < blocks.size(); i++) {
            rows.add(String.format(
                    Locale.ROOT,
                    "%-34s %12.0f %12.4f %10.2f",
                    name + ", " + modes.get(i).name(),
                    blocks.get(i).percentileMicros(0.5),
                    blocks.get(i).cpuMsPerOperation(),
                    blocks.get(i).cpuMsPerOperation() / plain));
        }
        figures.add(BenchmarkMetric.atMost(
                name + ": CPU of closed over TLS",
                blocks.get(2).cpuMsPerOperation() / blocks.get(1).cpuMsPerOperation(),
                AUTHORIZATION_MAX));
    }
}
