package io.uniserve.testkit.simulation;

import io.uniserve.testkit.simulation.check.Violation;
import io.uniserve.testkit.simulation.kernel.Fault;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a long run went.
 *
 * @param hours simulated
 * @param faults faults that met something under way, by kind
 * @param firstHour the most of each measure in the first hour
 * @param most the most of each in all hours
 * @param hash SHA-256 of the history, hex
 */
public record CalmReport(
        double hours,
        long operations,
        long failures,
        long segmentsDropped,
        Map<Fault, Long> faults,
        Map<String, Long> firstHour,
        Map<String, Long> most,
        List<Violation> violations,
        int violationCount,
        String hash) {
    public CalmReport {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        firstHour = Collections.unmodifiableMap(new TreeMap<>(firstHour));
        most = Collections.unmodifiableMap(new TreeMap<>(most));
        violations = List.copyOf(violations);
    }

    /** Faults of all kinds in an hour. */
    public double faultsPerHour() {
        return faults.values().stream().mapToLong(Long::longValue).sum() / hours;
    }
}
