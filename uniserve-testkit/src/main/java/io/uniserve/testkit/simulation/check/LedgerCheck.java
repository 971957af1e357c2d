package io.uniserve.testkit.simulation.check;

import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * CUT: the two versions of a moment were the tables' newest ones together, at some time after the read began; this by a look into the
 * registry. And I3, I4 and I5 of reads of two tables as of one moment. A payment is written when its order is acknowledged, so a moment that has the
 * payment has the order, and SUM: of either table all parts of a transfer. What was acknowledged, or read by anybody, before a read began is in what it reads.
 */
public final class LedgerCheck {
    private final Violations violations;
    private final Known orders = new Known();
    private final Known payments = new Known();
    /** The tables' versions after each commit of either. */
    private final List<Versions> states = new ArrayList<>(List.of(new Versions(0, 0)));

    private record Versions(long orders, long payments) {}

    /** What is known to be there, in the order in which that became known. */
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

    /** What was known when a read began. */
    public record Start(int orders, int payments, int state) {}

    public LedgerCheck(Violations violations) {
        this.violations = violations;
    }

    /** An order was acknowledged. */
    public void ordered(String marker) {
        orders.acknowledged.add(marker);
        orders.add(marker);
    }

    /** A payment was acknowledged. */
    public void paid(String marker) {
        payments.acknowledged.add(marker);
        payments.add(marker);
    }

    /** A read begins. */
    public Start start() {
        return new Start(orders.inOrder.size(), payments.inOrder.size(), states.size() - 1);
    }

    /** The registry has this version of orders as the newest one. */
    public void committedOrders(long version) {
        add(new Versions(version, states.get(states.size() - 1).payments()));
    }

    /** The registry has this version of payments as the newest one. */
    public void committedPayments(long version) {
        add(new Versions(states.get(states.size() - 1).orders(), version));
    }

    private void add(Versions now) {
        if (!now.equals(states.get(states.size() - 1))) {
            states.add(now);
        }
    }

    /** It is of these versions. */
    public void moment(Start start, long ordersVersion, long paymentsVersion) {
        Versions seen = new Versions(ordersVersion, paymentsVersion);
        if (!states.subList(start.state(), states.size()).contains(seen)) {
            violations.add("CUT", seen + " were never the newest ones together since " + states.get(start.state()));
        }
    }

    /** It has seen these orders and payments. */
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

    /** In the tables these amounts were together: each table's are moved between its rows only. */
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
