package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.time.ChunkCalendar;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One scenario under one policy. A writer appends each chunk when its time begins. Queries arrive at random times, at a fixed rate that does
 * not depend on answers, and ask one chunk each: latencies count from the time of arrival. Every answer about a complete chunk is checked.
 */
final class ChunkPlacementRun {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int THREADS = 64;
    private static final int SEED = 37;
    private static final double NANOS = 1e9;
    /** Queries without a CPU limit, for the compilers. */
    private static final double WARM_UP_SECONDS_MIN = 5;

    private static final long END_TIMEOUT_MS = 60_000;
    private static final long WRITER_PERIOD_NANOS = 20_000_000;

    private final ChunkCluster cluster;
    private final ChunkScenario scenario;
    private final Load load;
    private final Console console;
    private final LongSupplier nanos;
    private final Map<ChunkScenario.Table, ChunkCalendar> calendars = new ConcurrentHashMap<>();
    private final Set<String> complete = ConcurrentHashMap.newKeySet();
    private final Collection<Sample> samples = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicInteger open = new AtomicInteger();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();

    /**
     * Size of a run.
     *
     * @param perSecond queries per second
     * @param unitSeconds real length of a unit
     * @param settleUnits units before the measurement, in which the CPU limit holds already
     * @param seconds length of the measurement
     * @param quota cores per server, 0 for no limit
     */
    record Load(double perSecond, double unitSeconds, int settleUnits, double seconds, double quota) {}

    /** Measured query: its latency, and whether it failed or was wrong. */
    private record Sample(long latencyNanos, boolean failed, boolean wrong) {}

    /**
     * Figures of a run.
     *
     * @param latencies in nanoseconds, sorted
     * @param mean cores per server
     * @param deviation standard deviation of cores among servers
     * @param problem first failure; empty for none
     */
    record Outcome(
            long[] latencies,
            int failed,
            int wrong,
            double mean,
            double deviation,
            List<Integer> actors,
            List<String> explanation,
            String problem) {
        double percentileMillis(double share) {
            return latencies.length == 0
                    ? Double.NaN
                    : latencies[Math.min(latencies.length - 1, (int) Math.ceil(share * latencies.length) - 1)] / 1e6;
        }
    }

    ChunkPlacementRun(ChunkCluster cluster, ChunkScenario scenario, Load load, Console console, LongSupplier nanos) {
        this.cluster = cluster;
        this.scenario = scenario;
        this.load = load;
        this.console = console;
        this.nanos = nanos;
        scenario.tables.forEach(table -> calendars.put(table, ChunkCluster.calendar(table)));
    }

    /** Creates the tables with the chunks that are live, and runs until the end of the measurement. */
    Outcome run() {
        scenario.tables.forEach(cluster::create);
        Map<ChunkScenario.Table, Integer> next = new TreeMap<>(Comparator.comparing(ChunkScenario.Table::name));
        scenario.tables.forEach(table -> next.put(table, present(table) - table.live() + 1));
        appendDue(next);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try (CpuQuota limit = new CpuQuota()) {
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(next), pool);
            SplittableRandom random = new SplittableRandom(SEED);
            query(pool, random, Math.max(WARM_UP_SECONDS_MIN, cluster.secondsToOrigin()), false, null);
            if (load.quota() > 0) {
                limit.limit(cluster.serverPids(), load.quota());
            }
            double half = load.settleUnits() * load.unitSeconds() / 2;
            query(pool, random, half, false, null);
            CompletableFuture<List<Long>> joining =
                    CompletableFuture.supplyAsync(() -> cluster.join(scenario.joining), pool);
            query(pool, random, half, false, null);
            List<Long> joined = joining.join();
            if (load.quota() > 0) {
                limit.limit(joined, load.quota());
            }
            ServerCpuSampler cpu = new ServerCpuSampler(nanos, cluster.serverPids());
            query(pool, random, load.seconds(), true, cpu);
            List<Integer> actors = cluster.actorsByServer();
            ChunkScenario.Table first = scenario.tables.get(0);
            List<String> explanation =
                    cluster.explain(first.name(), calendar(first).start(present(first) + 1));
            if (!ConditionWaiter.await(nanos, END_TIMEOUT_MS, () -> open.get() == 0)) {
                problems.add(open.get() + " queries have not ended after " + END_TIMEOUT_MS + " ms");
            }
            end.set(true);
            writer.join();
            return outcome(cpu, actors, explanation);
        } catch (CompletionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, "part easy failed: " + e.getCause(), e);
        } finally {
            end.set(true);
            pool.shutdownNow();
        }
    }

    private Outcome outcome(ServerCpuSampler cpu, List<Integer> actors, List<String> explanation) {
        return new Outcome(
                samples.stream().mapToLong(Sample::latencyNanos).sorted().toArray(),
                (int) samples.stream().filter(Sample::failed).count(),
                (int) samples.stream().filter(Sample::wrong).count(),
                cpu.mean(),
                cpu.deviation(),
                actors,
                explanation,
                problems.isEmpty() ? "" : problems.element());
    }

    private ChunkCalendar calendar(ChunkScenario.Table table) {
        ChunkCalendar calendar = calendars.get(table);
        if (calendar == null) {
            throw new IllegalStateException("table " + table.name() + " is not in the scenario");
        }
        return calendar;
    }

    private int present(ChunkScenario.Table table) {
        return calendar(table).ordinalOf(cluster.now());
    }

    private void write(Map<ChunkScenario.Table, Integer> next) {
        while (!end.get()) {
            appendDue(next);
            LockSupport.parkNanos(WRITER_PERIOD_NANOS);
        }
    }

    /** Appends all chunks whose time has come, oldest first. */
    private void appendDue(Map<ChunkScenario.Table, Integer> next) {
        for (Map.Entry<ChunkScenario.Table, Integer> entry : next.entrySet()) {
            ChunkScenario.Table table = entry.getKey();
            int present = present(table);
            // On a slow machine chunks may expire before they are written.
            for (int ordinal = Math.max(entry.getValue(), present - table.live() + 1);
                    ordinal <= present && !end.get();
                    ordinal++) {
                append(table, ordinal);
                entry.setValue(ordinal + 1);
            }
        }
    }

    private void append(ChunkScenario.Table table, int ordinal) {
        try {
            cluster.append(
                    table, calendar(table).start(ordinal), calendar(table).end(ordinal));
            complete.add(key(table, ordinal));
        } catch (UniserveException e) {
            long expiry = calendar(table).end(ordinal) + table.retentionMillis();
            if (cluster.now() < expiry) {
                throw e;
            }
            console.note(
                    table.name() + " chunk " + calendar(table).startText(ordinal) + " expired before it was written");
        }
    }

    private static String key(ChunkScenario.Table table, int ordinal) {
        return table.name() + "/" + ordinal;
    }

    /** Sends queries for this time. With a sampler it also measures the CPU of servers once per unit. */
    private void query(
            ExecutorService pool,
            SplittableRandom random,
            double seconds,
            boolean measured,
            @Nullable ServerCpuSampler cpu) {
        long start = nanos.getAsLong();
        long length = (long) (seconds * NANOS);
        long unit = (long) (load.unitSeconds() * NANOS);
        long nextSample = unit;
        double at = 0;
        while (true) {
            at += -Math.log(1 - random.nextDouble()) / load.perSecond() * NANOS;
            if (at >= length) {
                break;
            }
            waitUntil(start + (long) at);
            long arrival = start + (long) at;
            double table = random.nextDouble();
            double chunk = random.nextDouble();
            open.incrementAndGet();
            pool.execute(() -> ask(choose(table), chunk, arrival, measured));
            if (cpu != null && nanos.getAsLong() - start >= nextSample) {
                console.note("CPU of servers: " + text(cpu.sample()));
                nextSample += unit;
            }
        }
        waitUntil(start + length);
    }

    private static String text(double[] cores) {
        return String.join(
                " ",
                Arrays.stream(cores)
                        .mapToObj(value -> String.format(Locale.ROOT, "%.3f", value))
                        .toList());
    }

    private void waitUntil(long at) {
        for (long left = at - nanos.getAsLong(); left > 0; left = at - nanos.getAsLong()) {
            LockSupport.parkNanos(left);
        }
    }

    private ChunkScenario.Table choose(double uniform) {
        double left = uniform;
        for (ChunkScenario.Table table : scenario.tables) {
            left -= table.share();
            if (left < 0) {
                return table;
            }
        }
        return scenario.tables.get(scenario.tables.size() - 1);
    }

    private void ask(ChunkScenario.Table table, double uniform, long arrival, boolean measured) {
        boolean failed = false;
        boolean wrong = false;
        try {
            ChunkCalendar calendar = calendar(table);
            long now = cluster.now();
            int present = calendar.ordinalOf(now);
            double since = (now - calendar.start(present)) / (double) (calendar.end(present) - calendar.start(present));
            int ordinal = present - table.draw(uniform, since);
            boolean checked = complete.contains(key(table, ordinal));
            String answer = cluster.query(table, calendar.start(ordinal), calendar.end(ordinal));
            long sum = sum(answer);
            long rows = (long) table.rows() * table.buckets();
            // A slow answer may come after the chunk has expired.
            boolean live = calendar.end(ordinal) + table.retentionMillis() > cluster.now();
            wrong = checked && live && sum != rows * (rows - 1) / 2;
            if (wrong) {
                problems.add(table.name() + " chunk " + calendar.startText(ordinal) + " has sum " + sum);
            }
        } catch (UniserveException e) {
            failed = true;
            problems.add(e.toString());
        } finally {
            open.decrementAndGet();
        }
        if (measured) {
            samples.add(new Sample(nanos.getAsLong() - arrival, failed, wrong));
        }
    }

    private static long sum(String answer) {
        try {
            long sum = 0;
            for (JsonNode row : JSON.readTree(answer)) {
                sum += row.path("event").path("added").asLong();
            }
            return sum;
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "an answer is not JSON: " + answer, e);
        }
    }
}
