package io.uniserve.simulator.check;

import io.uniserve.simulator.check.TransferHistory.BalanceRead;
import io.uniserve.simulator.check.TransferHistory.Transfer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Check of transfers. SUM: the total over all rows is 0 in every read of one version, as transfers only move amounts. AMOUNT: each row has
 * exactly the sum of all transfers up to the read's version; transfers with an unknown outcome may count or not. I4: a transfer that was
 * acknowledged before a read started is not above the version of the read.
 *
 * <p>For a table that was restored to an older version only totals are checked, as it is unknown which transfers with an unknown outcome
 * came back. Transfers are looked up by version: O(n log n), except for those with an unknown outcome.
 */
final class TransferCheck {
    private final ViolationCollector violations;
    private final TransferHistory history;
    private final boolean oneEra;
    private final Map<Integer, Row> rows = new TreeMap<>();
    private final Row all;

    /** @param oneEra false for a table that was restored to an older version */
    TransferCheck(ViolationCollector violations, TransferHistory history, boolean oneEra) {
        this.violations = violations;
        this.history = history;
        this.oneEra = oneEra;
        Map<Integer, List<Transfer>> touching = new TreeMap<>();
        for (Transfer transfer : history.transfers()) {
            transfer.changes
                    .keySet()
                    .forEach(row -> touching.computeIfAbsent(row, r -> new ArrayList<>())
                            .add(transfer));
        }
        touching.forEach((row, some) -> rows.put(row, new Row(row, some)));
        this.all = new Row(-1, history.transfers());
    }

    void run() {
        for (BalanceRead look : history.reads()) {
            if (look.whole() && look.total() != 0) {
                violations.add(
                        "SUM",
                        look.client() + " read amounts of together " + look.total() + " at version " + look.version()
                                + ", and what was moved between rows is together 0");
            }
            if (oneEra) {
                if (look.amounts().isEmpty()) {
                    acknowledged(look, all);
                }
                look.amounts().forEach((row, amount) -> compare(look, row, amount));
            }
        }
    }

    private void compare(BalanceRead look, int number, long amount) {
        Row row = rows.getOrDefault(number, Row.UNTOUCHED);
        long expected = row.sumThrough(look.version());
        long least = expected;
        long most = expected;
        for (Transfer open : row.open) {
            if (open.invokedNanos < look.doneNanos()) {
                long change = open.changes.getOrDefault(number, 0L);
                least += Math.min(0, change);
                most += Math.max(0, change);
            }
        }
        if (amount < least || amount > most) {
            violations.add(
                    "AMOUNT",
                    look.client() + " read the amount " + amount + " of row " + number + " at version "
                            + look.version() + ", where the transfers up to it make " + least
                            + (least == most ? "" : " to " + most));
        }
        acknowledged(look, row);
    }

    private void acknowledged(BalanceRead look, Row row) {
        if (row.earliestAbove(look.version()) < look.invokedNanos()) {
            violations.add(
                    "I4",
                    look.client() + " read " + (row.number < 0 ? "the total" : "row " + row.number) + " at version "
                            + look.version() + ", and a transfer of a later one was acknowledged before it began");
        }
    }

    /** Transfers that change one row: those with known versions in order, and those with an unknown outcome. */
    private static final class Row {
        private static final Row UNTOUCHED = new Row(0, List.of());

        private final int number;
        private final long[] versions;
        /** Sum of the first n transfers, per n. */
        private final long[] sums;
        /** Earliest acknowledgement of this transfer and all later ones. */
        private final long[] earliest;

        private final List<Transfer> open;

        private Row(int number, List<Transfer> touching) {
            this.number = number;
            List<Transfer> known = touching.stream()
                    .filter(Transfer::committed)
                    .sorted(Comparator.comparingLong(transfer -> transfer.version))
                    .toList();
            versions = known.stream().mapToLong(transfer -> transfer.version).toArray();
            sums = new long[known.size() + 1];
            earliest = new long[known.size() + 1];
            for (int i = 0; i < known.size(); i++) {
                sums[i + 1] = sums[i] + known.get(i).changes.getOrDefault(number, 0L);
            }
            earliest[known.size()] = Long.MAX_VALUE;
            for (int i = known.size() - 1; i >= 0; i--) {
                earliest[i] = Math.min(earliest[i + 1], known.get(i).doneNanos);
            }
            open = touching.stream()
                    .filter(transfer -> !transfer.committed() && !transfer.refused)
                    .toList();
        }

        private long sumThrough(long version) {
            return sums[above(version)];
        }

        private long earliestAbove(long version) {
            return earliest[above(version)];
        }

        /** Number of transfers of this version or an older one. Several transfers may share a version, as updates are merged. */
        private int above(long version) {
            int at = Arrays.binarySearch(versions, version);
            if (at < 0) {
                return -at - 1;
            }
            while (at < versions.length && versions[at] == version) {
                at++;
            }
            return at;
        }
    }
}
