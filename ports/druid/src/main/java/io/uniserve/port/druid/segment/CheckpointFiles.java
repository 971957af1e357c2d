package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.druid.segment.incremental.IndexSizeExceededException;

/** Checkpoint of an actor: links to the files of its segments, the pending rows, and a manifest with sizes and checksums. */
final class CheckpointFiles {
    private static final String MANIFEST = "manifest";
    private static final String PENDING = "pending";
    private static final int CRC_BYTES = 8;
    private static final int VERSION = 1;

    private CheckpointFiles() {}

    static void write(SegmentSet set, long nextNumber, Path directory) throws IOException {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(VERSION).writeLong(nextNumber).writeInt(set.stored().size());
        for (StoredSegment segment : set.stored()) {
            segment.writeTo(directory, out);
        }
        Path pending = directory.resolve(PENDING);
        PendingJournal.copy(set.journal(), set.journalBytes(), pending);
        out.writeLong(set.journalBytes()).writeLong(crc(Files.readAllBytes(pending)));
        byte[] body = out.toBytes().toArray();
        BinaryWriter whole = new BinaryWriter();
        whole.writeRaw(Bytes.wrap(body));
        whole.writeLong(crc(body));
        Files.write(directory.resolve(MANIFEST), whole.toBytes().toArray());
    }

    /** Fills an empty store. Fails with CORRUPT if a file is missing or damaged. */
    static void restore(Path checkpoint, SegmentStore store) throws IOException {
        Path file = checkpoint.resolve(MANIFEST);
        if (!Files.exists(file)) {
            throw corrupt("no manifest is in " + checkpoint);
        }
        byte[] whole = Files.readAllBytes(file);
        if (whole.length < CRC_BYTES) {
            throw corrupt("manifest of " + checkpoint + " is incomplete");
        }
        byte[] body = Arrays.copyOf(whole, whole.length - CRC_BYTES);
        BinaryReader end = new BinaryReader(Bytes.wrap(whole, whole.length - CRC_BYTES, CRC_BYTES));
        if (end.readLong() != crc(body)) {
            throw corrupt("manifest of " + checkpoint + " is damaged");
        }
        BinaryReader in = new BinaryReader(Bytes.wrap(body));
        int version = in.readInt();
        if (version != VERSION) {
            throw corrupt("manifest of " + checkpoint + " has version " + version + ", not " + VERSION);
        }
        store.setNextNumber(in.readLong());
        int segments = in.readInt();
        for (int i = 0; i < segments; i++) {
            store.addRestored(StoredSegment.restored(store.table(), checkpoint, in, store.segmentDirectory()));
        }
        long bytes = in.readLong();
        long crc = in.readLong();
        Path pending = checkpoint.resolve(PENDING);
        byte[] rows = Files.exists(pending) ? Files.readAllBytes(pending) : new byte[0];
        if (!Files.exists(pending) || rows.length != bytes || crc(rows) != crc) {
            throw corrupt("file " + PENDING + " of " + checkpoint + " is missing or damaged");
        }
        PendingJournal.read(pending, new PendingJournal.Records() {
            @Override
            public void row(Document row) throws IOException {
                try {
                    store.appendPending(row);
                } catch (IndexSizeExceededException e) {
                    throw new IOException(e);
                }
            }

            @Override
            public void drop(long bucket) throws IOException {
                store.dropPending(bucket);
            }
        });
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static UniserveException corrupt(String why) {
        return new UniserveException(ErrorCode.CORRUPT, why);
    }
}
