package io.uniserve.benchmark.measure;

import java.util.Arrays;

/**
 * Block of a measurement: many operations by several threads, sequential in each thread.
 *
 * @param latenciesNanos latency of every operation, sorted
 * @param cpuMs CPU of all processes of this side during the block, the caller included
 */
public record BenchmarkIteration(String side, long[] latenciesNanos, double wallMs, double cpuMs) {
    public double percentileMicros(double share) {
        return latenciesNanos[Math.min(latenciesNanos.length - 1, (int) Math.ceil(share * latenciesNanos.length) - 1)]
                / 1e3;
    }

    public double cpuMsPerOperation() {
        return cpuMs / latenciesNanos.length;
    }

    public double perSecond() {
        return latenciesNanos.length / wallMs * 1e3;
    }

    /** Joins all blocks of one side. */
    public static BenchmarkIteration join(Iterable<BenchmarkIteration> blocks) {
        long[] all = {};
        double wall = 0;
        double cpu = 0;
        String side = "";
        for (BenchmarkIteration benchmarkIteration : blocks) {
            int old = all.length;
            all = Arrays.copyOf(all, old + benchmarkIteration.latenciesNanos.length);
            System.arraycopy(benchmarkIteration.latenciesNanos, 0, all, old, benchmarkIteration.latenciesNanos.length);
            wall += benchmarkIteration.wallMs;
            cpu += benchmarkIteration.cpuMs;
            side = benchmarkIteration.side;
        }
        Arrays.sort(all);
        return new BenchmarkIteration(side, all, wall, cpu);
    }
}
