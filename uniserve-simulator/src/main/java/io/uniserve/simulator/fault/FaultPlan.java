package io.uniserve.simulator.fault;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Faults of one seed: the probability of each small fault, and a list of the large faults. */
public final class FaultPlan {
    /** Upper bounds of the probabilities of small faults: number of faults per million operations that the fault could affect. */
    private static final Map<Fault, Long> SMALL = new TreeMap<>(Map.ofEntries(
            Map.entry(Fault.MESSAGE_LOST, 100_000L),
            Map.entry(Fault.MESSAGE_DELAYED, 20_000L),
            Map.entry(Fault.MESSAGE_DUPLICATED, 100_000L),
            Map.entry(Fault.RESET_AFTER_DELIVERY, 30_000L),
            Map.entry(Fault.REGISTRY_CONNECTION_LOST, 10_000L),
            Map.entry(Fault.REGISTRY_OUTCOME_UNKNOWN, 100_000L),
            Map.entry(Fault.WATCH_DELAYED, 200_000L),
            Map.entry(Fault.DISK_IO_ERROR, 1_000L),
            Map.entry(Fault.DISK_SLOW, 2_000L),
            Map.entry(Fault.DISK_HUNG, 2_000L),
            Map.entry(Fault.ENGINE_SLOW, 5_000L),
            Map.entry(Fault.ENGINE_FAILED, 3_000L),
            Map.entry(Fault.ENGINE_HUNG, 300L),
            Map.entry(Fault.READ_PAUSED, 20_000L),
            Map.entry(Fault.STORE_SLOW, 100_000L),
            Map.entry(Fault.STORE_FAILED, 100_000L),
            Map.entry(Fault.STORE_LIED, 500_000L),
            Map.entry(Fault.UPDATE_POISONED, 20_000L),
            Map.entry(Fault.OBJECT_ROTTEN, 4_000L)));

    /** Upper bound of the registry writes with a late reply, per million writes. */
    private static final long LATE_ANSWERS_MAX = 300_000;

    /** Upper bound of the messages with garbled log entries, and of those followed by a forged message, per million messages. */
    private static final long BAD_ENTRIES_MAX = 50_000;

    /** Upper bound of the objects whose put takes effect once more, per million objects. */
    private static final long REPEATED_PUTS_MAX = 500_000;

    /** Upper bound of the listings that lack the newest objects, per million listings. */
    private static final long LATE_LISTINGS_MAX = 500_000;

    private static final List<Fault> DISASTERS = List.of(
            Fault.PROCESS_CRASHED,
            Fault.PROCESS_PAUSED,
            Fault.MESSAGE_PARTITIONED,
            Fault.REGISTRY_CONNECTION_LOST,
            Fault.REGISTRY_SESSION_EXPIRED,
            Fault.REGISTRY_DOWN,
            Fault.DISK_FULL,
            Fault.CLUSTER_CRASHED,
            Fault.BIT_FLIPPED,
            Fault.DISK_DESTROYED,
            Fault.SERVER_DRAINED,
            Fault.TABLE_DROPPED,
            Fault.CLIENT_CRASHED);

    private final Map<Fault, Long> chances = new TreeMap<>();
    private final List<Fault> disasters = new ArrayList<>();
    private final long meanGapNanos;
    private final boolean tear;
    private final long downNanosMax;

    public FaultPlan(Prng random) {
        SMALL.forEach((fault, most) -> {
            if (random.below(2) == 0) {
                chances.put(fault, random.below(random.below(most) + 1) + 1);
            }
        });
        for (Fault fault : DISASTERS) {
            if (random.below(2) == 0) {
                disasters.add(fault);
            }
        }
        meanGapNanos = random.between(500, 15_000) * 1_000_000L;
        tear = random.below(2) == 0;
        downNanosMax = (random.below(3) == 0 ? 60 : 15) * 1_000_000_000L;
        Prng late = random.fork("late answers"); // a separate fork keeps the histories of other seeds
        if (late.below(3) == 0) {
            chances.put(Fault.REGISTRY_ANSWER_LATE, late.below(LATE_ANSWERS_MAX) + 1);
        }
        Prng entries = random.fork("bad entries");
        if (entries.below(3) == 0) {
            chances.put(Fault.ENTRY_GARBLED, entries.below(BAD_ENTRIES_MAX) + 1);
            chances.put(Fault.ENTRY_FORGED, entries.below(BAD_ENTRIES_MAX) + 1);
        }
        Prng puts = random.fork("repeated puts");
        if (puts.below(3) == 0) {
            chances.put(Fault.PUT_REPEATED, puts.below(REPEATED_PUTS_MAX) + 1);
        }
        Prng listings = random.fork("late listings");
        if (listings.below(3) == 0) {
            chances.put(Fault.LISTED_LATE, listings.below(LATE_LISTINGS_MAX) + 1);
        }
    }

    private FaultPlan(Map<Fault, Long> chances, List<Fault> disasters, long meanGapNanos, long downNanosMax) {
        this.chances.putAll(chances);
        this.disasters.addAll(disasters);
        this.meanGapNanos = meanGapNanos;
        this.tear = true;
        this.downNanosMax = downNanosMax;
    }

    /** Plan of a long run: few faults of networks, processes and disks, and none that destroys data. */
    public static FaultPlan light() {
        return new FaultPlan(
                Map.ofEntries(
                        Map.entry(Fault.MESSAGE_LOST, 5_000L),
                        Map.entry(Fault.MESSAGE_DELAYED, 2_000L),
                        Map.entry(Fault.MESSAGE_DUPLICATED, 2_000L),
                        Map.entry(Fault.RESET_AFTER_DELIVERY, 1_000L),
                        Map.entry(Fault.WATCH_DELAYED, 20_000L),
                        Map.entry(Fault.REGISTRY_OUTCOME_UNKNOWN, 2_000L),
                        Map.entry(Fault.DISK_IO_ERROR, 20L),
                        Map.entry(Fault.DISK_SLOW, 500L),
                        Map.entry(Fault.ENGINE_SLOW, 1_000L),
                        Map.entry(Fault.ENGINE_FAILED, 200L),
                        Map.entry(Fault.READ_PAUSED, 2_000L),
                        Map.entry(Fault.STORE_SLOW, 5_000L),
                        Map.entry(Fault.STORE_FAILED, 5_000L)),
                List.of(
                        Fault.PROCESS_CRASHED,
                        Fault.PROCESS_CRASHED,
                        Fault.PROCESS_PAUSED,
                        Fault.MESSAGE_PARTITIONED,
                        Fault.REGISTRY_CONNECTION_LOST,
                        Fault.REGISTRY_SESSION_EXPIRED,
                        Fault.SERVER_DRAINED),
                60_000_000_000L,
                60_000_000_000L);
    }

    /** Starts the small faults. */
    public void apply(FaultIntensity faultIntensity) {
        chances.forEach(faultIntensity::set);
    }

    /** The large faults that may occur; possibly empty. */
    public List<Fault> disasters() {
        return List.copyOf(disasters);
    }

    /** Mean time between two large faults. */
    public long meanGapNanos() {
        return meanGapNanos;
    }

    /** Maximum time that a process stays down. The larger value is longer than the grace period before a takeover. */
    public long downNanosMax() {
        return downNanosMax;
    }

    /** True if unsynced writes may tear at a crash. */
    public boolean tear() {
        return tear;
    }
}
