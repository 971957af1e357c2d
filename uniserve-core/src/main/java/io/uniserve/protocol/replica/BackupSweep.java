package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Deletes what the actor's backup record no longer needs: runs of the log that its checkpoint covers, and objects of
 * checkpoints that its manifest does not name. Right at any time after the record was written by the primary of this
 * epoch: a later record names objects of the manifest it follows, or of generations that did not exist when this sweep looked, or
 * of a later epoch, which are spared.
 */
final class BackupSweep {
    private final ObjectStore objects;
    private final String root;
    private final String logPrefix;
    private final String checkpointPrefix;
    private final Consumer<Boolean> completion;
    private final ArrayDeque<String> doomed = new ArrayDeque<>();
    private boolean cancelled;

    /**
     * @param completion told whether everything is deleted
     */
    BackupSweep(ObjectStore objects, String clusterId, ReplicaKey key, Consumer<Boolean> completion) {
        this.objects = objects;
        this.root = BackupKeys.root(clusterId, key);
        this.logPrefix = BackupKeys.logPrefix(clusterId, key);
        this.checkpointPrefix = BackupKeys.checkpointPrefix(clusterId, key);
        this.completion = completion;
    }

    /** No further object is deleted. */
    void cancel() {
        cancelled = true;
    }

    /**
     * @param manifestKey the record's
     * @param epoch the epoch of the primary that sweeps
     */
    void run(BackupManifest manifest, String manifestKey, long epoch) {
        TreeSet<String> kept = manifest.keys(checkpointPrefix);
        kept.add(manifestKey);
        objects.list(root, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                end(false);
                return;
            }
            for (BackupKeys.Run run : BackupKeys.runs(ok.value(), logPrefix)) {
                if (run.last() <= manifest.index()) {
                    doomed.add(run.key());
                }
            }
            for (String name : ok.value()) {
                BackupKeys.Stored stored = BackupKeys.stored(name, checkpointPrefix);
                if (stored != null && stored.epoch() <= epoch && !kept.contains(name)) {
                    doomed.add(name);
                }
            }
            next();
        });
    }

    private void next() {
        String name = doomed.poll();
        if (name == null || cancelled) {
            end(!cancelled);
            return;
        }
        objects.delete(name, done -> {
            if (done instanceof Outcome.Ok<Done>) {
                next();
            } else {
                end(false);
            }
        });
    }

    private void end(boolean whole) {
        completion.accept(whole);
    }
}
