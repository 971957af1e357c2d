package io.uniserve.testkit.simulation;

import io.uniserve.testkit.simulation.check.Violation;
import io.uniserve.testkit.simulation.kernel.Fault;
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
 * @param most maximum of each measure in the whole run
 * @param hash SHA-256 of the history, in hexadecimal
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

    /** Faults of all kinds per hour. */
    public double faultsPerHour() {
        return faults.values().stream().mapToLong(Long::longValue).sum() / hours;
    }
}
