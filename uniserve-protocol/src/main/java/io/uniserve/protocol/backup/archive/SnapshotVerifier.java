package io.uniserve.protocol.backup.archive;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.restore.CheckpointDownload;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Verification of an actor's part of a named backup. It reads every object, and checks lengths, hashes and checksums. With a target it also
 * copies the objects as that actor's continuous backup, for a takeover. At most one object is in memory.
 */
public final class SnapshotVerifier {
    private final Environment env;
    private final @Nullable String cluster;
    private final @Nullable ReplicaKey target;
    private final Completion<BackupRecord> completion;
    private final ArrayDeque<CheckpointManifest.Chunk> chunks = new ArrayDeque<>();
    private final TreeSet<String> seen = new TreeSet<>();
    private String generation = "";
    private String checkpoint = "";

    private SnapshotVerifier(
            Environment env,
            @Nullable String cluster,
            @Nullable ReplicaKey target,
            Completion<BackupRecord> completion) {
        this.env = env;
        this.cluster = cluster;
        this.target = target;
        this.completion = completion;
    }

    /** Verifies the part; CORRUPT with the name of a damaged object, IO with the name of an absent one. */
    public static void verify(Environment env, SnapshotPin pin, Completion<BackupRecord> completion) {
        new SnapshotVerifier(env, null, null, completion).run(pin);
    }

    /** Verifies and copies the part. The result is the new actor's backup record. */
    public static void copy(
            Environment env, SnapshotPin pin, String cluster, ReplicaKey target, Completion<BackupRecord> completion) {
        new SnapshotVerifier(env, cluster, target, completion).run(pin);
    }

    private void run(SnapshotPin pin) {
        pin.fetch(env.objects(), completion.then(part -> {
            generation = BackupPaths.generation(part.epoch(), env.ids().next());
            if (part.checkpoint().isEmpty()) {
                log(part, 0);
                return;
            }
            CheckpointDownload.manifest(
                    env, part.checkpointPrefix(), part.key(), part.checkpoint(), manifest -> begin(part, manifest));
        }));
    }

    private void begin(ActorSnapshot part, Outcome<CheckpointManifest> found) {
        if (!(found instanceof Outcome.Ok<CheckpointManifest> ok)) {
            completion.done(Outcome.err(found.error()));
            return;
        }
        CheckpointManifest manifest = ok.value();
        if (manifest.index() != part.checkpointIndex()) {
            fail(part.checkpoint() + " has index " + manifest.index() + ", not " + part.checkpointIndex());
            return;
        }
        for (CheckpointManifest.FileEntry file : manifest.files()) {
            for (CheckpointManifest.Chunk chunk : file.chunks()) {
                if (seen.add(chunk.sha256())) {
                    chunks.add(chunk);
                }
            }
        }
        chunk(part, manifest);
    }

    private void chunk(ActorSnapshot part, CheckpointManifest manifest) {
        CheckpointManifest.Chunk chunk = chunks.poll();
        if (chunk == null) {
            manifest(part, manifest);
            return;
        }
        String name = BackupPaths.chunk(part.checkpointPrefix(), chunk.generation(), chunk.sha256());
        env.objects().get(name, got -> {
            if (!(got instanceof Outcome.Ok<Bytes> ok)) {
                completion.done(Outcome.err(got.error()));
            } else if (ok.value().size() != chunk.size()
                    || !Sha256.hex(ok.value()).equals(chunk.sha256())) {
                fail("object " + name + " does not match the SHA-256 in its name");
            } else {
                store(
                        prefix -> BackupPaths.chunk(prefix, generation, chunk.sha256()),
                        ok.value(),
                        () -> chunk(part, manifest));
            }
        });
    }

    private interface Name {
        String under(String checkpointPrefix);
    }

    private void store(Name name, Bytes data, Runnable then) {
        if (cluster == null || target == null) {
            then.run();
        } else {
            put(name.under(BackupPaths.checkpointPrefix(cluster, target)), data, then);
        }
    }

    private void put(String name, Bytes data, Runnable then) {
        env.objects().put(name, data, put -> {
            if (put instanceof Outcome.Err<Done> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                then.run();
            }
        });
    }

    private void manifest(ActorSnapshot part, CheckpointManifest old) {
        if (target == null) {
            log(part, 0);
            return;
        }
        List<CheckpointManifest.FileEntry> files = new ArrayList<>();
        for (CheckpointManifest.FileEntry file : old.files()) {
            List<CheckpointManifest.Chunk> own = file.chunks().stream()
                    .map(chunk -> new CheckpointManifest.Chunk(generation, chunk.sha256(), chunk.size()))
                    .toList();
            files.add(new CheckpointManifest.FileEntry(file.path(), file.size(), own));
        }
        Bytes data = new CheckpointManifest(target, old.index(), old.epoch(), files).encode();
        store(
                prefix -> {
                    checkpoint = BackupPaths.manifest(prefix, generation, Sha256.hex(data));
                    return checkpoint;
                },
                data,
                () -> log(part, 0));
    }

    private void log(ActorSnapshot part, int at) {
        if (at == part.log().size()) {
            ReplicaKey made = target == null ? part.key() : target;
            completion.done(Outcome.ok(
                    new BackupRecord(made, true, part.epoch(), part.index(), checkpoint, part.checkpointIndex())));
            return;
        }
        ActorSnapshot.Piece piece = part.log().get(at);
        String name = part.logKey(piece);
        env.objects().get(name, completion.then(got -> {
            int count = (int) (piece.until() - piece.first() + 1);
            Outcome<List<LogEntry>> decoded = ReplicaLog.decode(got, piece.first());
            if (!(decoded instanceof Outcome.Ok<List<LogEntry>> entries)
                    || entries.value().size() < count) {
                fail("object " + name + " has bad entries");
            } else if (cluster == null || target == null) {
                log(part, at + 1);
            } else {
                Bytes data = ReplicaLog.encode(entries.value().subList(0, count));
                String copy = BackupPaths.log(cluster, target, piece.first(), piece.until(), piece.epoch());
                put(copy, data, () -> log(part, at + 1));
            }
        }));
    }

    private void fail(String why) {
        completion.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, why)));
    }
}
