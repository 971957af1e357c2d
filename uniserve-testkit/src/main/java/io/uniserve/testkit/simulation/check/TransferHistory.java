package io.uniserve.testkit.simulation.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Amounts that clients moved between rows of an atomic table, and what readers saw of them. Rows are numbered as lists are, and
 * begin with nothing; a transfer takes from some what it gives to others.
 */
public final class TransferHistory {
    private final List<Transfer> transfers = new ArrayList<>();
    private final List<Look> looks = new ArrayList<>();

    /**
     * A client is about to move amounts, all or none.
     *
     * @param changes what is added to each row, less than 0 where it is taken; together 0
     */
    public Transfer transfer(TreeMap<Integer, Long> changes, long nanos) {
        if (changes.values().stream().mapToLong(Long::longValue).sum() != 0) {
            throw new IllegalArgumentException("a transfer that makes or loses something: " + changes);
        }
        Transfer transfer = new Transfer(changes, nanos);
        transfers.add(transfer);
        return transfer;
    }

    /** A client read amounts of one version. */
    public void look(Look look) {
        looks.add(look);
    }

    /** Begins anew: what was heard so far has been judged, and all rows are gone. */
    void clear() {
        transfers.clear();
        looks.clear();
    }

    List<Transfer> transfers() {
        return transfers;
    }

    List<Look> looks() {
        return looks;
    }

    /**
     * What a reader saw.
     *
     * @param version of which all of it is
     * @param whole true where it is of all rows, so that the total is known
     * @param amounts of the rows that were asked for, those that are not there with 0; empty where only the total was asked for
     */
    public record Look(
            String client,
            long invokedNanos,
            long doneNanos,
            long version,
            boolean whole,
            long total,
            TreeMap<Integer, Long> amounts) {
        /** The rows one by one. */
        public static Look ofRows(
                String client,
                long invokedNanos,
                long doneNanos,
                long version,
                boolean whole,
                TreeMap<Integer, Long> amounts) {
            long total = amounts.values().stream().mapToLong(Long::longValue).sum();
            return new Look(client, invokedNanos, doneNanos, version, whole, total, amounts);
        }

        /** The sum of all rows, as servers made it. */
        public static Look ofTotal(String client, long invokedNanos, long doneNanos, long version, long total) {
            return new Look(client, invokedNanos, doneNanos, version, true, total, new TreeMap<>());
        }
    }

    /** One move. */
    public static final class Transfer {
        final TreeMap<Integer, Long> changes;
        final long invokedNanos;
        long doneNanos = Long.MAX_VALUE;
        long version;
        boolean refused;

        private Transfer(TreeMap<Integer, Long> changes, long invokedNanos) {
            this.changes = changes;
            this.invokedNanos = invokedNanos;
        }

        /** The client heard that it is committed, in this version. */
        public void committed(long nanos, long inVersion) {
            doneNanos = nanos;
            version = inVersion;
        }

        /** The client heard that it is refused for good. */
        public void refused() {
            refused = true;
        }

        boolean committed() {
            return doneNanos != Long.MAX_VALUE;
        }

        @Override
        public String toString() {
            return changes + (committed() ? " in version " + version : "");
        }
    }
}
