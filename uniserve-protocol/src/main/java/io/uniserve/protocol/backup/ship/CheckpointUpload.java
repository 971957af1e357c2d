package io.uniserve.protocol.backup.ship;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One upload of a checkpoint to durable storage. It sends chunks that the store lacks, verifies the local files, sends the manifest, and
 * finally checks that all objects exist. At most one chunk is in memory.
 */
final class CheckpointUpload {
    private final Environment env;
    private final String prefix;
    private final ReplicaKey key;
    private final String directory;
    private final CheckpointStore checkpoints;
    private final CheckpointStore.Hold hold;
    private final String generation;
    private final Map<String, String> storedChunks;
    private final Completion<Uploaded> completion;
    private final ArrayDeque<FileToUpload> directories = new ArrayDeque<>();
    private final ArrayDeque<FileToUpload> files = new ArrayDeque<>();
    private final List<CheckpointManifest.FileEntry> entries = new ArrayList<>();
    private List<CheckpointManifest.Chunk> chunks = new ArrayList<>();
    private int chunkCount;
    private long sent;
    private boolean cancelled;

    private record FileToUpload(String path, long size, int depth) {}

    /** A checkpoint with all objects in durable storage. {@code manifestKey} names its manifest, and {@code sent} bytes were new. */
    record Uploaded(String manifestKey, CheckpointManifest manifest, long sent) {}

    /**
     * @param hold the checkpoint, held until the completion runs
     * @param generation generation of new chunks
     * @param present generations of stored chunks by hash; new ones are added
     */
    CheckpointUpload(
            Environment env,
            String prefix,
            ReplicaKey key,
            CheckpointStore checkpoints,
            CheckpointStore.Hold hold,
            String generation,
            Map<String, String> present,
            Completion<Uploaded> completion) {
        this.env = env;
        this.prefix = prefix;
        this.key = key;
        this.checkpoints = checkpoints;
        this.directory = checkpoints.path(hold.name);
        this.hold = hold;
        this.generation = generation;
        this.storedChunks = present;
        this.completion = completion;
    }

    void run() {
        directories.add(new FileToUpload("", 0, 0));
        listFiles();
    }

    /** Stops the upload; the completion will not run. */
    void cancel() {
        cancelled = true;
    }

    private void listFiles() {
        FileToUpload next = directories.poll();
        if (next == null) {
            sendFile();
            return;
        }
        env.disk().list(next.path().isEmpty() ? directory : directory + "/" + next.path(), listed -> {
            if (listed instanceof Outcome.Ok<List<Disk.Entry>> ok) {
                for (Disk.Entry entry : ok.value()) {
                    boolean folder = entry.name().endsWith("/");
                    String name =
                            folder ? entry.name().substring(0, entry.name().length() - 1) : entry.name();
                    FileToUpload place = new FileToUpload(
                            next.path().isEmpty() ? name : next.path() + "/" + name, entry.size(), next.depth() + 1);
                    (folder ? directories : files).add(place);
                    if (!CheckpointManifest.isPath(place.path())
                            || files.size() > Limits.BACKUP_FILES_MAX
                            || directories.size() > Limits.BACKUP_FILES_MAX) {
                        fail(ErrorCode.TOO_LARGE, "it has " + files.size() + " files, a deep path or a bad name");
                        return;
                    }
                }
                listFiles();
            } else {
                complete(Outcome.err(listed.error()));
            }
        });
    }

    private void sendFile() {
        FileToUpload file = files.poll();
        if (file == null) {
            check();
        } else {
            chunks = new ArrayList<>();
            sendChunk(file, 0);
        }
    }

    private void sendChunk(FileToUpload file, long offset) {
        if (offset == file.size()) {
            entries.add(new CheckpointManifest.FileEntry(file.path(), file.size(), chunks));
            sendFile();
            return;
        }
        if (++chunkCount > Limits.BACKUP_CHUNKS_MAX) {
            fail(ErrorCode.TOO_LARGE, "it has more than " + Limits.BACKUP_CHUNKS_MAX + " chunks");
            return;
        }
        int size = (int) Math.min(Limits.BACKUP_CHUNK_BYTES, file.size() - offset);
        env.disk().readHashed(directory + "/" + file.path(), offset, size, read -> {
            if (read instanceof Outcome.Err<Disk.Hashed> err) {
                complete(Outcome.err(err.error()));
                return;
            }
            if (hold.isLost() || cancelled) {
                fail(ErrorCode.UNAVAILABLE, "it was replaced meanwhile");
                return;
            }
            Disk.Hashed piece = read.value();
            String there = storedChunks.get(piece.sha256());
            chunks.add(new CheckpointManifest.Chunk(there == null ? generation : there, piece.sha256(), size));
            if (there != null) {
                sendChunk(file, offset + size);
                return;
            }
            put(BackupPaths.chunk(prefix, generation, piece.sha256()), piece.data(), () -> {
                storedChunks.put(piece.sha256(), generation);
                sendChunk(file, offset + size);
            });
        });
    }

    private void put(String name, Bytes data, Runnable then) {
        env.objects().put(name, data, done -> {
            if (done instanceof Outcome.Err<Done> err) {
                complete(Outcome.err(err.error()));
            } else {
                sent += data.size();
                then.run();
            }
        });
    }

    /** Verifies the local files. It runs after they were read, so a bit that flipped on disk before or during the read is detected. */
    private void check() {
        checkpoints.manifest(hold.name, table -> {
            if (table instanceof Outcome.Ok<Optional<RequestOutcomeTable>> ok
                    && ok.value().isPresent()) {
                env.engine().verify(checkpoints.dataPath(hold.name), checked -> {
                    if (checked instanceof Outcome.Err<Done> err) {
                        complete(Outcome.err(err.error()));
                    } else {
                        sendManifest();
                    }
                });
            } else if (table instanceof Outcome.Err<Optional<RequestOutcomeTable>> err) {
                complete(Outcome.err(err.error()));
            } else {
                fail(ErrorCode.UNAVAILABLE, "it was deleted meanwhile");
            }
        });
    }

    private void sendManifest() {
        CheckpointManifest manifest = new CheckpointManifest(key, hold.name.index(), hold.name.epoch(), entries);
        Bytes encoded = manifest.encode();
        if (hold.isLost() || encoded.size() > Limits.BACKUP_MANIFEST_BYTES_MAX) {
            fail(ErrorCode.TOO_LARGE, "its manifest has " + encoded.size() + " bytes, or it was replaced meanwhile");
            return;
        }
        String name = BackupPaths.manifest(prefix, generation, Sha256.hex(encoded));
        put(name, encoded, () -> verify(new Uploaded(name, manifest, sent)));
    }

    private void verify(Uploaded uploaded) {
        env.objects().list(prefix, listed -> {
            if (listed instanceof Outcome.Err<List<String>> err) {
                complete(Outcome.err(err.error()));
                return;
            }
            TreeSet<String> missing = uploaded.manifest().keys(prefix);
            missing.add(uploaded.manifestKey());
            listed.value().forEach(missing::remove);
            if (!missing.isEmpty()) {
                storedChunks.clear();
                fail(ErrorCode.CORRUPT, missing.size() + " objects are missing, such as " + missing.first());
            } else {
                complete(Outcome.ok(uploaded));
            }
        });
    }

    private void fail(ErrorCode code, String why) {
        complete(Outcome.err(new UniserveException(code, "checkpoint " + directory + " cannot be backed up: " + why)));
    }

    private void complete(Outcome<Uploaded> outcome) {
        if (!cancelled) {
            cancelled = true;
            completion.done(outcome);
        }
    }
}
