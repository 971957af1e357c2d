package io.uniserve.protocol.log;

import io.uniserve.codec.Bytes;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.LogEntry;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Running hash of a log: each index has a hash of its entry and of the previous hash. Equal hashes at one index prove equal logs up to it,
 * except for a chance of about 1 in 2^64. It detects errors and careless forgery; it is not cryptographic.
 *
 * <p>{@link #UNKNOWN} stands for a hash that was not recorded, as at the start of an old, truncated log. It is never compared. An EPOCH
 * entry with an anchor makes the hash known again, with the same value in all copies.
 */
public final class RunningLogHash {
    /** No hash; comparisons are skipped. */
    public static final long UNKNOWN = 0;

    /** Hash before the first entry of a log. */
    public static final long START = 0x756e697365727665L;

    private static final int ANCHOR_BYTES = 8;

    private RunningLogHash() {}

    /** Content hash of an entry; its two CRCs together are as strong as one of 64 bits. */
    public static long contentHash(LogEntry entry) {
        Bytes function = Bytes.utf8(entry.function());
        CRC32C first = new CRC32C();
        CRC32 second = new CRC32();
        entry.rows().view((array, offset, size) -> {
            first.update(array, offset, size);
            second.update(array, offset, size);
            return size;
        });
        first.update(function.buffer());
        second.update(function.buffer());
        long hash = mix(first.getValue() << 32 | second.getValue(), entry.rows().size());
        hash = mix(mix(hash, entry.type().ordinal()), entry.epoch());
        hash = mix(mix(hash, entry.index()), entry.version());
        RequestId request = entry.request();
        if (request != null) {
            hash = mix(mix(mix(hash, request.clientHigh()), request.clientLow()), request.sequence());
        }
        return mix(hash, entry.lowWater());
    }

    /** Running hash after an entry with this content hash, where {@code before} is the previous running hash. */
    public static long after(long before, LogEntry entry, long content) {
        boolean anchored = entry.type() == LogEntry.Type.EPOCH && entry.rows().size() == ANCHOR_BYTES;
        long from = anchored ? entry.rows().buffer().getLong() : before;
        if (from == UNKNOWN) {
            return UNKNOWN;
        }
        long hash = mix(from, content);
        return hash == UNKNOWN ? 1 : hash;
    }

    /** Anchor for an EPOCH entry whose primary does not know the previous hash. */
    public static Bytes anchor(long epoch, long index) {
        long anchor = mix(mix(START, epoch), index) | 1;
        return Bytes.wrap(ByteBuffer.allocate(ANCHOR_BYTES).putLong(anchor).array());
    }

    /** True if both hashes are known and differ. */
    public static boolean areDifferent(long one, long other) {
        return one != UNKNOWN && other != UNKNOWN && one != other;
    }

    /** Text of a hash for log lines. */
    public static String text(long hash) {
        return hash == UNKNOWN ? "unknown" : HexFormat.of().toHexDigits(hash);
    }

    /** The finalizer of MurmurHash3, applied to both values. */
    private static long mix(long hash, long value) {
        long mixed = hash * 0x9e3779b97f4a7c15L + value;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
