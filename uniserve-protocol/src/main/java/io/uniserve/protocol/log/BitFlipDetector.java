package io.uniserve.protocol.log;

import io.uniserve.codec.Bytes;
import java.util.zip.CRC32C;

/**
 * Detector that distinguishes a single flipped bit from a torn write. A valid entry with one flipped bit is always recognized. A write that
 * was interrupted, or whose sectors were written out of order, looks like one only with a chance of about one in 2^32 per bit of the entry.
 * It uses the linearity of CRC: the difference of the checksums depends only on the position of the error.
 */
final class BitFlipDetector {
    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int[] TABLE = table();

    private BitFlipDetector() {}

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value >>> 1) ^ ((value & 1) == 0 ? 0 : POLYNOMIAL);
            }
            table[i] = value;
        }
        return table;
    }

    /** True when flipping one bit of the bytes at this offset results in a valid entry. */
    static boolean isOneBitOff(Bytes segment, int offset) {
        if (segment.size() - offset < EntryCodec.HEADER_BYTES) {
            return false;
        }
        int mark = integer(segment, offset);
        int length = integer(segment, offset + 4);
        int checksum = integer(segment, offset + 8);
        if (mark != EntryCodec.MARK) {
            return Integer.bitCount(mark ^ EntryCodec.MARK) == 1
                    && fits(segment, offset, length)
                    && trace(segment, offset, length, checksum) == 0;
        }
        if (fits(segment, offset, length)) {
            int trace = trace(segment, offset, length, checksum);
            if (Integer.bitCount(trace) == 1 || oneBitLeaves(trace, length)) {
                return true;
            }
        }
        for (int bit = 0; bit < 32; bit++) {
            int other = length ^ 1 << bit;
            if (fits(segment, offset, other) && trace(segment, offset, other, checksum) == 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean fits(Bytes segment, int offset, int length) {
        return EntryCodec.isPossibleLength(length) && length <= segment.size() - offset - EntryCodec.HEADER_BYTES;
    }

    private static int trace(Bytes segment, int offset, int length, int checksum) {
        CRC32C crc = new CRC32C();
        crc.update(segment.slice(offset + EntryCodec.HEADER_BYTES, length).buffer());
        return (int) crc.getValue() ^ checksum;
    }

    /** Goes from the last byte to the first; each step puts the error one byte further from the end. */
    private static boolean oneBitLeaves(int trace, int length) {
        int[] traces = new int[8];
        for (int bit = 0; bit < 8; bit++) {
            traces[bit] = TABLE[1 << bit];
        }
        for (int at = 0; at < length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                if (traces[bit] == trace) {
                    return true;
                }
                traces[bit] = traces[bit] >>> 8 ^ TABLE[traces[bit] & 0xff];
            }
        }
        return false;
    }

    private static int integer(Bytes bytes, int at) {
        return (bytes.at(at) & 0xff) << 24
                | (bytes.at(at + 1) & 0xff) << 16
                | (bytes.at(at + 2) & 0xff) << 8
                | bytes.at(at + 3) & 0xff;
    }
}
