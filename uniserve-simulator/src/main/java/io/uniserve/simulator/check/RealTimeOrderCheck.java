package io.uniserve.simulator.check;

import io.uniserve.simulator.check.AtomicHistory.Read;
import io.uniserve.simulator.check.AtomicHistory.Restored;
import io.uniserve.simulator.check.AtomicHistory.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Check of real-time order: an operation that starts after another one has ended sees the effects of that one (I4, I5, ERA).
 *
 * <p>It replays starts and ends in the order of time. A read must have all that was committed or read in its era before the read started,
 * and all that the era took over. Once an operation of an era has ended, no read returns data of an earlier era. A client that has seen a
 * version of an earlier era must get TABLE_RESTORED before its next answer.
 */
final class RealTimeOrderCheck {
    private static final int NEVER_READ = Integer.MAX_VALUE;

    private final ViolationCollector violations;
    private final AtomicHistory history;
    private final TableTimelines tableTimelines;
    private final TimelineStates lists;
    private final List<Map<Integer, Integer>> needed = new ArrayList<>();
    private final Map<String, SeenVersion> lastSeen = new HashMap<>();
    private final Map<Read, Requirement> needs = new IdentityHashMap<>();
    private int newest;

    RealTimeOrderCheck(
            ViolationCollector violations, AtomicHistory history, TableTimelines tableTimelines, TimelineStates lists) {
        this.violations = violations;
        this.history = history;
        this.tableTimelines = tableTimelines;
        this.lists = lists;
        for (int era = 0; era < tableTimelines.count(); era++) {
            needed.add(new TreeMap<>(lists.kept(era)));
        }
    }

    /** The newest version that a client has seen. Version 0 means that it has only received TABLE_RESTORED for the era. */
    private record SeenVersion(int era, long version) {
        private static SeenVersion newer(SeenVersion one, SeenVersion other) {
            boolean later = other.era > one.era || other.era == one.era && other.version > one.version;
            return later ? other : one;
        }
    }

    /** Lower bounds of a read, as of its start. */
    private record Requirement(int newest, Map<Integer, Integer> lengths, SeenVersion floor) {}

    private record TimedStep(long nanos, int rank, Runnable step) {}

    void run() {
        List<TimedStep> moments = new ArrayList<>();
        for (Write write : history.writes()) {
            if (write.committed()) {
                moments.add(new TimedStep(write.doneNanos, 1, () -> committed(write)));
            }
        }
        for (Restored restored : history.addRestored()) {
            int era = Math.max(0, tableTimelines.timelineOfTable(restored.tableId()));
            moments.add(
                    new TimedStep(restored.nanos(), -1, () -> recordSeen(restored.client(), new SeenVersion(era, 0))));
        }
        for (Read read : history.reads()) {
            int era = Math.max(0, tableTimelines.timelineOfTable(read.tableId()));
            moments.add(new TimedStep(
                    read.invokedNanos(),
                    0,
                    () -> needs.put(
                            read,
                            new Requirement(
                                    newest,
                                    new HashMap<>(needed.get(era)),
                                    lastSeen.getOrDefault(read.client(), new SeenVersion(0, 0))))));
            moments.add(new TimedStep(read.doneNanos(), 1, () -> {
                Requirement need = needs.get(read);
                if (need != null) {
                    compare(read, era, need);
                }
                read.lists().forEach((list, markers) -> needed.get(era).merge(list, markers.size(), Math::max));
                recordSeen(read.client(), new SeenVersion(era, read.version()));
                newest = Math.max(newest, era);
            }));
        }
        moments.sort(Comparator.comparingLong(TimedStep::nanos).thenComparingInt(TimedStep::rank));
        moments.forEach(moment -> moment.step().run());
    }

    private void recordSeen(String client, SeenVersion what) {
        lastSeen.merge(client, what, SeenVersion::newer);
    }

    private void committed(Write write) {
        int era = tableTimelines.timelineOfVersion(write.version);
        write.lists.forEach(list -> {
            int through = lists.lengthThrough(era, list, write.marker);
            boolean over = era < tableTimelines.count() - 1;
            needed.get(era).merge(list, through == 0 && over ? NEVER_READ : through, Math::max);
        });
        recordSeen(write.client, new SeenVersion(era, write.version));
        newest = Math.max(newest, era);
    }

    private void compare(Read read, int era, Requirement need) {
        read.lists().forEach((list, markers) -> {
            int least = need.lengths.getOrDefault(list, 0);
            if (markers.size() < least) {
                violations.add(
                        "I4",
                        read.client() + " read " + markers.size() + " markers of list " + list + " at version "
                                + read.version() + ", and " + (least == NEVER_READ ? "more" : least)
                                + " were committed or read before it began");
            }
        });
        if (era < need.newest) {
            violations.add(
                    "ERA",
                    read.client() + " read version " + read.version() + " under number " + read.tableId()
                            + ", after somebody was answered under number "
                            + tableTimelines.get(need.newest).tableId());
        }
        if (era < need.floor.era || era == need.floor.era && read.version() < need.floor.version) {
            violations.add(
                    "I5",
                    read.client() + " read version " + read.version() + ", and was told of " + need.floor.version
                            + " before");
        }
        boolean heard = lastSeen.getOrDefault(read.client(), need.floor).era >= era;
        if (need.floor.version > 0 && !heard) {
            violations.add(
                    "ERA",
                    read.client() + " was told of version " + need.floor.version + " of number "
                            + tableTimelines.get(need.floor.era).tableId() + " and read version " + read.version()
                            + " of number " + read.tableId() + " without hearing that the table was restored");
        }
    }
}
