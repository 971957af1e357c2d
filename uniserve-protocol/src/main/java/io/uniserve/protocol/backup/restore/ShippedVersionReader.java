package io.uniserve.protocol.backup.restore;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.ShippedVersions;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.replica.state.VersionState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reader of the versions of atomic updates in an actor's shipped log. At most one object is in memory. */
final class ShippedVersionReader {
    private final ObjectStore objects;
    private final List<BackupPaths.Run> chain;
    private final Completion<ShippedVersionReader> completion;
    private final TreeMap<Long, Long> first = new TreeMap<>();
    private final TreeSet<Long> open = new TreeSet<>();
    private final TreeMap<Long, ShippedVersions.Commit> prepared = new TreeMap<>();
    private final List<ShippedVersions.Commit> committed = new ArrayList<>();
    private long index;

    private ShippedVersionReader(
            ObjectStore objects, List<BackupPaths.Run> chain, long after, Completion<ShippedVersionReader> completion) {
        this.objects = objects;
        this.chain = chain;
        this.index = after;
        this.completion = completion;
    }

    /**
     * Reads the whole log.
     *
     * @param after the index that the checkpoint covers
     */
    static void read(
            ObjectStore objects, List<BackupPaths.Run> chain, long after, Completion<ShippedVersionReader> completion) {
        new ShippedVersionReader(objects, chain, after, completion).next(0);
    }

    private void next(int at) {
        if (at == chain.size()) {
            completion.done(Outcome.ok(this));
            return;
        }
        BackupPaths.Run run = chain.get(at);
        objects.get(run.key(), completion.then(got -> {
            int count = (int) (run.last() - run.first() + 1);
            Outcome<List<LogEntry>> decoded = ReplicaLog.decode(got, run.first());
            if (!(decoded instanceof Outcome.Ok<List<LogEntry>> ok)
                    || ok.value().size() < count) {
                completion.done(Outcome.err(
                        new UniserveException(ErrorCode.CORRUPT, "object " + run.key() + " has bad entries")));
                return;
            }
            try {
                ok.value().subList(0, count).forEach(this::record);
            } catch (UniserveException e) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "object " + run.key() + " has a bad entry: " + e.reason(), e)));
                return;
            }
            next(at + 1);
        }));
    }

    private void record(LogEntry entry) {
        if (entry.index() <= index) {
            return; // the run starts before the checkpoint's end
        }
        index = entry.index();
        if (!VersionState.isVersionEntry(entry)) {
            return;
        }
        long version = entry.version();
        first.putIfAbsent(version, entry.index());
        if (entry.type() == LogEntry.Type.PREPARE) {
            open.add(version);
            prepared.put(version, new ShippedVersions.Commit(version, entry.previous(), entry.participants()));
            return;
        }
        open.remove(version);
        ShippedVersions.Commit prepare = prepared.remove(version);
        if (entry.isCommit() && prepare != null) {
            long before = committed.isEmpty()
                    ? 0
                    : committed.get(committed.size() - 1).version();
            committed.add(prepare.following(before));
        }
    }

    /** @param checkpoint the versions in the checkpoint */
    ShippedVersions shippedVersions(VersionState checkpoint) {
        long newest = first.isEmpty() ? 0 : first.lastKey();
        return new ShippedVersions(index, Math.max(newest, checkpoint.newest()), checkpoint.committed(), committed);
    }

    /** The last index before any entry of this version or a later one, and before any undecided PREPARE. */
    long endBefore(long version) {
        Long later = first.ceilingKey(version);
        Long last = first.lowerKey(version);
        if (last != null && open.contains(last)) {
            return first.getOrDefault(last, 1L) - 1;
        }
        return later == null ? index : first.getOrDefault(later, 1L) - 1;
    }
}
