package io.uniserve.simulator.check;

import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Check of reads of two tables at one snapshot.
 *
 * <p>CUT: the two versions of a snapshot were the newest ones together at some time after the read started, as the registry shows.
 *
 * <p>I3: a payment is written after the acknowledgement of its order, so a snapshot with the payment also has the order. I4 and I5: a read
 * has everything that was acknowledged, or seen by any read, before it started. SUM: a read of a table has all parts of a transfer.
 */
public final class LedgerCheck {
    private final ViolationCollector violations;
    private final Known orders = new Known();
    private final Known payments = new Known();
    /** The versions of both tables after each commit of either. */
    private final List<Versions> states = new ArrayList<>(List.of(new Versions(0, 0)));

    private record Versions(long orders, long payments) {}

    /** Markers that certainly exist, in the order in which the check found them. */
    private static final class Known {
        private final List<String> inOrder = new ArrayList<>();
        private final Set<String> acknowledged = new HashSet<>();
        private final Set<String> all = new HashSet<>();

        private void add(String marker) {
            if (all.add(marker)) {
                inOrder.add(marker);
            }
        }

        private Optional<String> missing(int before, Set<String> seen) {
            return inOrder.subList(0, before).stream()
                    .filter(marker -> !seen.contains(marker))
                    .findFirst();
        }
    }

    /**
     * Lower bounds for a read, taken at its start: numbers of markers that it must return, and the position of the oldest permitted pair of
     * versions.
     */
    public record Start(int orders, int payments, int state) {}

    public LedgerCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /** Records an acknowledged order. */
    public void onOrder(String marker) {
        orders.acknowledged.add(marker);
        orders.add(marker);
    }

    /** Records an acknowledged payment. */
    public void onPayment(String marker) {
        payments.acknowledged.add(marker);
        payments.add(marker);
    }

    /** Returns the lower bounds for a read that starts now. */
    public Start start() {
        return new Start(orders.inOrder.size(), payments.inOrder.size(), states.size() - 1);
    }

    /** Records the newest version of table orders in the registry. */
    public void committedOrders(long version) {
        add(new Versions(version, states.get(states.size() - 1).payments()));
    }

    /** Records the newest version of table payments in the registry. */
    public void committedPayments(long version) {
        add(new Versions(states.get(states.size() - 1).orders(), version));
    }

    private void add(Versions now) {
        if (!now.equals(states.get(states.size() - 1))) {
            states.add(now);
        }
    }

    /** Checks the versions of the read's snapshot. */
    public void checkSnapshot(Start start, long ordersVersion, long paymentsVersion) {
        Versions seen = new Versions(ordersVersion, paymentsVersion);
        if (!states.subList(start.state(), states.size()).contains(seen)) {
            violations.add("CUT", seen + " were never the newest ones together since " + states.get(start.state()));
        }
    }

    /** Checks the orders and payments that the read returned. */
    public void read(Start start, Set<String> ordered, Set<String> paid) {
        paid.stream()
                .filter(marker -> !ordered.contains(marker))
                .findFirst()
                .ifPresent(marker -> violations.add("I3", "payment " + marker + " was read without its order"));
        missing("order", orders, start.orders(), ordered);
        missing("payment", payments, start.payments(), paid);
        ordered.forEach(orders::add);
        paid.forEach(payments::add);
    }

    /** Checks the total of amounts per table: amounts move only between the rows of one table. */
    public void totals(Map<TableName, Long> totals) {
        totals.forEach((table, total) -> {
            if (total != 0) {
                violations.add(
                        "SUM",
                        "amounts of " + table + " were together " + total
                                + " in a read of both tables, and all of them "
                                + totals.values().stream()
                                        .mapToLong(Long::longValue)
                                        .sum());
            }
        });
    }

    private void missing(String what, Known known, int before, Set<String> seen) {
        known.missing(before, seen)
                .ifPresent(marker -> violations.add(
                        known.acknowledged.contains(marker) ? "I4" : "I5",
                        what + " " + marker + " was known before a read of both tables began, and is not in it"));
    }
}
