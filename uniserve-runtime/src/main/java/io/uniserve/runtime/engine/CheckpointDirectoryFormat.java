package io.uniserve.runtime.engine;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFileOperations;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Format of a checkpoint directory. The engine's files have plain names ({@code f0}, {@code f1}, ...), so that any file system and
 * object store can keep them. {@code index} is written last: name, size and SHA-256 of each file, followed by its own SHA-256.
 */
final class CheckpointDirectoryFormat {
    private static final String INDEX = "index";
    private static final long MAGIC = 0x756e692d63703031L;
    private static final int HASH_BYTES = 32;

    private CheckpointDirectoryFormat() {}

    /** One file: its name in the engine, relative, with parts joined by {@code /}. */
    record Entry(String name, long size, Bytes sha256) {}

    /** Turns the engine's files in {@code written} into a durable checkpoint in {@code target}, an empty directory. */
    static void seal(Path written, Path target) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path file : files(written)) {
            Path kept = target.resolve("f" + entries.size());
            Files.move(file, kept);
            DurableFileOperations.syncFile(kept);
            String name = written.relativize(file).toString().replace(java.io.File.separatorChar, '/');
            entries.add(new Entry(name, Files.size(kept), hash(kept)));
        }
        BinaryWriter out = new BinaryWriter();
        out.writeLong(MAGIC).writeInt(entries.size());
        for (Entry entry : entries) {
            out.writeString(entry.name).writeLong(entry.size).writeBytes(entry.sha256);
        }
        byte[] body = out.toBytes().toArray();
        DurableFileOperations.writeNew(
                target.resolve(INDEX),
                List.of(java.nio.ByteBuffer.wrap(body), java.nio.ByteBuffer.wrap(sha256().digest(body))));
        DurableFileOperations.syncDirectory(target);
    }

    /** Verifies the checkpoint and creates its files under their own names in {@code target}, an empty directory. */
    static void unseal(Path checkpoint, Path target) throws IOException {
        List<Entry> entries = verify(checkpoint);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            Path kept = checkpoint.resolve("f" + i);
            Path place = target.resolve(entry.name).normalize();
            if (!place.startsWith(target)) {
                throw corrupt(checkpoint, "file name " + entry.name + " leaves the directory", null);
            }
            DurableFileOperations.createDirectories(place.resolveSibling(".").normalize());
            link(kept, place);
        }
    }

    /** Reads and checks all files of a checkpoint. Fails with CORRUPT if they differ from the sealed ones. */
    static List<Entry> verify(Path checkpoint) throws IOException {
        List<Entry> entries = index(checkpoint);
        refuseExtra(checkpoint, entries.size());
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            Path kept = checkpoint.resolve("f" + i);
            if (!Files.isRegularFile(kept)
                    || Files.size(kept) != entry.size
                    || !hash(kept).equals(entry.sha256)) {
                throw corrupt(checkpoint, "file f" + i + " (" + entry.name + ") is missing or damaged", null);
            }
        }
        return entries;
    }

    private static void refuseExtra(Path checkpoint, int files) throws IOException {
        Set<String> known = new HashSet<>(Set.of(INDEX));
        for (int i = 0; i < files; i++) {
            known.add("f" + i);
        }
        try (Stream<Path> list = Files.list(checkpoint)) {
            for (Path each : list.toList()) {
                String name = each.getFileName().toString();
                if (!known.contains(name)) {
                    throw corrupt(checkpoint, "file " + name + " does not belong to it", null);
                }
            }
        }
    }

    private static void link(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.copy(from, to); // links are not supported here
        }
    }

    private static List<Entry> index(Path checkpoint) throws IOException {
        Path file = checkpoint.resolve(INDEX);
        if (!Files.isRegularFile(file)) {
            throw corrupt(checkpoint, "index is missing", null);
        }
        byte[] all = Files.readAllBytes(file);
        int size = all.length - HASH_BYTES;
        Bytes bytes = Bytes.wrap(all);
        if (size < 0
                || !bytes.slice(size, HASH_BYTES)
                        .equals(Bytes.wrap(sha256().digest(bytes.slice(0, size).toArray())))) {
            throw corrupt(checkpoint, "index is damaged", null);
        }
        try {
            return entries(new BinaryReader(bytes.slice(0, size)));
        } catch (UniserveException e) {
            throw corrupt(checkpoint, "index cannot be read", e);
        }
    }

    private static List<Entry> entries(BinaryReader in) {
        if (in.readLong() != MAGIC) {
            throw new UniserveException(ErrorCode.CORRUPT, "bad magic");
        }
        int count = in.readCount(16);
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(in.readString(), in.readLong(), in.readBytes()));
        }
        in.expectEnd();
        return entries;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static Bytes hash(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            byte[] buffer = new byte[1 << 16];
            int read = in.read(buffer);
            while (read >= 0) {
                read = in.read(buffer);
            }
        }
        return Bytes.wrap(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static UniserveException corrupt(
            Path checkpoint, String what, @org.jspecify.annotations.Nullable Throwable cause) {
        return new UniserveException(ErrorCode.CORRUPT, "checkpoint " + checkpoint.getFileName() + ": " + what, cause);
    }
}
