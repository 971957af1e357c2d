package io.uniserve.benchmark.measure;

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

/** Comparison of two sides that alternate, so that a change of the machine's speed affects both. */
public final class PairedBenchmark {
    /** Maximum operations per thread and block, because every latency is kept. */
    private static final int OPERATIONS_MAX = 1_000_000;

    private final LongSupplier nanos;
    private final RawResultWriter raw;

    public PairedBenchmark(LongSupplier nanos, RawResultWriter raw) {
        this.nanos = nanos;
        this.raw = raw;
    }

    /** Side of a comparison: an operation, and the meter of the CPU that it uses. */
    public record Side(String name, Operation operation, CpuMeter cpu) {}

    /** Operation of a side; {@code n} numbers the operations of a block, over all its threads. */
    @FunctionalInterface
    public interface Operation {
        void run(long n);
    }

    /** Size of a comparison. */
    public record Load(String scenario, int threads, int operationsPerThread, int rounds) {
        private Load atLeast(int operations) {
            return new Load(scenario, threads, Math.max(operationsPerThread, operations), rounds);
        }
    }

    /**
     * Warms up all sides, then runs their blocks alternately. Returns one joined block per side, in the given order. All sides run the same
     * number of operations: more than {@code asked} if the faster side would otherwise finish in less than {@code seconds}. Only over such
     * a time do CPU quotas, garbage collections and JIT compilers affect both sides alike.
     */
    public List<BenchmarkIteration> compare(Load asked, double seconds, List<Side> sides) {
        double fastest = 0;
        for (Side side : sides) {
            fastest = Math.max(fastest, runBlock(asked, side, -1).perSecond());
        }
        Load load = asked.atLeast((int) Math.ceil(Math.min(fastest * seconds / asked.threads(), OPERATIONS_MAX)));
        return compareExactly(load, sides);
    }

    /**
     * Runs unmeasured blocks of all sides alternately until no side's CPU per operation falls any more. A block has at least the operations
     * of the load, and enough to take the side about {@code seconds}; 0 for the load alone. Returns the number of turns, {@code turnsMax}
     * if no steady state was reached.
     */
    public int settle(Load load, double seconds, int turnsMax, List<Side> sides) {
        SteadyStateDetector state = new SteadyStateDetector(sides.size());
        int[] operations = new int[sides.size()];
        for (int turn = 1; turn <= turnsMax; turn++) {
            double[] cpu = new double[sides.size()];
            for (int i = 0; i < cpu.length; i++) {
                BenchmarkIteration benchmarkIteration = runBlock(load.atLeast(operations[i]), sides.get(i), -1);
                cpu[i] = benchmarkIteration.cpuMsPerOperation();
                operations[i] = (int)
                        Math.ceil(Math.min(benchmarkIteration.perSecond() * seconds, OPERATIONS_MAX) / load.threads());
            }
            if (turn > 1 && state.addTurn(cpu)) {
                return turn;
            }
        }
        return turnsMax;
    }

    /** Warms up all sides, then runs their blocks alternately. Returns one joined block per side, in the given order. */
    public List<BenchmarkIteration> compare(Load load, List<Side> sides) {
        for (Side side : sides) {
            runBlock(load, side, -1);
        }
        return compareExactly(load, sides);
    }

    private List<BenchmarkIteration> compareExactly(Load load, List<Side> sides) {
        List<List<BenchmarkIteration>> blocks = new ArrayList<>();
        sides.forEach(side -> blocks.add(new ArrayList<>()));
        for (int round = 0; round < load.rounds(); round++) {
            for (int i = 0; i < sides.size(); i++) {
                int turn = (i + round) % sides.size();
                blocks.get(turn).add(runBlock(load, sides.get(turn), round));
            }
        }
        return blocks.stream().map(BenchmarkIteration::join).toList();
    }

    /** Runs one side without measuring it. */
    public void warmUp(Side side, int threads, int operationsPerThread) {
        if (operationsPerThread > 0) {
            runBlock(new Load("warm-up", threads, operationsPerThread, 1), side, -1);
        }
    }

    private BenchmarkIteration runBlock(Load load, Side side, int round) {
        ExecutorService pool = Executors.newFixedThreadPool(load.threads());
        try {
            double cpuBefore = side.cpu().totalMs();
            long start = nanos.getAsLong();
            List<Callable<long[]>> workers = new ArrayList<>();
            for (int thread = 0; thread < load.threads(); thread++) {
                long first = (long) thread * load.operationsPerThread();
                workers.add(() -> runOperations(side.operation(), first, load.operationsPerThread()));
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

    private long[] runOperations(Operation operation, long first, int operations) {
        long[] latencies = new long[operations];
        for (int i = 0; i < operations; i++) {
            long start = nanos.getAsLong();
            operation.run(first + i);
            latencies[i] = nanos.getAsLong() - start;
        }
        return latencies;
    }
}
