package io.uniserve.simulator;

import io.uniserve.error.ErrorCode;
import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.check.CheckCoverage;
import io.uniserve.simulator.check.Violation;
import io.uniserve.simulator.kernel.Fault;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Report of one seed.
 *
 * @param scenario the sizes drawn
 * @param operations operations started by clients
 * @param failures operations that ended with an error for at least one actor
 * @param lostAtPrimaryLevel updates that only a primary had acknowledged and that a fail-over truncated: permitted, and counted
 * @param segmentsDropped segments deleted from the front of logs
 * @param coverage coverage of the checks that read the state of servers directly
 * @param events events run
 * @param faults faults that met an operation under way, by kind
 * @param errors errors that clients got, by code
 * @param excused actors that may have lost data, with the reason
 * @param violationCount all violations; {@code violations} has the first ones of each kind
 * @param hash SHA-256 of the history, in hexadecimal
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
        CheckCoverage coverage,
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

    /** The command that replays this history. */
    public String replay() {
        return "./uniserve simulate --seeds " + seed + ".." + seed;
    }
}
