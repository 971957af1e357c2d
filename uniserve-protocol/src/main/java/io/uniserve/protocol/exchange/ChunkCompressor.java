package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ChunkInfo;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Format of a chunk in storage and messages: compressed if that saves space. A sample shows whether it does; formats that are compressed
 * themselves, such as Parquet, are stored as they are. Call it on worker threads, not on the event loop.
 */
public final class ChunkCompressor {
    /** Header: format and unpacked size. */
    static final int HEADER_BYTES = ChunkInfo.PACKING_BYTES;

    /** Smaller chunks are not compressed. */
    private static final int WORTH_BYTES = 512;

    private static final int SAMPLE_BYTES = 32 << 10;
    /** A sample must shrink by this fraction, a sixth. */
    private static final int SAVES_PART = 6;

    private static final byte PLAIN = 0;
    private static final byte DEFLATED = 1;

    private ChunkCompressor() {}

    /** Packs a chunk; TOO_LARGE beyond {@link Limits#CHUNK_BYTES_MAX}. */
    public static Bytes pack(Bytes chunk) {
        if (chunk.size() > Limits.CHUNK_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "a chunk of " + chunk.size() + " bytes, at most " + Limits.CHUNK_BYTES_MAX
                            + ": scatter into more slots, or fewer columns");
        }
        if (compressible(chunk)) {
            byte[] packed = new byte[HEADER_BYTES + chunk.size()];
            int size = deflate(chunk, packed);
            if (size > 0) {
                header(packed, DEFLATED, chunk.size());
                return Bytes.wrap(Arrays.copyOf(packed, HEADER_BYTES + size));
            }
        }
        byte[] plain = new byte[HEADER_BYTES + chunk.size()];
        header(plain, PLAIN, chunk.size());
        chunk.copyTo(plain, HEADER_BYTES);
        return Bytes.wrap(plain);
    }

    private static boolean compressible(Bytes chunk) {
        if (chunk.size() < WORTH_BYTES) {
            return false;
        }
        Bytes sample = chunk.slice(0, Math.min(chunk.size(), SAMPLE_BYTES));
        int left = sample.size() - sample.size() / SAVES_PART;
        return deflate(sample, new byte[HEADER_BYTES + left]) > 0;
    }

    /** Size of the compressed bytes after the header; 0 if they do not fit. */
    private static int deflate(Bytes chunk, byte[] target) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setInput(chunk.buffer());
            deflater.finish();
            int size = deflater.deflate(target, HEADER_BYTES, target.length - HEADER_BYTES);
            return deflater.finished() ? size : 0;
        } finally {
            deflater.end();
        }
    }

    private static void header(byte[] target, byte how, int size) {
        target[0] = how;
        for (int i = 0; i < 4; i++) {
            target[1 + i] = (byte) (size >>> (24 - 8 * i));
        }
    }

    /** Unpacks a chunk; CORRUPT if the bytes are not a packed chunk. */
    public static Bytes unpack(Bytes packed) {
        if (packed.size() < HEADER_BYTES) {
            throw corrupt(null);
        }
        int size = 0;
        for (int i = 0; i < 4; i++) {
            size = size << 8 | packed.at(1 + i) & 0xff;
        }
        Bytes body = packed.slice(HEADER_BYTES, packed.size() - HEADER_BYTES);
        if (packed.at(0) == PLAIN && size == body.size()) {
            return body;
        }
        if (packed.at(0) != DEFLATED || size < 0 || size > Limits.CHUNK_BYTES_MAX) {
            throw corrupt(null);
        }
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(body.buffer());
            byte[] chunk = new byte[size];
            boolean whole = inflater.inflate(chunk) == size
                    && (inflater.finished() || inflater.inflate(new byte[1]) == 0 && inflater.finished());
            if (!whole) {
                throw corrupt(null);
            }
            return Bytes.wrap(chunk);
        } catch (DataFormatException e) {
            throw corrupt(e);
        } finally {
            inflater.end();
        }
    }

    private static UniserveException corrupt(@org.jspecify.annotations.Nullable Throwable cause) {
        return new UniserveException(ErrorCode.CORRUPT, "the bytes are not a packed chunk", cause);
    }

    /** The checksum of an end marker. */
    public static int checksum(Bytes packed) {
        return checksum(List.of(packed));
    }

    /** The same for a chunk in parts. */
    public static int checksum(List<Bytes> parts) {
        CRC32C crc = new CRC32C();
        for (Bytes part : parts) {
            Object unused = part.view((array, offset, size) -> {
                crc.update(array, offset, size);
                return part;
            });
        }
        return (int) crc.getValue();
    }

    /** Joins the parts. With several parts it copies, so call it on worker threads. */
    public static Bytes join(List<Bytes> parts) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        byte[] whole = new byte[parts.stream().mapToInt(Bytes::size).sum()];
        int at = 0;
        for (Bytes part : parts) {
            part.copyTo(whole, at);
            at += part.size();
        }
        return Bytes.wrap(whole);
    }
}
