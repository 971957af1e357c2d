package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerReply.Load;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Load reports of the last period. */
final class LoadWindow {
    private static final double MILLIS = 1_000;

    private final ArrayDeque<TreeMap<ServerId, Load>> samples = new ArrayDeque<>();

    /** Adds one sample of all servers that replied. */
    void add(List<Load> loads) {
        TreeMap<ServerId, Load> sample = new TreeMap<>();
        loads.forEach(load -> sample.put(load.server(), load));
        samples.addLast(sample);
        if (samples.size() > ScalingConfig.SAMPLES) {
            samples.removeFirst();
        }
    }

    void clear() {
        samples.clear();
    }

    boolean isFull() {
        return samples.size() == ScalingConfig.SAMPLES;
    }

    /**
     * Cores that queries and updates of a server use, as a mean over the samples. Empty if the newest sample, or more than half of all,
     * lack the server or its CPU time.
     */
    OptionalDouble cores(ServerId server) {
        double sum = 0;
        int known = 0;
        boolean newest = false;
        for (TreeMap<ServerId, Load> sample : samples) {
            Load load = sample.get(server);
            newest = load != null && isValid(load.servingCpuMillisPerSecond());
            if (newest && load != null) {
                sum += load.servingCpuMillisPerSecond() / MILLIS;
                known++;
            }
        }
        return newest && 2 * known > samples.size() ? OptionalDouble.of(sum / known) : OptionalDouble.empty();
    }

    private static boolean isValid(double millis) {
        return millis >= 0 && Double.isFinite(millis);
    }

    /** Newest report of a server; empty if the newest sample lacks it. */
    Optional<Load> newest(ServerId server) {
        return samples.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(samples.getLast().get(server));
    }
}
