package io.uniserve.port.mongodb;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * Documents as BSON, one after the other, as in the files of mongodump. Immutable.
 *
 * @param count number of documents
 */
record BsonRows(int count, Bytes bson) {
    static final BsonRows EMPTY = new BsonRows(0, Bytes.EMPTY);

    static final Codec<BsonRows> CODEC = Codecs.of(
            (out, rows) -> {
                out.writeInt(rows.count);
                out.writeBytes(rows.bson);
            },
            in -> new BsonRows(in.readInt(), in.readBytes()));

    /** Minimum size of a document: its length and its end. */
    private static final int DOCUMENT_BYTES_MIN = 5;

    private static final BsonDocumentCodec DOCUMENTS = new BsonDocumentCodec();

    /** The documents of all. */
    static BsonRows concat(Collection<BsonRows> parts) {
        byte[] all = new byte
                [Math.toIntExact(
                        parts.stream().mapToLong(part -> part.bson.size()).sum())];
        int at = 0;
        int documents = 0;
        for (BsonRows part : parts) {
            part.bson.copyTo(all, at);
            at += part.bson.size();
            documents += part.count;
        }
        return new BsonRows(documents, Bytes.wrap(all));
    }

    /** Splits the bytes into documents, without decoding them. Fails with CORRUPT if lengths do not fit. */
    List<RawBsonDocument> documents() {
        List<RawBsonDocument> documents = new ArrayList<>();
        byte[] array = bson.toArray();
        ByteBuffer lengths = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < array.length; ) {
            int length = array.length - at < DOCUMENT_BYTES_MIN ? 0 : lengths.getInt(at);
            if (length < DOCUMENT_BYTES_MIN || length > array.length - at) {
                throw new UniserveException(ErrorCode.CORRUPT, "BSON document at byte " + at + " has a wrong length");
            }
            documents.add(new RawBsonDocument(array, at, length));
            at += length;
        }
        return documents;
    }

    /** BSON of a document. */
    static byte[] encode(BsonDocument document) {
        try (BasicOutputBuffer buffer = new BasicOutputBuffer();
                BsonBinaryWriter writer = new BsonBinaryWriter(buffer)) {
            DOCUMENTS.encode(writer, document, EncoderContext.builder().build());
            return buffer.toByteArray();
        }
    }

    /** The document as BSON; itself if it is that already. */
    static RawBsonDocument raw(BsonDocument document) {
        return document instanceof RawBsonDocument raw ? raw : new RawBsonDocument(encode(document));
    }

    /** Document of this BSON, decoded as a whole; several kinds of RuntimeException if it is damaged. */
    static BsonDocument decode(byte[] bson) {
        try (BsonBinaryReader reader = new BsonBinaryReader(ByteBuffer.wrap(bson))) {
            return DOCUMENTS.decode(reader, DecoderContext.builder().build());
        }
    }

    /** Receiver of a part of an array. */
    interface ByteSink<E extends Exception> {
        void write(byte[] array, int offset, int length) throws E;
    }

    /** Passes a document's BSON on, without a copy. */
    static <E extends Exception> void write(RawBsonDocument document, ByteSink<E> sink) throws E {
        ByteBuffer bytes = document.getByteBuffer().asNIO();
        sink.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    /** Decodes parameters of an operator. Fails with INVALID_ARGUMENT if they are no BSON. */
    static BsonDocument decodeParameters(Bytes parameters) {
        try {
            byte[] bson = parameters.toArray();
            BsonStructure.check(bson);
            return decode(bson);
        } catch (RuntimeException e) { // the decoder throws several kinds
            throw UniserveException.invalid(
                    "parameters of an operator of port " + MongoEngine.NAME + " are no BSON: " + e.getMessage());
        }
    }

    /** Collector of documents up to a limit. Not thread-safe. */
    static final class Builder {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int bytesMax;
        private int count;

        /** Collector up to the limit of one actor's answer. */
        Builder() {
            this(Limits.RESULT_BYTES_PER_ACTOR_MAX);
        }

        Builder(int bytesMax) {
            this.bytesMax = bytesMax;
        }

        void add(RawBsonDocument document) {
            if (bytes.size() + (long) document.getByteBuffer().remaining() > bytesMax) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "MongoDB: the answer of one actor has more than " + bytesMax
                                + " bytes: use a limit, a projection, or a pipeline that returns less");
            }
            write(document, bytes::write);
            count++;
        }

        BsonRows build() {
            return new BsonRows(count, Bytes.wrap(bytes.toByteArray()));
        }
    }
}
