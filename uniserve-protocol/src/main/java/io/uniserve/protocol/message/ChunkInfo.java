package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * End marker of a chunk: number of rows, size and checksum of the complete chunk.
 *
 * @param rows number of rows as reported by the operator
 * @param bytes size as stored and sent; 0 if the source has nothing for the slot
 * @param checksum CRC32C of these bytes
 */
public record ChunkInfo(long rows, int bytes, int checksum) {
    /** Upper bound of the bytes that packing adds to a chunk. */
    public static final int PACKING_BYTES = 5;

    public static final ChunkInfo EMPTY = new ChunkInfo(0, 0, 0);

    public ChunkInfo {
        if (rows < 0 || bytes < 0 || bytes > Limits.CHUNK_BYTES_MAX + PACKING_BYTES) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "a chunk of " + rows + " rows and " + bytes + " bytes is invalid");
        }
    }

    /** Appends the marker. */
    public void write(BinaryWriter out) {
        out.writeLong(rows).writeInt(bytes).writeInt(checksum);
    }

    /** Reads the format of {@link #write}. */
    public static ChunkInfo read(BinaryReader in) {
        return new ChunkInfo(in.readLong(), in.readInt(), in.readInt());
    }
}
