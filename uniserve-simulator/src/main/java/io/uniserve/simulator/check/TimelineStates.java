package io.uniserve.simulator.check;

import io.uniserve.simulator.check.AtomicHistory.Read;
import io.uniserve.simulator.check.AtomicHistory.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Content of each list at the end of each era, as far as it is known. For the last era it is the whole list. For an earlier era it is the
 * longest list that was read in it, or the part that the next era took over, whichever is longer. Each era starts with the lists that it
 * took over.
 */
final class TimelineStates {
    private final ViolationCollector violations;
    private final AtomicHistory history;
    private final TableTimelines tableTimelines;
    private final List<Map<Integer, List<String>>> lists = new ArrayList<>();
    private final List<Map<Integer, Map<String, Integer>>> places = new ArrayList<>();
    private final List<Map<Integer, Integer>> kept = new ArrayList<>();

    /** @param finals each list at the end of the last era */
    TimelineStates(
            ViolationCollector violations,
            AtomicHistory history,
            TableTimelines tableTimelines,
            Map<Integer, List<String>> finals) {
        this.violations = violations;
        this.history = history;
        this.tableTimelines = tableTimelines;
        add(finals, tableTimelines.count() - 1);
        for (int era = tableTimelines.count() - 2; era >= 0; era--) {
            add(known(era), era);
        }
    }

    /** The list at the end of the era, as far as it is known. */
    List<String> of(int era, int list) {
        return lists.get(at(era)).getOrDefault(list, List.of());
    }

    /** Minimum length of each list at the start of the era, from the versions that the era took over. */
    Map<Integer, Integer> kept(int era) {
        return kept.get(at(era));
    }

    /** Length of the era's list up to and including this marker; 0 if the list is not known to have it. */
    int lengthThrough(int era, int list, String marker) {
        return places.get(at(era)).getOrDefault(list, Map.of()).getOrDefault(marker, -1) + 1;
    }

    /** States are stored with the last era first. */
    private int at(int era) {
        return tableTimelines.count() - 1 - era;
    }

    private void add(Map<Integer, List<String>> known, int era) {
        lists.add(known);
        Map<Integer, Map<String, Integer>> at = new HashMap<>();
        known.forEach((list, markers) -> {
            Map<String, Integer> place = new HashMap<>();
            markers.forEach(marker -> place.putIfAbsent(marker, place.size()));
            at.put(list, place);
        });
        places.add(at);
        kept.add(era == 0 ? Map.of() : takenOver(era));
    }

    /** Minimum length per list, from the versions up to the base of the era as clients saw them. */
    private Map<Integer, Integer> takenOver(int era) {
        long base = tableTimelines.get(era).base();
        Map<Integer, Integer> least = new TreeMap<>();
        for (Write write : history.writes()) {
            if (write.committed() && survives(write.version, base)) {
                write.lists.forEach(list -> least.merge(list, lengthThrough(era, list, write.marker), Math::max));
            }
        }
        for (Read read : history.reads()) {
            if (read.oneVersion()
                    && survives(read.version(), base)
                    && tableTimelines.timelineOfTable(read.tableId()) < era) {
                read.lists().forEach((list, markers) -> {
                    if (isPrefix(markers, of(era, list))) {
                        least.merge(list, markers.size(), Math::max);
                    } else {
                        violations.add(
                                "ERA",
                                read.client() + " read list " + list + " at version " + read.version()
                                        + ", and the table that went back to version " + base
                                        + " does not begin with that");
                    }
                });
            }
        }
        return least;
    }

    /** False if an earlier restoration already lost the version. */
    private boolean survives(long version, long base) {
        return version <= base && !tableTimelines.isLost(version);
    }

    private Map<Integer, List<String>> known(int era) {
        Map<Integer, List<String>> known = new TreeMap<>();
        kept(era + 1).forEach((list, count) -> {
            List<String> next = of(era + 1, list);
            known.put(list, next.subList(0, count));
        });
        Map<Integer, List<String>> longest = new TreeMap<>();
        for (Read read : history.reads()) {
            if (tableTimelines.timelineOfTable(read.tableId()) == era) {
                read.lists()
                        .forEach((list, markers) ->
                                longest.merge(list, markers, (one, other) -> one.size() >= other.size() ? one : other));
            }
        }
        longest.forEach((list, markers) -> {
            List<String> takenOver = known.getOrDefault(list, List.of());
            if (!isPrefix(takenOver, markers) && !isPrefix(markers, takenOver)) {
                violations.add(
                        "ERA",
                        "list " + list + " was read under number "
                                + tableTimelines.get(era).tableId()
                                + ", and what came back of it at version "
                                + tableTimelines.get(era + 1).base() + " is something else");
            }
            if (markers.size() > takenOver.size()) {
                known.put(list, markers);
            }
        });
        return known;
    }

    static boolean isPrefix(List<String> beginning, List<String> whole) {
        return beginning.size() <= whole.size()
                && whole.subList(0, beginning.size()).equals(beginning);
    }
}
