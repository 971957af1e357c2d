package io.uniserve.port.kv;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/** Checkpoint file {@code documents}: magic, then each document with its length, a length of -1, and a CRC-32C over all bytes before it. */
final class KvCheckpointFile {
    private static final String FILE = "documents";
    private static final long MAGIC = 0x756e692d6b763031L;
    private static final int END = -1;

    private KvCheckpointFile() {}

    static void write(Path directory, Iterable<Document> documents) {
        CRC32C crc = new CRC32C();
        try (DataOutputStream out = new DataOutputStream(new CheckedOutputStream(
                new BufferedOutputStream(Files.newOutputStream(directory.resolve(FILE))), crc))) {
            out.writeLong(MAGIC);
            for (Document document : documents) {
                BinaryWriter writer = new BinaryWriter();
                Document.CODEC.write(writer, document);
                byte[] bytes = writer.toBytes().toArray();
                out.writeInt(bytes.length);
                out.write(bytes);
            }
            out.writeInt(END);
            out.writeLong(crc.getValue());
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot write key-value data to " + directory, e);
        }
    }

    static KvActor read(Path directory) {
        CRC32C crc = new CRC32C();
        List<Document> documents = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(
                new CheckedInputStream(new BufferedInputStream(Files.newInputStream(directory.resolve(FILE))), crc))) {
            if (in.readLong() != MAGIC) {
                throw corrupt(directory, "bad magic", null);
            }
            for (int length = in.readInt(); length != END; length = in.readInt()) {
                documents.add(document(in, length, directory));
            }
            long expected = crc.getValue();
            if (in.readLong() != expected || in.read() != -1) {
                throw corrupt(directory, "checksum differs", null);
            }
            return KvActor.of(documents);
        } catch (EOFException e) {
            throw corrupt(directory, "file is truncated", e);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "cannot read key-value data from " + directory, e);
        }
    }

    private static Document document(DataInputStream in, int length, Path directory) throws IOException {
        if (length < 0 || length > Limits.LOG_ENTRY_BYTES_MAX) {
            throw corrupt(directory, "bad length " + length, null);
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw corrupt(directory, "file is truncated", null);
        }
        try {
            BinaryReader reader = new BinaryReader(Bytes.wrap(bytes));
            Document document = Document.CODEC.read(reader);
            reader.expectEnd();
            return document;
        } catch (UniserveException e) {
            throw corrupt(directory, "bad document", e);
        }
    }

    private static UniserveException corrupt(
            Path directory, String what, @org.jspecify.annotations.Nullable Throwable cause) {
        return new UniserveException(ErrorCode.CORRUPT, "key-value data in " + directory + ": " + what, cause);
    }
}
