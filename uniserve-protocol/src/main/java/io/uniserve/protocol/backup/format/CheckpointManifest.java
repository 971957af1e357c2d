package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Manifest of a checkpoint in durable storage: its files, split into chunks. Each chunk is an object named by the SHA-256 of its bytes, in
 * the generation that uploaded it.
 *
 * @param index log index that the checkpoint covers
 * @param epoch epoch of the entry at that index
 */
public record CheckpointManifest(ReplicaKey key, long index, long epoch, List<FileEntry> files) {
    private static final int FORMAT = 1;
    private static final String PATH =
            "[a-z0-9][a-z0-9.-]{0,99}(/[a-z0-9][a-z0-9.-]{0,99}){0," + (Limits.BACKUP_FILE_DEPTH_MAX - 1) + "}";

    public CheckpointManifest {
        files = List.copyOf(files);
    }

    /** A file, with its path in the checkpoint's directory. */
    public record FileEntry(String path, long size, List<Chunk> chunks) {
        public FileEntry {
            chunks = List.copyOf(chunks);
        }
    }

    /** A part of a file. */
    public record Chunk(String generation, String sha256, int size) {}

    /** True for a valid path of a file in a manifest. */
    public static boolean isPath(String path) {
        return path.matches(PATH);
    }

    public long bytes() {
        return files.stream().mapToLong(FileEntry::size).sum();
    }

    /** Generation of each chunk by its hash. */
    public Map<String, String> generations() {
        Map<String, String> generations = new LinkedHashMap<>();
        files.forEach(file -> file.chunks().forEach(chunk -> generations.put(chunk.sha256(), chunk.generation())));
        return generations;
    }

    /** Keys of all chunks. */
    public TreeSet<String> keys(String checkpointPrefix) {
        TreeSet<String> keys = new TreeSet<>();
        files.forEach(file -> file.chunks()
                .forEach(chunk -> keys.add(BackupPaths.chunk(checkpointPrefix, chunk.generation(), chunk.sha256()))));
        return keys;
    }

    public Bytes encode() {
        List<String> generations = files.stream()
                .flatMap(file -> file.chunks().stream())
                .map(Chunk::generation)
                .distinct()
                .sorted()
                .toList();
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT).writeLong(key.tableId()).writeInt(key.actor());
        out.writeLong(index).writeLong(epoch).writeInt(generations.size());
        generations.forEach(out::writeString);
        out.writeInt(files.size());
        for (FileEntry file : files) {
            out.writeString(file.path())
                    .writeLong(file.size())
                    .writeInt(file.chunks().size());
            for (Chunk chunk : file.chunks()) {
                out.writeInt(generations.indexOf(chunk.generation()));
                out.writeString(chunk.sha256()).writeInt(chunk.size());
            }
        }
        return out.toBytes();
    }

    /** Decodes a manifest, and checks every name, number and hash; CORRUPT if the object does not match this hash. */
    public static CheckpointManifest decode(Bytes bytes, String sha256, ReplicaKey key) {
        if (bytes.size() > Limits.BACKUP_MANIFEST_BYTES_MAX
                || !Sha256.hex(bytes).equals(sha256)) {
            throw corrupt("its bytes do not match the SHA-256 in its name");
        }
        BinaryReader in = new BinaryReader(bytes);
        int format = in.readInt();
        if (format != FORMAT) {
            throw corrupt("it has format " + format + ", this version reads " + FORMAT);
        }
        ReplicaKey found = new ReplicaKey(in.readLong(), in.readInt());
        long index = in.readLong();
        long epoch = in.readLong();
        if (!found.equals(key) || index < 1 || epoch < 1) {
            throw corrupt("it belongs to " + found + " at index " + index + ", epoch " + epoch);
        }
        List<String> generations = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            String generation = in.readString();
            if (!BackupPaths.isGeneration(generation)) {
                throw corrupt("invalid generation \"" + generation.replaceAll("[^a-z0-9-]", "?") + "\"");
            }
            generations.add(generation);
        }
        CheckpointManifest manifest = new CheckpointManifest(key, index, epoch, files(in, generations));
        in.expectEnd();
        return manifest;
    }

    private static List<FileEntry> files(BinaryReader in, List<String> generations) {
        List<FileEntry> files = new ArrayList<>();
        TreeSet<String> paths = new TreeSet<>();
        int chunks = 0;
        for (int left = in.readCount(16); left > 0; left--) {
            String path = in.readString();
            long size = in.readLong();
            List<Chunk> parts = new ArrayList<>();
            long sum = 0;
            for (int more = in.readCount(12); more > 0; more--) {
                Chunk chunk = chunk(in, generations);
                parts.add(chunk);
                sum += chunk.size();
            }
            chunks += parts.size();
            if (!isPath(path) || !paths.add(path) || sum != size) {
                throw corrupt("invalid file \"" + path.replaceAll("[^a-z0-9./-]", "?") + "\" of " + size + " bytes");
            }
            files.add(new FileEntry(path, size, parts));
        }
        if (files.size() > Limits.BACKUP_FILES_MAX || chunks > Limits.BACKUP_CHUNKS_MAX) {
            throw corrupt("it has " + files.size() + " files of " + chunks + " chunks, beyond the limits");
        }
        return files;
    }

    private static Chunk chunk(BinaryReader in, List<String> generations) {
        int generation = in.readInt();
        String sha256 = in.readString();
        int size = in.readInt();
        if (generation < 0
                || generation >= generations.size()
                || !sha256.matches("[0-9a-f]{64}")
                || size < 1
                || size > Limits.BACKUP_CHUNK_BYTES) {
            throw corrupt("invalid chunk of " + size + " bytes");
        }
        return new Chunk(generations.get(generation), sha256, size);
    }

    private static UniserveException corrupt(String what) {
        return new UniserveException(ErrorCode.CORRUPT, "backup manifest: " + what);
    }
}
