package io.uniserve.port.mongodb;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.bson.RawBsonDocument;

/**
 * File of an actor's documents: their BSON, one after the other, then a length of 0, the number of documents, and the CRC-32 of all bytes
 * before. Stateless.
 */
final class MongoCheckpointFile {
    private static final String NAME = "documents.bson";
    private static final int BATCH_DOCUMENTS = 1_000;
    private static final int BATCH_BYTES = 8 << 20;
    private static final int DOCUMENT_BYTES_MIN = 5;
    private static final int DOCUMENT_BYTES_MAX = 16 << 20;

    private MongoCheckpointFile() {}

    static void write(Path directory, MongoTable table) {
        CRC32 crc = new CRC32();
        try (DataOutputStream out = new DataOutputStream(new CheckedOutputStream(
                new BufferedOutputStream(Files.newOutputStream(directory.resolve(NAME))), crc))) {
            long[] count = new long[1];
            table.forEach("write a checkpoint", document -> {
                BsonRows.write(document, out::write);
                count[0]++;
            });
            out.writeInt(0);
            out.writeLong(count[0]);
            out.writeLong(crc.getValue());
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "MongoDB: cannot write a checkpoint: " + e.getMessage(), e);
        }
    }

    /** Passes the documents in batches. Fails with CORRUPT if the file is damaged; some documents are passed by then. */
    static void read(Path directory, Consumer<List<RawBsonDocument>> consumer) {
        Path file = directory.resolve(NAME);
        CRC32 crc = new CRC32();
        try (DataInputStream in =
                new DataInputStream(new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file)), crc))) {
            List<RawBsonDocument> batch = new ArrayList<>();
            long count = 0;
            int size = 0;
            for (int length = Integer.reverseBytes(in.readInt());
                    length != 0;
                    length = Integer.reverseBytes(in.readInt())) {
                if (length < DOCUMENT_BYTES_MIN || length > DOCUMENT_BYTES_MAX) {
                    throw new IOException("document " + count + " has a wrong length");
                }
                byte[] document = new byte[length];
                ByteBuffer.wrap(document).putInt(Integer.reverseBytes(length));
                in.readFully(document, Integer.BYTES, length - Integer.BYTES);
                batch.add(new RawBsonDocument(document));
                size += length;
                count++;
                if (batch.size() == BATCH_DOCUMENTS || size > BATCH_BYTES) {
                    consumer.accept(batch);
                    batch = new ArrayList<>();
                    size = 0;
                }
            }
            long expected = in.readLong();
            long sum = crc.getValue();
            if (expected != count || sum != in.readLong() || in.read() >= 0) {
                throw new IOException("its count or checksum does not fit");
            }
            if (!batch.isEmpty()) {
                consumer.accept(batch);
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "checkpoint " + file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
