package io.uniserve.benchmark.ycsb;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of {@code bench ycsb}.
 *
 * @param target operations per second of part core
 * @param warmUp operations of a client before it is measured
 * @param quota cores per server in part hot; 0 for no limit
 * @param bulk sizes of part bulk in megabytes
 * @param raw folder for YCSB's own output; null for none
 * @param plots folder for plots; null for none
 */
record YcsbSettings(
        List<YcsbPort> ports,
        List<YcsbPart> parts,
        List<YcsbWorkload> workloads,
        int servers,
        int actors,
        int replicas,
        String heap,
        long records,
        long operations,
        long scans,
        int threads,
        int target,
        int warmUp,
        double quota,
        double copiesWaitSeconds,
        int rounds,
        List<Integer> bulk,
        @Nullable Path raw,
        @Nullable Path plots) {
    YcsbSettings {
        ports = List.copyOf(ports);
        parts = List.copyOf(parts);
        workloads = List.copyOf(workloads);
        bulk = List.copyOf(bulk);
    }

    YcsbClientProcess.Load load(long count, int perSecond) {
        return new YcsbClientProcess.Load(records, count, threads, perSecond, warmUp);
    }

    /** Load of a part whose operations are larger than those of part core: a warm-up of a quarter of them. */
    YcsbClientProcess.Load largeLoad(long count) {
        return new YcsbClientProcess.Load(records, count, threads, 0, (int) Math.min(warmUp, count / 4));
    }
}
