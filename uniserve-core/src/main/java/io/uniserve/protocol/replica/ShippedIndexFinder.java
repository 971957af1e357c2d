package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;

/**
 * Finds how much of a primary's log is in durable storage already, beyond what the record says, which is written only now and
 * then. To ship it once more would not only cost: at each index the latest primary's word counts, and nothing of an earlier one
 * after it. So a primary that shipped a part again and died would hide what storage had of the rest.
 *
 * <p>What a deposed primary shipped may be of another history. But of two logs that have an entry of the same index and epoch
 * all before is the same as well. So each object's last entry tells.
 */
final class ShippedIndexFinder {
    private final ObjectStore objects;
    private final ReplicaLog log;
    private final List<BackupPaths.Run> chain;
    private final Completion<Long> completion;
    private long shipped;

    private ShippedIndexFinder(
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
     * Tells the last index up to which nothing need be shipped; an error where storage cannot be listed.
     *
     * @param shipped the last index of which that is known
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
            new ShippedIndexFinder(env.objects(), log, chain, shipped, completion).next(0);
        }));
    }

    private void next(int at) {
        if (at == chain.size() || chain.get(at).last() > log.durableIndex()) {
            completion.done(Outcome.ok(shipped));
            return;
        }
        BackupPaths.Run run = chain.get(at);
        objects.get(run.key(), got -> {
            if (got instanceof Outcome.Ok<Bytes> ok && same(run, ok.value())) {
                shipped = run.last();
                next(at + 1);
            } else { // what cannot be read now is shipped once more
                completion.done(Outcome.ok(shipped));
            }
        });
    }

    private boolean same(BackupPaths.Run run, Bytes data) {
        int at = (int) (run.last() - run.first());
        return ReplicaLog.decode(data, run.first()) instanceof Outcome.Ok<List<LogEntry>> ok
                && ok.value().size() > at
                && ok.value().get(at).epoch() == log.epochAt(run.last());
    }
}
