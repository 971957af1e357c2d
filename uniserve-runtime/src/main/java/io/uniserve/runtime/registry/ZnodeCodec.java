package io.uniserve.runtime.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.runtime.proto.RegistryCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Codec of a node's bytes. Large values, maps of many actors, are compressed: server ids repeat, and ZooKeeper rejects more than 1
 * MB. An uncompressed value never starts with gzip's magic number, as its first byte is the tag of a field.
 */
final class ZnodeCodec {
    /** Limit of a value: below ZooKeeper's jute.maxbuffer of 1 MB, with space for paths. */
    static final int BYTES_MAX = 1_000_000;

    private static final int COMPRESS_FROM = 16 << 10;
    /** Limit for transaction logs: hashes and random ids hardly compress, and atomic updates write the log often. */
    private static final int COMPRESS_LOGS_FROM = 512 << 10;

    private static final int EXPANDED_MAX = 64 << 20;
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;

    private ZnodeCodec() {}

    static byte[] encode(String path, RegistryValue value) {
        byte[] plain = RegistryCodec.encode(value);
        boolean log = value instanceof TransactionLogState || value instanceof DecisionHistory;
        int from = log ? COMPRESS_LOGS_FROM : COMPRESS_FROM;
        byte[] bytes = plain.length < from ? plain : compress(plain);
        if (bytes.length > BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "registry node " + path + " would take " + bytes.length + " bytes, at most " + BYTES_MAX);
        }
        return bytes;
    }

    static RegistryValue decode(String path, byte[] bytes) {
        boolean compressed = bytes.length > 1 && (bytes[0] & 0xff) == GZIP_FIRST && (bytes[1] & 0xff) == GZIP_SECOND;
        return RegistryCodec.decode(path, compressed ? decompress(path, bytes) : bytes);
    }

    private static byte[] compress(byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(plain.length / 4);
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory never fails", e);
        }
        return bytes.toByteArray();
    }

    private static byte[] decompress(String path, byte[] bytes) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            byte[] plain = in.readNBytes(EXPANDED_MAX + 1);
            if (plain.length > EXPANDED_MAX) {
                throw new UniserveException(
                        ErrorCode.CORRUPT,
                        "registry node " + path + " expands to more than " + EXPANDED_MAX + " bytes");
            }
            return plain;
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "registry node " + path + " cannot be expanded", e);
        }
    }
}
