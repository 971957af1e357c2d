package io.uniserve.simulator.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * History of amounts that clients moved between rows of an atomic table, and of reads of them. Rows have the numbers of lists and start at
 * 0. A transfer subtracts from some rows what it adds to others.
 */
public final class TransferHistory {
    private final List<Transfer> transfers = new ArrayList<>();
    private final List<BalanceRead> reads = new ArrayList<>();

    /**
     * Records a transfer before the client sends it. It applies to all rows, or to none.
     *
     * @param changes the amount to add per row, negative to subtract; their sum is 0
     * @throws IllegalArgumentException if the sum is not 0
     */
    public Transfer transfer(TreeMap<Integer, Long> changes, long nanos) {
        if (changes.values().stream().mapToLong(Long::longValue).sum() != 0) {
            throw new IllegalArgumentException("the changes of a transfer must add up to 0: " + changes);
        }
        Transfer transfer = new Transfer(changes, nanos);
        transfers.add(transfer);
        return transfer;
    }

    /** Records a read of amounts at one version. */
    public void addRead(BalanceRead look) {
        reads.add(look);
    }

    /** Removes all entries, after they have been checked and all rows are deleted. */
    void clear() {
        transfers.clear();
        reads.clear();
    }

    List<Transfer> transfers() {
        return transfers;
    }

    List<BalanceRead> reads() {
        return reads;
    }

    /**
     * Read of amounts.
     *
     * @param version the version of all amounts
     * @param whole true for a read of all rows, so that the total is known
     * @param amounts per queried row, 0 for a row that does not exist; empty if only the total was queried
     */
    public record BalanceRead(
            String client,
            long invokedNanos,
            long doneNanos,
            long version,
            boolean whole,
            long total,
            TreeMap<Integer, Long> amounts) {
        /** Read of single rows. */
        public static BalanceRead ofRows(
                String client,
                long invokedNanos,
                long doneNanos,
                long version,
                boolean whole,
                TreeMap<Integer, Long> amounts) {
            long total = amounts.values().stream().mapToLong(Long::longValue).sum();
            return new BalanceRead(client, invokedNanos, doneNanos, version, whole, total, amounts);
        }

        /** Read of the sum of all rows, computed by the servers. */
        public static BalanceRead ofTotal(String client, long invokedNanos, long doneNanos, long version, long total) {
            return new BalanceRead(client, invokedNanos, doneNanos, version, true, total, new TreeMap<>());
        }
    }

    /** One transfer. */
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

        /** Records the result that the client got: committed in this version. */
        public void committed(long nanos, long inVersion) {
            doneNanos = nanos;
            version = inVersion;
        }

        /** Records the result that the client got: finally refused. */
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
