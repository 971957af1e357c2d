package io.uniserve.protocol.backup.restore;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.format.ShippedVersions;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.replica.state.VersionState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finder of the newest state of an actor whose backup record is lost with ZooKeeper: the newest checkpoint that belongs to the log, and the
 * log after it. A later primary's log has another epoch at the index of a deposed primary's checkpoint, which excludes that checkpoint. No
 * process may write the actor's objects meanwhile.
 *
 * <p>Storage may have nothing of an actor of an atomic table, if it was lost before it shipped anything. Its part is then empty. The
 * coordinator checks whether that is possible, as it knows the other actors and the backup records. A failed listing and a log with gaps
 * are errors.
 */
public final class BackupRecovery {
    private final Environment env;
    private final String cluster;
    private final ReplicaKey key;
    private final Completion<PeerReply> completion;
    private final Handlers ends;
    private final List<CheckpointManifest> manifests = new ArrayList<>();
    private final List<String> manifestKeys = new ArrayList<>();
    private List<String> listed = List.of();
    private @Nullable UniserveException damage;

    /** Use of the found state. */
    private interface FoundHandler {
        void run(
                BackupRecovery found,
                @Nullable CheckpointManifest manifest,
                ActorSnapshot part,
                List<BackupPaths.Run> chain);
    }

    /** @param nothing called if storage has nothing of the actor */
    private record Handlers(FoundHandler then, Consumer<BackupRecovery> nothing) {}

    private BackupRecovery(
            Environment env, String cluster, ReplicaKey key, Completion<PeerReply> completion, Handlers ends) {
        this.env = env;
        this.cluster = cluster;
        this.key = key;
        this.completion = completion;
        this.ends = ends;
    }

    /**
     * Stores a pin of the state for the backup of this id; CORRUPT if the objects are inconsistent, or if an actor of an eventual table has
     * none.
     *
     * @param before for atomic tables: exclude this version and later ones; 0 for everything
     */
    public static void pin(
            Environment env,
            String cluster,
            ReplicaKey key,
            String backup,
            long before,
            Completion<PeerReply> completion) {
        FoundHandler then = (found, manifest, part, chain) -> {
            if (before == 0) {
                found.store(part, backup);
            } else {
                found.readShippedVersions(
                        part,
                        chain,
                        trail -> found.store(found.limitedTo(part, chain, trail.endBefore(before)), backup));
            }
        };
        Consumer<BackupRecovery> nothing = found -> {
            if (before == 0) {
                completion.done(
                        Outcome.err(new UniserveException(ErrorCode.CORRUPT, "durable storage has nothing of " + key)));
            } else {
                found.store(new ActorSnapshot(cluster, key, 0, 1, "", 0, 0, List.of()), backup);
            }
        };
        new BackupRecovery(env, cluster, key, completion, new Handlers(then, nothing)).list();
    }

    /** Reports the shipped versions, see {@link ShippedVersions}. */
    public static void reportShippedVersions(
            Environment env, String cluster, ReplicaKey key, Completion<PeerReply> completion) {
        FoundHandler then = (found, manifest, part, chain) -> found.readShippedVersions(
                part,
                chain,
                trail -> found.readCheckpointVersions(
                        manifest, versionState -> found.complete(trail.shippedVersions(versionState))));
        new BackupRecovery(
                        env,
                        cluster,
                        key,
                        completion,
                        new Handlers(then, found -> found.complete(ShippedVersions.NOTHING)))
                .list();
    }

    private void list() {
        env.objects().list(BackupPaths.root(cluster, key), completion.then(found -> {
            listed = found;
            if (isNothing()) {
                ends.nothing().accept(this);
                return;
            }
            ArrayDeque<String> names = new ArrayDeque<>();
            String prefix = BackupPaths.checkpointPrefix(cluster, key);
            for (String name : listed) {
                BackupPaths.Stored stored = BackupPaths.stored(name, prefix);
                if (stored != null && stored.manifest()) {
                    names.add(name);
                }
            }
            read(names, prefix);
        }));
    }

    /** True without any object of a log or checkpoint. */
    private boolean isNothing() {
        String log = BackupPaths.logPrefix(cluster, key);
        String checkpoints = BackupPaths.checkpointPrefix(cluster, key);
        return listed.stream().noneMatch(name -> name.startsWith(log) || name.startsWith(checkpoints));
    }

    private void read(ArrayDeque<String> names, String prefix) {
        String name = names.poll();
        if (name == null) {
            choose();
            return;
        }
        CheckpointDownload.manifest(env, prefix, key, name, found -> {
            if (found instanceof Outcome.Ok<CheckpointManifest> ok) {
                if (listed.containsAll(ok.value().keys(prefix))) { // else it was being uploaded or deleted
                    manifests.add(ok.value());
                    manifestKeys.add(name);
                }
            } else {
                damage = found.error();
            }
            read(names, prefix);
        });
    }

    private void choose() {
        int best = -1;
        for (int i = 0; i < manifests.size(); i++) {
            if (best < 0 || manifests.get(i).index() > manifests.get(best).index()) {
                best = i;
            }
        }
        if (best < 0) {
            buildPart(null, "");
            return;
        }
        CheckpointManifest candidate = manifests.remove(best);
        String name = manifestKeys.remove(best);
        latestRun(candidate.index(), run -> {
            if (run == null) {
                buildPart(candidate, name);
            } else {
                compare(candidate, name, run);
            }
        });
    }

    private interface RunConsumer {
        void run(BackupPaths.@Nullable Run run);
    }

    /** The latest primary's run that has the index, or null. */
    private void latestRun(long index, RunConsumer then) {
        then.run(BackupPaths.runs(listed, BackupPaths.logPrefix(cluster, key)).stream()
                .filter(run -> run.first() <= index && run.last() >= index)
                .max(Comparator.comparingLong(BackupPaths.Run::epoch))
                .orElse(null));
    }

    private void compare(CheckpointManifest candidate, String name, BackupPaths.Run run) {
        env.objects().get(run.key(), got -> {
            if (got instanceof Outcome.Ok<Bytes> ok
                    && ReplicaLog.decode(ok.value(), run.first()) instanceof Outcome.Ok<List<LogEntry>> entries
                    && entries.value().size() > candidate.index() - run.first()) {
                LogEntry there = entries.value().get((int) (candidate.index() - run.first()));
                if (there.epoch() == candidate.epoch()) {
                    buildPart(candidate, name);
                } else {
                    choose();
                }
            } else {
                completion.done(Outcome.err(
                        got instanceof Outcome.Err<Bytes> err
                                ? err.error()
                                : new UniserveException(
                                        ErrorCode.CORRUPT, "object " + run.key() + " has bad entries")));
            }
        });
    }

    private void buildPart(@Nullable CheckpointManifest manifest, String name) {
        String prefix = BackupPaths.logPrefix(cluster, key);
        long after = manifest == null ? 0 : manifest.index();
        List<BackupPaths.Run> chain = BackupPaths.chain(listed, prefix, after, manifest == null ? 0 : manifest.epoch());
        long index = chain.isEmpty() ? after : chain.get(chain.size() - 1).last();
        List<BackupPaths.Run> runs = BackupPaths.runs(listed, prefix);
        long newest = chain.isEmpty()
                ? manifest == null ? 0 : manifest.epoch()
                : chain.get(chain.size() - 1).epoch();
        // a deposed primary may have shipped more, late
        boolean gap = runs.stream().anyMatch(run -> run.last() > index && run.epoch() >= newest);
        if (index == 0) {
            completion.done(Outcome.err(
                    damage != null
                            ? damage
                            : new UniserveException(
                                    ErrorCode.CORRUPT, "durable storage lacks the start of the log of " + key)));
        } else if (gap || manifest == null && damage != null) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.CORRUPT,
                    key + ": its log in durable storage ends at " + index + ", and continues after a gap"
                            + (damage == null ? "" : ": " + damage.reason()))));
        } else {
            long epoch = 1;
            for (BackupPaths.Run run : runs) {
                epoch = Math.max(epoch, run.epoch());
            }
            String checkpoints = BackupPaths.checkpointPrefix(cluster, key);
            for (String object : listed) {
                BackupPaths.Stored stored = BackupPaths.stored(object, checkpoints);
                epoch = stored == null ? epoch : Math.max(epoch, stored.epoch());
            }
            ActorSnapshot part = new ActorSnapshot(
                    cluster,
                    key,
                    index,
                    epoch,
                    name,
                    after,
                    manifest == null ? 0 : manifest.bytes(),
                    ActorSnapshot.pieces(chain, after, index));
            ends.then().run(this, manifest, part, chain);
        }
    }

    private void readShippedVersions(
            ActorSnapshot part, List<BackupPaths.Run> chain, Consumer<ShippedVersionReader> reader) {
        ShippedVersionReader.read(env.objects(), chain, part.checkpointIndex(), completion.then(reader));
    }

    private ActorSnapshot limitedTo(ActorSnapshot part, List<BackupPaths.Run> chain, long index) {
        return new ActorSnapshot(
                cluster,
                key,
                index,
                part.epoch(),
                part.checkpoint(),
                part.checkpointIndex(),
                part.bytes(),
                ActorSnapshot.pieces(chain, part.checkpointIndex(), index));
    }

    private void readCheckpointVersions(@Nullable CheckpointManifest manifest, Consumer<VersionState> told) {
        if (manifest == null) {
            told.accept(new VersionState());
            return;
        }
        CheckpointDownload.versions(env, BackupPaths.checkpointPrefix(cluster, key), manifest, completion.then(told));
    }

    private void complete(ShippedVersions trail) {
        Outcome<PeerReply> reply;
        try {
            reply = Outcome.ok(new PeerReply.Manifests(List.of(trail.encode())));
        } catch (UniserveException e) {
            reply = Outcome.err(e);
        }
        completion.done(reply);
    }

    private void store(ActorSnapshot part, String backup) {
        Bytes data = part.encode();
        SnapshotPin pin = new SnapshotPin(cluster, key, backup, Sha256.hex(data));
        env.objects()
                .separate(
                        part.keys(),
                        completion.then(separated -> env.objects()
                                .put(
                                        pin.path(),
                                        data,
                                        completion.then(stored -> completion.done(Outcome.ok(
                                                new PeerReply.Pinned(pin.sha256(), part.index(), part.bytes())))))));
    }
}
