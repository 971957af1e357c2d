package io.uniserve.simulator;

import io.uniserve.simulator.check.Violation;
import io.uniserve.simulator.kernel.Fault;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Report of a long run.
 *
 * @param hours simulated hours
 * @param faults faults that met an operation under way, by kind
 * @param firstHour maximum of each measure in the first hour
 * @param highest maximum of each measure in the whole run
 * @param hash SHA-256 of the history, in hexadecimal
 */
public record LightFaultReport(
        double hours,
        long operations,
        long failures,
        long segmentsDropped,
        Map<Fault, Long> faults,
        Map<String, Long> firstHour,
        Map<String, Long> highest,
        List<Violation> violations,
        int violationCount,
        String hash) {
    public LightFaultReport {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        firstHour = Collections.unmodifiableMap(new TreeMap<>(firstHour));
        highest = Collections.unmodifiableMap(new TreeMap<>(highest));
        violations = List.copyOf(violations);
    }

    /** Faults of all kinds per hour. */
    public double faultsPerHour() {
        return faults.values().stream().mapToLong(Long::longValue).sum() / hours;
    }
}
