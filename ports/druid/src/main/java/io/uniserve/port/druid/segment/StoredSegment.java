package io.uniserve.port.druid.segment;

import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.druid.segment.QueryableIndex;
import org.apache.druid.segment.QueryableIndexSegment;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.timeline.SegmentId;
import org.joda.time.Interval;
import org.joda.time.chrono.ISOChronology;

/**
 * Immutable segment in Druid's file format (version 9), memory-mapped. Queries hold references. The segment is closed after it is dropped
 * and the last reference is released.
 */
final class StoredSegment {
    /**
     * Size and checksum of a file.
     *
     * @param crc CRC-32 of the contents
     */
    record FileInfo(long bytes, long crc) {}

    private final long number;
    private final Interval interval;
    private final int rows;
    private final SortedMap<String, FileInfo> files;
    private final Path directory;
    private final QueryableIndex index;
    private final ReferenceCountingSegment segment;

    private StoredSegment(
            String table, long number, Interval interval, Path directory, SortedMap<String, FileInfo> files)
            throws IOException {
        this.number = number;
        this.interval = interval;
        this.directory = directory;
        this.files = files;
        this.index = DruidServices.get().indexIo().loadIndex(directory.toFile());
        this.rows = index.getNumRows();
        this.segment = ReferenceCountingSegment.wrapRootGenerationSegment(new QueryableIndexSegment(
                index, SegmentId.of(table, interval, "v" + number, (int) (number % Integer.MAX_VALUE))));
    }

    /** Opens a segment that Druid has just written. */
    static StoredSegment opened(String table, long number, Interval interval, Path directory) throws IOException {
        SortedMap<String, FileInfo> files = new TreeMap<>();
        try (Stream<Path> list = Files.list(directory)) {
            for (Path file : list.toList()) {
                files.put(file.getFileName().toString(), infoOf(file));
            }
        }
        return new StoredSegment(table, number, interval, directory, files);
    }

    private static FileInfo infoOf(Path file) throws IOException {
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[1 << 16];
        long bytes = 0;
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                crc.update(buffer, 0, read);
                bytes += read;
            }
        }
        return new FileInfo(bytes, crc.getValue());
    }

    /** Links the files into a checkpoint, and writes the segment's description to the manifest. */
    void writeTo(Path checkpoint, BinaryWriter manifest) throws IOException {
        manifest.writeLong(number)
                .writeLong(interval.getStartMillis())
                .writeLong(interval.getEndMillis())
                .writeInt(files.size());
        for (var file : files.entrySet()) {
            manifest.writeString(file.getKey())
                    .writeLong(file.getValue().bytes())
                    .writeLong(file.getValue().crc());
            link(directory.resolve(file.getKey()), checkpoint.resolve(nameInCheckpoint(number, file.getKey())));
        }
    }

    /** Restores a segment from a checkpoint, by links. Fails with CORRUPT if its files are damaged. */
    static StoredSegment restored(String table, Path checkpoint, BinaryReader manifest, Path segments)
            throws IOException {
        long number = manifest.readLong();
        Interval interval = new Interval(manifest.readLong(), manifest.readLong(), ISOChronology.getInstanceUTC());
        int count = manifest.readInt();
        Path directory = Files.createDirectories(segments.resolve(Long.toString(number)));
        SortedMap<String, FileInfo> files = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String name = manifest.readString();
            FileInfo info = new FileInfo(manifest.readLong(), manifest.readLong());
            Path source = checkpoint.resolve(nameInCheckpoint(number, name));
            if (!Files.exists(source) || !infoOf(source).equals(info)) {
                throw new UniserveException(
                        ErrorCode.CORRUPT, "file " + source.getFileName() + " of the checkpoint is missing or damaged");
            }
            link(source, directory.resolve(name));
            files.put(name, info);
        }
        return new StoredSegment(table, number, interval, directory, files);
    }

    private static String nameInCheckpoint(long number, String file) {
        return "segment-" + number + "-" + file;
    }

    private static void link(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (java.nio.file.FileSystemException | UnsupportedOperationException e) {
            Files.copy(from, to);
        }
    }

    long number() {
        return number;
    }

    int rows() {
        return rows;
    }

    long bytes() {
        return files.values().stream().mapToLong(FileInfo::bytes).sum();
    }

    Interval interval() {
        return interval;
    }

    QueryableIndex index() {
        return index;
    }

    ReferenceCountingSegment segment() {
        return segment;
    }

    /** Closes the segment once no query uses it. */
    void close() {
        segment.close();
    }

    /** Closes the segment and deletes its files; queries that use it keep their mapping. */
    void drop() throws IOException {
        close();
        ActorFileLinker.delete(directory);
    }
}
