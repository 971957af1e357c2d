package io.uniserve.protocol.backup.batch;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.batch.LogBatchKey.Entry;
import io.uniserve.protocol.backup.batch.LogBatchKey.Slice;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the needed runs of some batches again, as longer runs of one actor each. Successive runs of the same epoch become one, because one
 * primary has shipped them. A batch that cannot be read stays. Used once, not thread-safe.
 */
final class LogBatchMerger {
    private static final Logger LOG = LoggerFactory.getLogger(LogBatchMerger.class);

    /** Batches are merged in groups of this size, which bounds the memory. */
    static final long GROUP_BYTES_MAX = 16 << 20;

    private final LogBatchStore store;
    private final LogRunNeeds needs;
    private final String cluster;
    private final ArrayDeque<LogBatchKey> batches;
    private final Consumer<List<LogBatchKey>> completion;
    private final List<LogBatchKey> read = new ArrayList<>();
    private final TreeMap<ReplicaKey, List<Run>> runs = new TreeMap<>();

    /** A run of an actor, as it was shipped or merged. */
    private record Run(long epoch, List<LogEntry> entries, long bytes) {
        long first() {
            return entries.get(0).index();
        }

        long last() {
            return entries.get(entries.size() - 1).index();
        }

        boolean isFollowedBy(Run next) {
            return next.epoch == epoch
                    && next.first() == last() + 1
                    && bytes + next.bytes <= Limits.REPLICATE_BYTES_MAX;
        }
    }

    /** @param completion called with the batches that are not needed any more */
    LogBatchMerger(
            LogBatchStore store,
            LogRunNeeds needs,
            String cluster,
            List<LogBatchKey> batches,
            Consumer<List<LogBatchKey>> completion) {
        this.store = store;
        this.needs = needs;
        this.cluster = cluster;
        this.batches = new ArrayDeque<>(batches);
        this.completion = completion;
    }

    void run() {
        LogBatchKey batch = batches.poll();
        if (batch == null) {
            put(merged().entrySet().iterator());
            return;
        }
        needs.of(batch, found -> {
            if (!(found instanceof Outcome.Ok<Optional<List<Entry>>> ok)) {
                keep(batch, found.error().getMessage());
            } else if (ok.value().isEmpty()) {
                run(); // not known yet
            } else if (ok.value().get().isEmpty()) {
                read.add(batch);
                run();
            } else {
                read(batch, ok.value().get());
            }
        });
    }

    private void keep(LogBatchKey batch, String why) {
        LOG.warn("object {} with runs of logs stays: {}", batch.text(), why);
        run();
    }

    private void read(LogBatchKey batch, List<Entry> needed) {
        store.read(batch, got -> {
            if (!(got instanceof Outcome.Ok<Bytes> ok)) {
                keep(batch, got.error().getMessage());
                return;
            }
            TreeMap<ReplicaKey, List<Run>> found = new TreeMap<>();
            for (Slice slice : batch.slices(ok.value())) {
                Entry entry = slice.entry();
                if (!needed.contains(entry)) {
                    continue;
                }
                Outcome<List<LogEntry>> decoded = ReplicaLog.decode(slice.data(), entry.first());
                if (!(decoded instanceof Outcome.Ok<List<LogEntry>> entries)
                        || entries.value().size() != entry.last() - entry.first() + 1) {
                    keep(batch, "the run of " + entry.key() + " from " + entry.first() + " has bad entries");
                    return;
                }
                found.computeIfAbsent(entry.key(), unused -> new ArrayList<>())
                        .add(new Run(entry.epoch(), entries.value(), entry.length()));
            }
            found.forEach((key, more) ->
                    runs.computeIfAbsent(key, unused -> new ArrayList<>()).addAll(more));
            read.add(batch);
            run();
        });
    }

    /** The new objects with their actors, by their keys. */
    private TreeMap<String, NewRun> merged() {
        TreeMap<String, NewRun> merged = new TreeMap<>();
        runs.forEach((actor, shipped) -> {
            shipped.sort(Comparator.comparingLong(Run::epoch).thenComparingLong(Run::first));
            Run longest = null;
            for (Run next : shipped) {
                if (longest != null && longest.isFollowedBy(next)) {
                    List<LogEntry> entries = new ArrayList<>(longest.entries());
                    entries.addAll(next.entries());
                    longest = new Run(next.epoch(), entries, longest.bytes() + next.bytes());
                } else {
                    add(merged, actor, longest);
                    longest = next;
                }
            }
            add(merged, actor, longest);
        });
        return merged;
    }

    private record NewRun(ReplicaKey actor, List<LogEntry> entries) {}

    private void add(TreeMap<String, NewRun> merged, ReplicaKey actor, @Nullable Run run) {
        if (run != null) {
            merged.put(
                    BackupPaths.log(cluster, actor, run.first(), run.last(), run.epoch()),
                    new NewRun(actor, run.entries()));
        }
    }

    private void put(Iterator<Map.Entry<String, NewRun>> rest) {
        if (!rest.hasNext()) {
            completion.accept(read);
            return;
        }
        Map.Entry<String, NewRun> next = rest.next();
        String key = next.getKey();
        store.putOwn(key, ReplicaLog.encode(next.getValue().entries()), stored -> {
            if (stored instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "runs of logs stay in batches, as {} cannot be stored: {}",
                        key,
                        err.error().getMessage());
                completion.accept(List.of());
            } else {
                needs.isGone(next.getValue().actor(), gone -> {
                    if (gone instanceof Outcome.Ok<Boolean> ok && ok.value()) {
                        // Its other objects may be deleted already, and this one would stay for ever.
                        store.delete(key, deleted -> put(rest));
                    } else {
                        put(rest);
                    }
                });
            }
        });
    }
}
