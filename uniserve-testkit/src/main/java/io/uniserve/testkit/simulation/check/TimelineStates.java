package io.uniserve.testkit.simulation.check;

import io.uniserve.testkit.simulation.check.AtomicHistory.Read;
import io.uniserve.testkit.simulation.check.AtomicHistory.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What each list was in the end of each era, as far as anybody knows: of the last one all of it; of an earlier one the longest
 * that was read of it, or what the next one took over, whichever is longer. An era's list begins with what it took over.
 */
final class TimelineStates {
    private final Violations violations;
    private final AtomicHistory history;
    private final TableTimelines tableTimelines;
    private final List<Map<Integer, List<String>>> lists = new ArrayList<>();
    private final List<Map<Integer, Map<String, Integer>>> places = new ArrayList<>();
    private final List<Map<Integer, Integer>> kept = new ArrayList<>();

    /** @param finals each list at the end of the last era */
    TimelineStates(
            Violations violations,
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

    /** The list as it was in the end of the era, as far as is known. */
    List<String> of(int era, int list) {
        return lists.get(at(era)).getOrDefault(list, List.of());
    }

    /** How many markers of a list there were at the beginning of the era at least: those of what it was to take over. */
    Map<Integer, Integer> kept(int era) {
        return kept.get(at(era));
    }

    /** How long the era's list is with this marker; 0 where it is not known to have it. */
    int through(int era, int list, String marker) {
        return places.get(at(era)).getOrDefault(list, Map.of()).getOrDefault(marker, -1) + 1;
    }

    /** The last era is the first to be known. */
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

    /** What versions up to the one at which the era began had, as clients heard of them. */
    private Map<Integer, Integer> takenOver(int era) {
        long base = tableTimelines.get(era).base();
        Map<Integer, Integer> least = new TreeMap<>();
        for (Write write : history.writes()) {
            if (write.committed() && survives(write.version, base)) {
                write.lists.forEach(list -> least.merge(list, through(era, list, write.marker), Math::max));
            }
        }
        for (Read read : history.reads()) {
            if (read.oneVersion() && survives(read.version(), base) && tableTimelines.ofTable(read.tableId()) < era) {
                read.lists().forEach((list, markers) -> {
                    if (begins(markers, of(era, list))) {
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

    /** Not where an era before went back to an older version already. */
    private boolean survives(long version, long base) {
        return version <= base && !tableTimelines.lost(version);
    }

    private Map<Integer, List<String>> known(int era) {
        Map<Integer, List<String>> known = new TreeMap<>();
        kept(era + 1).forEach((list, count) -> {
            List<String> next = of(era + 1, list);
            known.put(list, next.subList(0, count));
        });
        Map<Integer, List<String>> longest = new TreeMap<>();
        for (Read read : history.reads()) {
            if (tableTimelines.ofTable(read.tableId()) == era) {
                read.lists()
                        .forEach((list, markers) ->
                                longest.merge(list, markers, (one, other) -> one.size() >= other.size() ? one : other));
            }
        }
        longest.forEach((list, markers) -> {
            List<String> takenOver = known.getOrDefault(list, List.of());
            if (!begins(takenOver, markers) && !begins(markers, takenOver)) {
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

    static boolean begins(List<String> beginning, List<String> whole) {
        return beginning.size() <= whole.size()
                && whole.subList(0, beginning.size()).equals(beginning);
    }
}
