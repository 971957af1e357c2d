package io.uniserve.protocol.backup.ship;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;

/**
 * Finder of the index up to which a primary's log is already in durable storage, beyond the backup record, which is written only
 * periodically.
 *
 * <p>Entries must not be shipped twice. At each index the run of the latest primary counts, and after it no run of an earlier primary. So a
 * primary that shipped a part again and then died would hide the remaining stored log.
 *
 * <p>A deposed primary may have shipped entries of another log. If two logs have an entry with the same index and epoch, all entries before
 * it are equal as well. So the last entry of each object decides.
 */
final class BackedUpIndexFinder {
    private final ObjectStore objects;
    private final ReplicaLog log;
    private final List<BackupPaths.Run> chain;
    private final Completion<Long> completion;
    private long shipped;

    private BackedUpIndexFinder(
            ObjectStore objects,
            ReplicaLog log,
            List<BackupPaths.Run> chain,
            long shipped,
            Completion<Long> completion) {
        this.objects = objects;
        this.log = log;
        this.chain = chain;
        this.shipped = shipped;
        this.completion = completion;
    }

    /**
     * Finds the last index up to which nothing need be shipped; an error if storage cannot be listed.
     *
     * @param shipped a known lower bound of that index
     */
    static void find(
            Environment env,
            String cluster,
            ReplicaKey key,
            ReplicaLog log,
            long shipped,
            Completion<Long> completion) {
        String prefix = BackupPaths.logPrefix(cluster, key);
        env.objects().list(prefix, completion.then(listed -> {
            List<BackupPaths.Run> chain = BackupPaths.chain(listed, prefix, shipped, Math.max(0, log.epochAt(shipped)));
            new BackedUpIndexFinder(env.objects(), log, chain, shipped, completion).next(0);
        }));
    }

    private void next(int at) {
        if (at == chain.size() || chain.get(at).last() > log.durableIndex()) {
            completion.done(Outcome.ok(shipped));
            return;
        }
        BackupPaths.Run run = chain.get(at);
        objects.get(run.key(), got -> {
            if (got instanceof Outcome.Ok<Bytes> ok && isSameLog(run, ok.value())) {
                shipped = run.last();
                next(at + 1);
            } else { // an unreadable object is shipped again
                completion.done(Outcome.ok(shipped));
            }
        });
    }

    private boolean isSameLog(BackupPaths.Run run, Bytes data) {
        int at = (int) (run.last() - run.first());
        return ReplicaLog.decode(data, run.first()) instanceof Outcome.Ok<List<LogEntry>> ok
                && ok.value().size() > at
                && ok.value().get(at).epoch() == log.epochAt(run.last());
    }
}
