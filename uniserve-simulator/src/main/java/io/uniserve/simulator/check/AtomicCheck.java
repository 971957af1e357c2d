package io.uniserve.simulator.check;

import io.uniserve.simulator.check.AtomicHistory.Read;
import io.uniserve.simulator.check.AtomicHistory.Write;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Check of the history of an atomic table against the final content of each list: I3, I4, I5, I9, I11, I12, ORDER and ERA. It also runs
 * {@link TransferCheck} (SUM, AMOUNT).
 *
 * <p>Lists only grow, so a read of a list is a prefix of the final list, and its length identifies it. Strict serializability then has two
 * parts. A marker is in all of its lists that a read returned, or in none. A read has at least everything that was committed or read before
 * the read started.
 *
 * <p>A table that was restored to an older version has one era per table number ({@link TableTimelines}). Each era has a history of its own
 * and starts from the version to which the table went back. Commits up to that version are present in the new era. Later commits of the old
 * era are absent (ERA).
 */
public final class AtomicCheck {
    private final ViolationCollector violations;
    private final AtomicHistory history;
    private final TableTimelines tableTimelines;
    private final Map<Integer, List<String>> finals;

    /** @param finals each list at the end of the run */
    public AtomicCheck(ViolationCollector violations, AtomicHistory history, Map<Integer, List<String>> finals) {
        this(violations, history, TableTimelines.single(), finals);
    }

    /** @param finals each list at the end of the last era */
    public AtomicCheck(
            ViolationCollector violations,
            AtomicHistory history,
            TableTimelines tableTimelines,
            Map<Integer, List<String>> finals) {
        this.violations = violations;
        this.history = history;
        this.tableTimelines = tableTimelines;
        this.finals = finals;
    }

    /** Runs all checks. Call it once. */
    public void run() {
        finals.forEach((list, markers) -> {
            Map<String, Integer> at = new HashMap<>();
            for (String marker : markers) {
                if (at.put(marker, at.size()) != null) {
                    violations.add("I9", "list " + list + " holds " + marker + " twice");
                }
                Write write = history.find(marker);
                if (write == null || !write.lists.contains(list)) {
                    violations.add("I11", "list " + list + " holds " + marker + ", which no client sent there");
                }
            }
        });
        finals.forEach(this::order);
        TimelineStates lists = new TimelineStates(violations, history, tableTimelines, finals);
        int last = tableTimelines.count() - 1;
        history.writes().forEach(write -> checkFinalState(write, lists, last));
        history.reads().forEach(read -> read(read, lists));
        history.stale().forEach(read -> stale(read, lists));
        new RealTimeOrderCheck(violations, history, tableTimelines, lists).run();
        new TransferCheck(violations, history.transfers(), tableTimelines.count() == 1).run();
    }

    /** ORDER: a list is in the order of its updates' versions. An update that was acknowledged before another one started precedes it. */
    private void order(int list, List<String> markers) {
        long laterDone = Long.MAX_VALUE;
        long laterVersion = Long.MAX_VALUE;
        for (int i = markers.size() - 1; i >= 0; i--) {
            Write write = history.find(markers.get(i));
            if (write == null) {
                continue;
            }
            if (laterDone < write.invokedNanos || write.committed() && write.version > laterVersion) {
                violations.add(
                        "ORDER",
                        "list " + list + " has " + write.marker
                                + " before what was acknowledged before it began, or is of an older version");
            }
            if (write.committed()) {
                laterDone = Math.min(laterDone, write.doneNanos);
                laterVersion = Math.min(laterVersion, write.version);
            }
        }
    }

    private void checkFinalState(Write write, TimelineStates lists, int last) {
        List<Integer> holding = write.lists.stream()
                .filter(list -> lists.lengthThrough(last, list, write.marker) > 0)
                .toList();
        boolean lost = write.committed() && tableTimelines.isLost(write.version);
        if (write.committed() && !lost && holding.size() < write.lists.size()) {
            violations.add(
                    "I12", write.marker + ", committed in version " + write.version + ", is only in lists " + holding);
        } else if (!holding.isEmpty() && holding.size() < write.lists.size()) {
            violations.add("I3", write.marker + " is in lists " + holding + " of " + write.lists + " at the end");
        } else if (lost && !holding.isEmpty()) {
            violations.add(
                    "ERA",
                    write.marker + ", committed in version " + write.version + ", which is lost, is in lists " + holding
                            + " at the end");
        }
        if (write.refused && !holding.isEmpty()) {
            violations.add("I9", write.marker + " was refused for good and is in lists " + holding);
        }
    }

    /** Number of occurrences per marker. Markers that no client had sent by then are reported as I11 and left out. */
    private Map<String, Integer> sent(String client, long doneNanos, Map<Integer, List<String>> lists) {
        Map<String, Integer> seen = new TreeMap<>();
        lists.values().forEach(markers -> markers.forEach(marker -> seen.merge(marker, 1, Integer::sum)));
        seen.keySet().removeIf(marker -> {
            Write write = history.find(marker);
            boolean early = write == null || write.invokedNanos > doneNanos;
            if (early) {
                violations.add("I11", client + " read " + marker + " before anybody sent it");
            }
            return early;
        });
        return seen;
    }

    private void read(Read read, TimelineStates lists) {
        int era = tableTimelines.timelineOfTable(read.tableId());
        if (era < 0 || read.tableId() > 0 && !tableTimelines.shows(era, read.version())) {
            violations.add(
                    "ERA",
                    read.client() + " read version " + read.version() + " under number " + read.tableId() + " of "
                            + tableTimelines);
        }
        read.lists().forEach((list, markers) -> {
            if (!TimelineStates.isPrefix(markers, lists.of(Math.max(0, era), list))) {
                violations.add(
                        "I11", read.client() + " read list " + list + ", which is no beginning of the final one");
            }
        });
        sent(read.client(), read.doneNanos(), read.lists()).forEach((marker, count) -> {
            Write write = history.find(marker);
            long asked = write == null
                    ? 0
                    : write.lists.stream().filter(read.lists()::containsKey).count();
            if (read.oneVersion() && count != asked) {
                violations.add(
                        "I3",
                        read.client() + " read " + marker + " in " + count + " of " + asked + " lists at version "
                                + read.version());
            }
        });
    }

    /** A stale read may be of any era. In an era that is over, it may show more of a list than any other read of that era did. */
    private void stale(AtomicHistory.Stale read, TimelineStates lists) {
        read.lists().forEach((list, markers) -> {
            boolean found = false;
            for (int era = 0; era < tableTimelines.count() && !found; era++) {
                List<String> known = lists.of(era, list);
                boolean over = era < tableTimelines.count() - 1;
                found = TimelineStates.isPrefix(markers, known) || over && TimelineStates.isPrefix(known, markers);
            }
            if (!found) {
                violations.add(
                        "I11", read.client() + " read list " + list + ", which is no beginning of the final one");
            }
        });
        sent(read.client(), read.doneNanos(), read.lists());
    }
}
