package io.uniserve.simulator;

import io.uniserve.error.ErrorCode;
import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.check.CheckCoverage;
import io.uniserve.simulator.kernel.Fault;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Report of a range of seeds.
 *
 * @param hash SHA-256 over the seeds' hashes in order: the same on every machine
 * @param coverage coverage of the checks that read the state of servers directly
 * @param excused number of seeds with an actor that may have lost data, by reason
 * @param excusedSeeds number of seeds with any such actor
 * @param failed the seeds with violations
 */
public record SimulationReport(
        long seedFrom,
        long seedTo,
        double hours,
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
        Map<AllowedDataLoss, Long> excused,
        long excusedSeeds,
        long violations,
        List<SeedReport> failed,
        String hash) {
    private static final double NANOS_PER_HOUR = 3.6e12;

    /** Sums up the seeds. */
    static SimulationReport of(long seedFrom, long seedTo, List<SeedReport> seeds) {
        Map<Fault, Long> faults = new TreeMap<>();
        Map<ErrorCode, Long> errors = new TreeMap<>();
        Map<AllowedDataLoss, Long> excused = new TreeMap<>();
        for (SeedReport seed : seeds) {
            new TreeSet<>(seed.excused().values()).forEach(why -> excused.merge(why, 1L, Long::sum));
            seed.faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
            seed.errors().forEach((code, count) -> errors.merge(code, count, Long::sum));
        }
        return new SimulationReport(
                seedFrom,
                seedTo,
                seeds.stream().mapToLong(SeedReport::virtualNanos).sum() / NANOS_PER_HOUR,
                seeds.stream().mapToLong(SeedReport::operations).sum(),
                seeds.stream().mapToLong(SeedReport::updates).sum(),
                seeds.stream().mapToLong(SeedReport::reads).sum(),
                seeds.stream().mapToLong(SeedReport::failures).sum(),
                seeds.stream().mapToLong(SeedReport::lostAtPrimaryLevel).sum(),
                seeds.stream().mapToLong(SeedReport::segmentsDropped).sum(),
                seeds.stream().map(SeedReport::coverage).reduce(CheckCoverage.NONE, CheckCoverage::plus),
                seeds.stream().mapToLong(SeedReport::events).sum(),
                faults,
                errors,
                excused,
                seeds.stream().filter(seed -> !seed.excused().isEmpty()).count(),
                seeds.stream().mapToLong(SeedReport::violationCount).sum(),
                seeds.stream().filter(seed -> seed.violationCount() > 0).toList(),
                hash(seeds));
    }

    /** Number of faults of all kinds. */
    public long faultCount() {
        return faults.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Faults of all kinds per simulated hour. */
    public double faultsPerHour() {
        return faultCount() / hours;
    }

    /** Share of the seeds with an actor that may have lost data, 0 to 1. */
    public double excusedShare() {
        return (double) excusedSeeds / (seedTo - seedFrom + 1);
    }

    /** Operations per simulated second. */
    public double operationsPerSecond() {
        return operations / (hours * 3_600);
    }

    private static String hash(List<SeedReport> seeds) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            seeds.forEach(seed -> digest.update(seed.hash().getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
