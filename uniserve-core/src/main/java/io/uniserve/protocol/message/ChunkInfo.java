package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * A chunk's end marker: what must have arrived when it is complete.
 *
 * @param rows as the operator said
 * @param bytes as they are kept and travel; 0 where the source has nothing for the slot
 * @param checksum CRC32C of them
 */
public record ChunkInfo(long rows, int bytes, int checksum) {
    /** What packing a chunk may add to it. */
    public static final int PACKING_BYTES = 5;

    public static final ChunkInfo NOTHING = new ChunkInfo(0, 0, 0);

    public ChunkInfo {
        if (rows < 0 || bytes < 0 || bytes > Limits.CHUNK_BYTES_MAX + PACKING_BYTES) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "a chunk of " + rows + " rows and " + bytes + " bytes is none");
        }
    }

    /** Appends it. */
    public void write(BinaryWriter out) {
        out.writeLong(rows).writeInt(bytes).writeInt(checksum);
    }

    /** Reads what {@link #write} wrote. */
    public static ChunkInfo read(BinaryReader in) {
        return new ChunkInfo(in.readLong(), in.readInt(), in.readInt());
    }
}
