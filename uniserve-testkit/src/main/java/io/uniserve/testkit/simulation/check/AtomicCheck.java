package io.uniserve.testkit.simulation.check;

import io.uniserve.testkit.simulation.check.AtomicHistory.Read;
import io.uniserve.testkit.simulation.check.AtomicHistory.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * I3 to I5, I9, I11 and I12 over the history of an atomic table, given each list at the end. Every list only grows, so a
 * read of it is the length of a beginning of the final one; strict serializability then is: a marker is in all its lists
 * that a read has or in none; a read has at least what was committed, or read by anybody, before it began.
 */
public final class AtomicCheck {
    private final Violations violations;
    private final AtomicHistory history;
    private final Map<Integer, List<String>> finals;
    private final Map<Integer, Map<String, Integer>> places = new HashMap<>();

    /** @param finals each list at the end */
    public AtomicCheck(Violations violations, AtomicHistory history, Map<Integer, List<String>> finals) {
        this.violations = violations;
        this.history = history;
        this.finals = finals;
    }

    /** Checks all; call once. */
    public void run() {
        finals.forEach((list, markers) -> {
            Map<String, Integer> at = new HashMap<>();
            for (String marker : markers) {
                if (at.put(marker, at.size()) != null) {
                    violations.add("I9", "list " + list + " holds " + marker + " twice");
                }
                Write write = history.find(marker);
                if (write == null || !write.lists.contains(list)) {
                    violations.add("I11", "list " + list + " holds " + marker + ", which nobody sent there");
                }
            }
            places.put(list, at);
        });
        history.writes().forEach(this::atTheEnd);
        history.reads().forEach(this::read);
        history.stale().forEach(read -> beginnings(read.client(), read.doneNanos(), read.lists()));
        order();
    }

    private boolean in(int list, String marker) {
        return places.getOrDefault(list, Map.of()).containsKey(marker);
    }

    private void atTheEnd(Write write) {
        List<Integer> holding =
                write.lists.stream().filter(list -> in(list, write.marker)).toList();
        if (write.committed() && holding.size() < write.lists.size()) {
            violations.add(
                    "I12", write.marker + ", committed in version " + write.version + ", is only in lists " + holding);
        } else if (!holding.isEmpty() && holding.size() < write.lists.size()) {
            violations.add("I3", write.marker + " is in lists " + holding + " of " + write.lists + " at the end");
        }
        if (write.refused && !holding.isEmpty()) {
            violations.add("I9", write.marker + " was refused for good and is in lists " + holding);
        }
    }

    /** Each list is a beginning of the final one, of markers that somebody had sent; gives how often each marker was seen. */
    private Map<String, Integer> beginnings(String client, long doneNanos, Map<Integer, List<String>> lists) {
        Map<String, Integer> seen = new TreeMap<>();
        lists.forEach((list, markers) -> {
            List<String> last = finals.getOrDefault(list, List.of());
            if (markers.size() > last.size() || !last.subList(0, markers.size()).equals(markers)) {
                violations.add("I11", client + " read list " + list + ", which is no beginning of the final one");
            }
            markers.forEach(marker -> seen.merge(marker, 1, Integer::sum));
        });
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

    private void read(Read read) {
        beginnings(read.client(), read.doneNanos(), read.lists()).forEach((marker, count) -> {
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

    /** What began after an end must have what had ended: ends and beginnings in the order of time. */
    private void order() {
        List<Moment> moments = new ArrayList<>();
        Map<Integer, Integer> needed = new HashMap<>();
        Map<Read, Map<Integer, Integer>> needs = new IdentityHashMap<>();
        Map<String, Long> told = new HashMap<>();
        Map<Read, Long> floors = new IdentityHashMap<>();
        for (Write write : history.writes()) {
            if (write.committed()) {
                moments.add(new Moment(write.doneNanos, 1, () -> {
                    write.lists.forEach(list -> needed.merge(
                            list, places.getOrDefault(list, Map.of()).getOrDefault(write.marker, -1) + 1, Math::max));
                    told.merge(write.client, write.version, Math::max);
                }));
            }
        }
        for (Read read : history.reads()) {
            moments.add(new Moment(read.invokedNanos(), 0, () -> {
                needs.put(read, new HashMap<>(needed));
                floors.put(read, told.getOrDefault(read.client(), 0L));
            }));
            moments.add(new Moment(read.doneNanos(), 1, () -> {
                compare(read, needs.getOrDefault(read, Map.of()), floors.getOrDefault(read, 0L));
                read.lists().forEach((list, markers) -> needed.merge(list, markers.size(), Math::max));
                told.merge(read.client(), read.version(), Math::max);
            }));
        }
        moments.sort(Comparator.comparingLong(Moment::nanos).thenComparingInt(Moment::rank));
        moments.forEach(moment -> moment.step().run());
    }

    private void compare(Read read, Map<Integer, Integer> needed, long floor) {
        read.lists().forEach((list, markers) -> {
            if (markers.size() < needed.getOrDefault(list, 0)) {
                violations.add(
                        "I4",
                        read.client() + " read " + markers.size() + " markers of list " + list + " at version "
                                + read.version() + ", and " + needed.get(list)
                                + " were committed or read before it began");
            }
        });
        if (read.version() < floor) {
            violations.add(
                    "I5", read.client() + " read version " + read.version() + ", and was told of " + floor + " before");
        }
    }

    private record Moment(long nanos, int rank, Runnable step) {}
}
