package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.CpuMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Samples of the CPU time of each server, and their deviation among servers. Not thread-safe. */
final class ServerCpuSampler {
    private static final double NANOS_PER_MILLI = 1e6;

    private final LongSupplier nanos;
    private final List<CpuMeter> servers;
    private final List<double[]> shares = new ArrayList<>();
    private double[] last;
    private long lastNanos;

    /** Begins the first interval. */
    ServerCpuSampler(LongSupplier nanos, List<Long> pids) {
        this.nanos = nanos;
        this.servers =
                pids.stream().map(pid -> new CpuMeter(List.of(pid), false)).toList();
        this.last = totals();
        this.lastNanos = nanos.getAsLong();
    }

    private double[] totals() {
        return servers.stream().mapToDouble(CpuMeter::totalMs).toArray();
    }

    /** Ends an interval and begins the next one. Returns the cores that each server used in it. */
    double[] sample() {
        double[] now = totals();
        long at = nanos.getAsLong();
        double[] cores = new double[now.length];
        for (int j = 0; j < cores.length; j++) {
            cores[j] = (now[j] - last[j]) * NANOS_PER_MILLI / Math.max(1, at - lastNanos);
        }
        shares.add(cores);
        last = now;
        lastNanos = at;
        return cores;
    }

    /** Mean cores per server. */
    double mean() {
        return shares.stream().mapToDouble(ServerCpuSampler::mean).average().orElse(Double.NaN);
    }

    /** Standard deviation among servers, in cores: the average over the intervals. */
    double deviation() {
        return shares.stream()
                .mapToDouble(ServerCpuSampler::deviation)
                .average()
                .orElse(Double.NaN);
    }

    /** Mean of one interval. */
    static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / Math.max(1, values.length);
    }

    /** Standard deviation of one interval. */
    static double deviation(double[] values) {
        double mean = mean(values);
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return Math.sqrt(squares / Math.max(1, values.length));
    }
}
