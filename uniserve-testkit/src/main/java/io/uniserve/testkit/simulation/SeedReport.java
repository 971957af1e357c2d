package io.uniserve.testkit.simulation;

import io.uniserve.error.ErrorCode;
import io.uniserve.testkit.simulation.check.AllowedDataLoss;
import io.uniserve.testkit.simulation.check.CheckCoverage;
import io.uniserve.testkit.simulation.check.Violation;
import io.uniserve.testkit.simulation.kernel.Fault;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How one seed went.
 *
 * @param scenario the sizes drawn
 * @param operations operations started by clients
 * @param failures operations that ended with an error for at least one actor
 * @param lostAtPrimaryLevel updates acknowledged by a primary alone that a fail-over cut: allowed, and counted
 * @param segmentsDropped segments that went from the front of logs
 * @param looks how much the checks that look inside have seen
 * @param events events run
 * @param faults faults that met something under way, by kind
 * @param errors errors that clients were told, by code
 * @param excused actors that are not judged in full, and why
 * @param violationCount all violations, of which {@code violations} holds the first of each kind
 * @param hash SHA-256 of the history, hex
 */
public record SeedReport(
        long seed,
        String scenario,
        long virtualNanos,
        long operations,
        long updates,
        long reads,
        long failures,
        long lostAtPrimaryLevel,
        long segmentsDropped,
        CheckCoverage looks,
        long events,
        Map<Fault, Long> faults,
        Map<ErrorCode, Long> errors,
        Map<Integer, AllowedDataLoss> excused,
        List<Violation> violations,
        int violationCount,
        String hash) {
    public SeedReport {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        errors = Collections.unmodifiableMap(new TreeMap<>(errors));
        excused = Collections.unmodifiableMap(new TreeMap<>(excused));
        violations = List.copyOf(violations);
    }

    /** How to see this history again. */
    public String replay() {
        return "./uniserve simulate --seeds " + seed + ".." + seed;
    }
}
