package io.uniserve.protocol.backup.restore;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import io.uniserve.protocol.replica.state.VersionState;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.ArrayDeque;

/**
 * Download of a checkpoint from durable storage to an empty directory. Each object's length and hash are checked on disk before use. The
 * file that completes the checkpoint is written last. At most one chunk is in memory.
 */
public final class CheckpointDownload {
    /** The file that completes a checkpoint, see {@link CheckpointStore}. */
    private static final String MANIFEST_FILE = "manifest";

    private final Environment env;
    private final String prefix;
    private final ReplicaKey key;
    private final Completion<CheckpointManifest> completion;
    private final ArrayDeque<CheckpointManifest.FileEntry> files = new ArrayDeque<>();

    CheckpointDownload(Environment env, String prefix, ReplicaKey key, Completion<CheckpointManifest> completion) {
        this.env = env;
        this.prefix = prefix;
        this.key = key;
        this.completion = completion;
    }

    /** Versions recorded in a checkpoint; CORRUPT if its objects fail their checks. */
    static void versions(
            Environment env, String prefix, CheckpointManifest manifest, Completion<VersionState> completion) {
        ArrayDeque<CheckpointManifest.Chunk> chunks = new ArrayDeque<>();
        manifest.files().stream()
                .filter(file -> file.path().equals(MANIFEST_FILE))
                .forEach(file -> chunks.addAll(file.chunks()));
        versions(env, prefix, manifest, chunks, new BinaryWriter(), completion);
    }

    private static void versions(
            Environment env,
            String prefix,
            CheckpointManifest manifest,
            ArrayDeque<CheckpointManifest.Chunk> chunks,
            BinaryWriter read,
            Completion<VersionState> completion) {
        CheckpointManifest.Chunk chunk = chunks.poll();
        if (chunk == null) {
            CheckpointStore.Name name = new CheckpointStore.Name(manifest.index(), manifest.epoch());
            completion.done(CheckpointStore.parse(read.toBytes(), name)
                    .map(table -> table.map(RequestOutcomeTable::versions).orElseGet(VersionState::new)));
            return;
        }
        String object = BackupPaths.chunk(prefix, chunk.generation(), chunk.sha256());
        env.objects().get(object, got -> {
            if (got instanceof Outcome.Err<Bytes> err) {
                completion.done(Outcome.err(err.error()));
            } else if (!Sha256.hex(got.value()).equals(chunk.sha256())) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "object " + object + " does not match the SHA-256 in its name")));
            } else {
                read.writeRaw(got.value());
                versions(env, prefix, manifest, chunks, read, completion);
            }
        });
    }

    /** Reads and checks a manifest; CORRUPT if it does not match its name, IO if it is absent. */
    public static void manifest(
            Environment env, String prefix, ReplicaKey key, String name, Completion<CheckpointManifest> completion) {
        BackupPaths.Stored stored = BackupPaths.stored(name, prefix);
        if (stored == null || !stored.manifest()) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.CORRUPT, "the backup record names no manifest of this actor")));
            return;
        }
        env.objects().get(name, completion.then(got -> {
            CheckpointManifest manifest;
            try {
                manifest = CheckpointManifest.decode(got, stored.sha256(), key);
            } catch (UniserveException e) {
                completion.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, name + ": " + e.reason(), e)));
                return;
            }
            completion.done(Outcome.ok(manifest));
        }));
    }

    /** Downloads the checkpoint of this manifest to its directory in the replica, which must not exist yet. */
    void run(String name, long index) {
        manifest(env, prefix, key, name, completion.then(manifest -> {
            boolean whole =
                    manifest.files().stream().anyMatch(file -> file.path().equals(MANIFEST_FILE));
            if (manifest.index() != index || !whole) {
                fail(name + ": its index is " + manifest.index() + ", and the record's is " + index
                        + ", or it has no file \"" + MANIFEST_FILE + "\"");
                return;
            }
            manifest.files().stream()
                    .filter(file -> !file.path().equals(MANIFEST_FILE))
                    .forEach(files::add);
            manifest.files().stream()
                    .filter(file -> file.path().equals(MANIFEST_FILE))
                    .forEach(files::add);
            next(manifest);
        }));
    }

    private void next(CheckpointManifest manifest) {
        CheckpointManifest.FileEntry file = files.poll();
        if (file == null) {
            completion.done(Outcome.ok(manifest));
            return;
        }
        String path = new CheckpointStore(env.disk(), key.toString(), () -> 0)
                        .path(new CheckpointStore.Name(manifest.index(), manifest.epoch()))
                + "/" + file.path();
        if (file.chunks().isEmpty()) {
            env.disk().replace(path, Bytes.EMPTY, done -> step(done, () -> next(manifest)));
        } else {
            fetch(file, path, 0, 0, () -> next(manifest));
        }
    }

    private void fetch(CheckpointManifest.FileEntry file, String path, int at, long offset, Runnable then) {
        if (at == file.chunks().size()) {
            env.disk().sync(path, done -> step(done, then));
            return;
        }
        CheckpointManifest.Chunk chunk = file.chunks().get(at);
        String name = BackupPaths.chunk(prefix, chunk.generation(), chunk.sha256());
        env.objects().get(name, completion.then(data -> {
            if (data.size() != chunk.size()) {
                fail("backup object " + name + " has " + data.size() + " bytes, not " + chunk.size());
                return;
            }
            Runnable check =
                    () -> check(path, offset, chunk, () -> fetch(file, path, at + 1, offset + chunk.size(), then));
            // the first chunk creates file and directory durably; the others need one sync of the file
            Completion<Done> written = done -> step(done, check);
            if (at == 0) {
                env.disk().replace(path, data, written);
            } else {
                env.disk().append(path, data, written);
            }
        }));
    }

    private void check(String path, long offset, CheckpointManifest.Chunk chunk, Runnable then) {
        env.disk().readHashed(path, offset, chunk.size(), read -> {
            if (read instanceof Outcome.Err<Disk.Hashed> err) {
                completion.done(Outcome.err(err.error()));
            } else if (!read.value().sha256().equals(chunk.sha256())) {
                fail("backup object " + chunk.generation() + "/" + chunk.sha256()
                        + " does not match the SHA-256 in its name");
            } else {
                then.run();
            }
        });
    }

    private void step(Outcome<Done> done, Runnable then) {
        if (done instanceof Outcome.Err<Done> err) {
            completion.done(Outcome.err(err.error()));
        } else {
            then.run();
        }
    }

    private void fail(String why) {
        completion.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, why)));
    }
}
