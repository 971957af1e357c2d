package io.uniserve.protocol.backup.ship;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletion of objects that the actor's backup record no longer needs: log runs that its checkpoint covers, and checkpoint objects that its
 * manifest does not name. Pinned objects stay.
 *
 * <p>It is correct at any time after the primary of this epoch has written the record. A later record names objects of the same manifest,
 * of generations that are newer than this listing, or of a later epoch. None of these is deleted.
 */
final class BackupCleaner {
    /** Time after which each listing of the store has an object. Pins that protect objects from deletion are at least this old. */
    static final long LISTING_NANOS = 10_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(BackupCleaner.class);

    private final Environment env;
    private final String clusterId;
    private final ReplicaKey key;
    private final String root;
    private final String logPrefix;
    private final String checkpointPrefix;
    private final Consumer<Boolean> completion;
    private final ArrayDeque<String> toDelete = new ArrayDeque<>();
    private boolean cancelled;

    /** @param completion called with true if everything is deleted */
    BackupCleaner(Environment env, String clusterId, ReplicaKey key, Consumer<Boolean> completion) {
        this.env = env;
        this.clusterId = clusterId;
        this.key = key;
        this.root = BackupPaths.root(clusterId, key);
        this.logPrefix = BackupPaths.logPrefix(clusterId, key);
        this.checkpointPrefix = BackupPaths.checkpointPrefix(clusterId, key);
        this.completion = completion;
    }

    /** Stops before the next object. */
    void cancel() {
        cancelled = true;
    }

    /**
     * @param manifestKey key of the manifest in the record
     * @param epoch the epoch of the primary that deletes
     */
    void run(CheckpointManifest manifest, String manifestKey, long epoch) {
        TreeSet<String> kept = manifest.keys(checkpointPrefix);
        kept.add(manifestKey);
        env.objects().list(root, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                complete(false);
                return;
            }
            PinnedObjectFinder.find(env, clusterId, key, ok.value(), pinned -> {
                if (pinned instanceof Outcome.Ok<TreeSet<String>> pins) {
                    kept.addAll(pins.value());
                    choose(ok.value(), kept, manifest.index(), epoch);
                } else {
                    LOG.warn(
                            "{}: no old backup objects are deleted, as a pin cannot be read: {}",
                            key,
                            pinned.error().getMessage());
                    complete(false);
                }
            });
        });
    }

    private void choose(List<String> names, TreeSet<String> kept, long covered, long epoch) {
        for (BackupPaths.Run run : BackupPaths.runs(names, logPrefix)) {
            if (run.last() <= covered && !kept.contains(run.key())) {
                toDelete.add(run.key());
            }
        }
        for (String name : names) {
            BackupPaths.Stored stored = BackupPaths.stored(name, checkpointPrefix);
            if (stored != null && stored.epoch() <= epoch && !kept.contains(name)) {
                toDelete.add(name);
            }
        }
        next();
    }

    private void next() {
        String name = toDelete.poll();
        if (name == null || cancelled) {
            complete(!cancelled);
            return;
        }
        env.objects().delete(name, done -> {
            if (done instanceof Outcome.Ok<Done>) {
                next();
            } else {
                complete(false);
            }
        });
    }

    private void complete(boolean whole) {
        completion.accept(whole);
    }
}
