package io.uniserve.protocol.log;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.LogEntry;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Format of an entry on disk: mark, length and CRC-32C of the rest; then the entry, and the index of the first entry of its batch. A batch
 * is written only after the previous one is durable. So a valid entry of a later batch after a bad entry proves damage. If the valid entry
 * belongs to the same batch, the bad one may be a torn write.
 */
final class EntryCodec {
    static final int MARK = 0x554c4f47;
    static final int HEADER_BYTES = 12;
    private static final int BODY_BYTES_MIN = 50;
    private static final LogEntry.Type[] TYPES = LogEntry.Type.values();

    private EntryCodec() {}

    /** An entry found in a segment. */
    record DecodedEntry(LogEntry entry, long batch, int size) {}

    /** Upper bound of the entry's size on disk, in bytes. */
    static int size(LogEntry entry) {
        return HEADER_BYTES + 80 + 3 * entry.function().length() + entry.rows().size();
    }

    static Bytes encode(LogEntry entry, long batch) {
        BinaryWriter out = new BinaryWriter(size(entry));
        encode(entry, batch, out);
        return out.finish();
    }

    /** Appends the entry, and returns its size in bytes. */
    static int encode(LogEntry entry, long batch, BinaryWriter body) {
        int start = body.size();
        body.writeInt(MARK).writeInt(0).writeInt(0);
        body.writeByte(entry.type().ordinal()).writeLong(entry.epoch()).writeLong(entry.index());
        body.writeLong(entry.version()).writeLong(batch);
        RequestId request = entry.request();
        body.writeBoolean(request != null);
        if (request != null) {
            body.writeLong(request.clientHigh()).writeLong(request.clientLow()).writeLong(request.sequence());
        }
        body.writeLong(entry.lowWater()).writeString(entry.function()).writeBytes(entry.rows());
        int size = body.size() - start;
        body.setInt(start + 4, size - HEADER_BYTES);
        body.setInt(start + 8, body.view(start + HEADER_BYTES, EntryCodec::checksum));
        return size;
    }

    private static int checksum(byte[] array, int offset, int size) {
        CRC32C crc = new CRC32C();
        crc.update(array, offset, size);
        return (int) crc.getValue();
    }

    /** The entry at this offset of a segment; null if there is no complete one with a valid checksum. */
    static @Nullable DecodedEntry decode(Bytes segment, int offset) {
        if (segment.size() - offset < HEADER_BYTES + BODY_BYTES_MIN) {
            return null;
        }
        BinaryReader header = new BinaryReader(segment.slice(offset, HEADER_BYTES));
        int mark = header.readInt();
        int length = header.readInt();
        int checksum = header.readInt();
        if (mark != MARK || !isPossibleLength(length) || length > segment.size() - offset - HEADER_BYTES) {
            return null;
        }
        Bytes body = segment.slice(offset + HEADER_BYTES, length);
        CRC32C crc = new CRC32C();
        crc.update(body.buffer());
        return (int) crc.getValue() == checksum ? read(body) : null;
    }

    /** False for a length that is too small or too large for an entry. */
    static boolean isPossibleLength(int length) {
        return length >= BODY_BYTES_MIN && length <= Limits.LOG_ENTRY_BYTES_MAX + 1024;
    }

    private static DecodedEntry read(Bytes body) {
        BinaryReader in = new BinaryReader(body);
        int type = in.readByte();
        if (type < 0 || type >= TYPES.length) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "unknown log entry type " + type + ": it may be from a newer version");
        }
        long epoch = in.readLong();
        long index = in.readLong();
        long version = in.readLong();
        long batch = in.readLong();
        RequestId request = in.readBoolean() ? new RequestId(in.readLong(), in.readLong(), in.readLong()) : null;
        long lowWater = in.readLong();
        String function = in.readString();
        Bytes rows = in.readBytes();
        in.expectEnd();
        LogEntry entry = new LogEntry(TYPES[type], epoch, index, version, request, lowWater, function, rows);
        return new DecodedEntry(entry, batch, HEADER_BYTES + body.size());
    }
}
