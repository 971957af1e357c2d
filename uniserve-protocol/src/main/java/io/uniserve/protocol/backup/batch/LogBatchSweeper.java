package io.uniserve.protocol.backup.batch;

import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Replacement of batches by longer runs of one actor each, see {@link LogBatchMerger}, and their deletion afterwards. A server replaces what
 * it has written itself after four minutes, and what it finds after twenty, as its writer is gone then. It deletes a batch four minutes after the
 * replacement, so that no listing lacks both. Servers may replace the same batch.
 *
 * <p>A server that writes no batches asks storage for them every twenty minutes, and for nothing else. Not thread-safe.
 */
public final class LogBatchSweeper {
    /** Pause between two rounds, and age of own batches, in periods of log shipping. */
    private static final long ROUND_PERIODS = 240;

    /** Rounds until batches of other servers are listed. Their age in rounds is at least the same. */
    private static final int LISTING_ROUNDS = 5;

    private static final long MILLI = 1_000_000;

    private final Environment env;
    private final LogBatchStore store;
    private final LogRunNeeds needs;
    private final String cluster;
    private final long roundNanos;
    /** Batches without needed runs, with the times since when. */
    private final TreeMap<String, Long> replaced = new TreeMap<>();

    private int roundsUntilListing;
    private boolean stopped;

    /**
     * @param env environment with the store
     * @param periodNanos period of log shipping
     */
    LogBatchSweeper(Environment env, LogBatchStore store, LogRunNeeds needs, String cluster, long periodNanos) {
        this.env = env;
        this.store = store;
        this.needs = needs;
        this.cluster = cluster;
        this.roundNanos = ROUND_PERIODS * periodNanos;
        // Servers that start together do not replace the same batches.
        this.roundsUntilListing = 1 + (int) Long.remainderUnsigned(env.ids().next(), LISTING_ROUNDS);
    }

    void start() {
        env.timers().after(roundNanos, () -> {
            if (!stopped) {
                round(this::start);
            }
        });
    }

    void stop() {
        stopped = true;
    }

    private void round(Runnable then) {
        ArrayDeque<String> due = new ArrayDeque<>();
        replaced.forEach((batch, at) -> {
            if (env.clock().nanos() - at >= roundNanos) {
                due.add(batch);
            }
        });
        delete(due, () -> {
            if (--roundsUntilListing > 0) {
                replace(store.writtenBefore(roundNanos), then);
                return;
            }
            roundsUntilListing = LISTING_ROUNDS;
            store.listBatches(listed -> {
                List<LogBatchKey> old = new ArrayList<>(store.writtenBefore(roundNanos));
                if (listed instanceof Outcome.Ok<List<LogBatchKey>> ok) {
                    long before = env.clock().wallMillis() - LISTING_ROUNDS * roundNanos / MILLI;
                    ok.value().stream()
                            .filter(batch -> batch.wallMillis() < before && !old.contains(batch))
                            .forEach(old::add);
                }
                replace(old, then);
            });
        });
    }

    private void delete(ArrayDeque<String> due, Runnable then) {
        String batch = due.poll();
        if (batch == null || stopped) {
            then.run();
            return;
        }
        store.deleteBatch(batch, deleted -> {
            if (deleted instanceof Outcome.Ok) {
                replaced.remove(batch);
                delete(due, then);
            } else {
                then.run(); // the next round tries again
            }
        });
    }

    private void replace(List<LogBatchKey> old, Runnable then) {
        needs.refresh();
        ArrayDeque<LogBatchKey> rest = new ArrayDeque<>(old);
        rest.removeIf(batch -> replaced.containsKey(batch.text()));
        replaceNext(rest, then);
    }

    private void replaceNext(ArrayDeque<LogBatchKey> rest, Runnable then) {
        List<LogBatchKey> group = new ArrayList<>();
        long bytes = 0;
        for (LogBatchKey next = rest.peek(); next != null; next = rest.peek()) {
            bytes += next.bytes();
            if (!group.isEmpty() && bytes > LogBatchMerger.GROUP_BYTES_MAX) {
                break;
            }
            group.add(rest.remove());
        }
        if (group.isEmpty() || stopped) {
            then.run();
            return;
        }
        new LogBatchMerger(store, needs, cluster, group, unneeded -> {
                    unneeded.forEach(
                            batch -> replaced.put(batch.text(), env.clock().nanos()));
                    replaceNext(rest, then);
                })
                .run();
    }
}
