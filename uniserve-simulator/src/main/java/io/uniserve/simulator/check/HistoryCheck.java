package io.uniserve.simulator.check;

import io.uniserve.simulator.check.ClientHistory.Append;
import io.uniserve.simulator.check.ClientHistory.Read;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Check of the history of an eventual table against the final content of each list: I4, I9, I11, I12 and ORDER. A read of a list returns a
 * prefix of the final list. If the primary that answered was deposed, markers may follow that were not acknowledged at level ISR when the
 * read started. The check is linear in the number of markers read.
 */
public final class HistoryCheck {
    private final ViolationCollector violations;
    private final ClientHistory history;
    private final Map<Integer, List<String>> finals;
    private final IntPredicate whole;
    private long lostAtPrimaryLevel;

    /**
     * @param finals each list at the end, if it is known
     * @param whole false for a list that may have lost data: its content is checked, but not whether something is missing
     */
    public HistoryCheck(
            ViolationCollector violations,
            ClientHistory history,
            Map<Integer, List<String>> finals,
            IntPredicate whole) {
        this.whole = whole;
        this.violations = violations;
        this.history = history;
        this.finals = finals;
    }

    /** Runs all checks. Call it once. */
    public void run() {
        Map<Integer, Set<String>> present = new HashMap<>();
        finals.forEach((list, markers) -> {
            Set<String> set = new HashSet<>();
            for (String marker : markers) {
                if (!set.add(marker)) {
                    violations.add("I9", "list " + list + " holds " + marker + " twice");
                }
                if (history.find(list, marker) == null) {
                    violations.add("I11", "list " + list + " holds " + marker + ", which no client sent there");
                }
            }
            present.put(list, set);
            if (whole.test(list)) {
                order(list, markers);
            }
        });
        for (Append append : history.appends()) {
            boolean acked = append.ackedNanos != Long.MAX_VALUE;
            if (append.refused && present.getOrDefault(append.list, Set.of()).contains(append.marker)) {
                violations.add(
                        "I9", "list " + append.list + " holds " + append.marker + ", which was refused for good");
            }
            if (acked
                    && whole.test(append.list)
                    && !present.getOrDefault(append.list, Set.of()).contains(append.marker)) {
                if (append.isr) {
                    violations.add(
                            "I12",
                            "list " + append.list + " lost " + append.marker + ", acknowledged at level ISR at index "
                                    + append.index);
                } else {
                    lostAtPrimaryLevel++;
                }
            }
        }
        Map<String, List<Append>> own = new HashMap<>();
        history.appends()
                .forEach(append -> own.computeIfAbsent(
                                append.client + "/" + append.list, k -> new java.util.ArrayList<>())
                        .add(append));
        history.reads().forEach(read -> check(read, own.getOrDefault(read.client() + "/" + read.list(), List.of())));
    }

    /**
     * ORDER: an append that was acknowledged at level ISR before another one started precedes it, also if different clients sent the two.
     */
    private void order(int list, List<String> markers) {
        long laterAcked = Long.MAX_VALUE;
        for (int i = markers.size() - 1; i >= 0; i--) {
            Append append = history.find(list, markers.get(i));
            if (append != null) {
                if (laterAcked < append.invokedNanos) {
                    violations.add(
                            "ORDER",
                            "list " + list + " has " + append.marker
                                    + " before what was acknowledged at level ISR before it began");
                }
                laterAcked = append.isr ? Math.min(laterAcked, append.ackedNanos) : laterAcked;
            }
        }
    }

    /** Number of lost updates that only the primary had acknowledged. The protocol permits their loss. */
    public long lostAtPrimaryLevel() {
        return lostAtPrimaryLevel;
    }

    private void check(Read read, List<Append> own) {
        Set<String> seen = new HashSet<>(2 * read.markers().size() + 1);
        Map<String, Append> sent = history.of(read.list());
        List<String> last = finals.getOrDefault(read.list(), List.of());
        boolean onFinal = true;
        for (int i = 0; i < read.markers().size(); i++) {
            String marker = read.markers().get(i);
            if (!seen.add(marker)) {
                violations.add("I9", read.client() + " read " + marker + " twice in list " + read.list());
            }
            Append append = sent.get(marker);
            if (append == null || append.invokedNanos > read.doneNanos()) {
                violations.add(
                        "I11",
                        read.client() + " read " + marker + " in list " + read.list() + " before anybody sent it");
                continue;
            }
            onFinal = onFinal && i < last.size() && last.get(i).equals(marker) || !whole.test(read.list());
            if (!onFinal && read.linearizable() && append.ackedAtIsrBefore(read.invokedNanos())) {
                violations.add(
                        "I11",
                        read.client() + " read " + marker + " of list " + read.list() + " at place " + i
                                + " of a list that is not the beginning of the final one");
            }
        }
        if (read.linearizable() && whole.test(read.list())) {
            for (Append append : own) {
                if (append.ackedAtIsrBefore(read.invokedNanos())
                        && append.index <= read.floor()
                        && !seen.contains(append.marker)) {
                    violations.add(
                            "I4",
                            read.client() + " does not read its own " + append.marker + " in list " + read.list()
                                    + ", index " + append.index + ", floor " + read.floor());
                }
            }
        }
    }
}
