package io.uniserve.cli.bench.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** Runs two sides of a comparison in turn, so that a change of the machine's speed meets both. */
public final class Bench {
    /** Operations of a thread and block, of which every latency is kept. */
    private static final int OPERATIONS_MAX = 1_000_000;

    private final LongSupplier nanos;
    private final RawLog raw;

    public Bench(LongSupplier nanos, RawLog raw) {
        this.nanos = nanos;
        this.raw = raw;
    }

    /** One side: what an operation is and whose CPU it costs. */
    public record Side(String name, Operation operation, CpuMeter cpu) {}

    /** One operation; {@code n} counts them over all threads' blocks. */
    @FunctionalInterface
    public interface Operation {
        void run(long n);
    }

    /** How much of it. */
    public record Load(String scenario, int threads, int operationsPerThread, int rounds) {
        private Load atLeast(int operations) {
            return new Load(scenario, threads, Math.max(operationsPerThread, operations), rounds);
        }
    }

    /**
     * Warms both up, then runs their blocks in turn; returns one joined block a side, in the given order. As many operations
     * on each side, more than {@code asked} where the faster side would else be done in less than so many seconds: shares of
     * CPU, garbage collections and compilers need that long to show themselves.
     */
    public List<BenchmarkIteration> compare(Load asked, double seconds, List<Side> sides) {
        double fastest = 0;
        for (Side side : sides) {
            fastest = Math.max(fastest, block(asked, side, -1).perSecond());
        }
        Load load = asked.atLeast((int) Math.ceil(Math.min(fastest * seconds / asked.threads(), OPERATIONS_MAX)));
        return compareExactly(load, sides);
    }

    /**
     * Runs blocks of all sides in turn, unmeasured, until the CPU an operation of none falls any more. A block has the operations
     * of the load, or more, so that it takes its side about so many seconds; 0 for no more. Returns the turns it took, or
     * {@code turnsMax} where it did not end before.
     */
    public int settle(Load load, double seconds, int turnsMax, List<Side> sides) {
        SteadyState state = new SteadyState(sides.size());
        int[] operations = new int[sides.size()];
        for (int turn = 1; turn <= turnsMax; turn++) {
            double[] cpu = new double[sides.size()];
            for (int i = 0; i < cpu.length; i++) {
                BenchmarkIteration benchmarkIteration = block(load.atLeast(operations[i]), sides.get(i), -1);
                cpu[i] = benchmarkIteration.cpuMsPerOperation();
                operations[i] = (int)
                        Math.ceil(Math.min(benchmarkIteration.perSecond() * seconds, OPERATIONS_MAX) / load.threads());
            }
            if (turn > 1 && state.after(cpu)) {
                return turn;
            }
        }
        return turnsMax;
    }

    /** Warms both up, then runs their blocks in turn; returns one joined block a side, in the given order. */
    public List<BenchmarkIteration> compare(Load load, List<Side> sides) {
        for (Side side : sides) {
            block(load, side, -1);
        }
        return compareExactly(load, sides);
    }

    private List<BenchmarkIteration> compareExactly(Load load, List<Side> sides) {
        List<List<BenchmarkIteration>> blocks = new ArrayList<>();
        sides.forEach(side -> blocks.add(new ArrayList<>()));
        for (int round = 0; round < load.rounds(); round++) {
            for (int i = 0; i < sides.size(); i++) {
                int turn = (i + round) % sides.size();
                blocks.get(turn).add(block(load, sides.get(turn), round));
            }
        }
        return blocks.stream().map(BenchmarkIteration::join).toList();
    }

    /** Runs one side without measuring it. */
    public void warm(Side side, int threads, int operationsPerThread) {
        if (operationsPerThread > 0) {
            block(new Load("warm-up", threads, operationsPerThread, 1), side, -1);
        }
    }

    private BenchmarkIteration block(Load load, Side side, int round) {
        ExecutorService pool = Executors.newFixedThreadPool(load.threads());
        try {
            double cpuBefore = side.cpu().totalMs();
            long start = nanos.getAsLong();
            List<Callable<long[]>> workers = new ArrayList<>();
            for (int thread = 0; thread < load.threads(); thread++) {
                long first = (long) thread * load.operationsPerThread();
                workers.add(() -> work(side.operation(), first, load.operationsPerThread()));
            }
            List<long[]> latencies = new ArrayList<>();
            for (Future<long[]> worker : pool.invokeAll(workers)) {
                latencies.add(worker.get());
            }
            double wallMs = (nanos.getAsLong() - start) / 1e6;
            long[] all =
                    latencies.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            BenchmarkIteration benchmarkIteration =
                    new BenchmarkIteration(side.name(), all, wallMs, side.cpu().totalMs() - cpuBefore);
            if (round >= 0) {
                raw.write(load, side.name(), round, latencies, benchmarkIteration);
            }
            return benchmarkIteration;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, load.scenario() + " failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }

    private long[] work(Operation operation, long first, int operations) {
        long[] latencies = new long[operations];
        for (int i = 0; i < operations; i++) {
            long start = nanos.getAsLong();
            operation.run(first + i);
            latencies[i] = nanos.getAsLong() - start;
        }
        return latencies;
    }
}
