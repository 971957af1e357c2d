package io.uniserve.runtime.transport;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.uniserve.runtime.proto.PeerProto.PeerEnvelope;
import io.uniserve.runtime.proto.PeerProto.PeerReplyEnvelope;
import io.uniserve.runtime.proto.PeerProto.Piece;
import io.uniserve.runtime.proto.PeerProto.Pieces;
import java.io.IOException;
import java.io.InputStream;

/**
 * Marshaller of replies with chunks. It reads the bytes of each piece from the transport straight into their own array. Protobuf
 * would read the whole message into one array and copy each field out of it. The wire format is the same. Any other reply is read as
 * an empty one.
 */
public record ChunkReplyMarshaller(MethodDescriptor.Marshaller<PeerReplyEnvelope> writer)
        implements MethodDescriptor.Marshaller<PeerReplyEnvelope> {
    /** Buffer for all fields except the bytes of a piece. Bytes of the piece that arrive in it are copied once more. */
    private static final int BUFFER_BYTES = 64;

    private static final int PIECES = tag(PeerReplyEnvelope.PIECES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    private static final int PIECE = tag(Pieces.PIECES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    private static final int ROWS = tag(Piece.ROWS_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT);
    private static final int TOTAL = tag(Piece.TOTAL_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT);
    private static final int CHECKSUM = tag(Piece.CHECKSUM_FIELD_NUMBER, WireFormat.WIRETYPE_FIXED32);
    private static final int BYTES = tag(Piece.BYTES_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);

    private static int tag(int field, int type) {
        return field << 3 | type;
    }

    /** Returns the method with this marshaller for its replies. */
    public static MethodDescriptor<PeerEnvelope, PeerReplyEnvelope> withChunkReplies(
            MethodDescriptor<PeerEnvelope, PeerReplyEnvelope> method) {
        return method.toBuilder(method.getRequestMarshaller(), new ChunkReplyMarshaller(method.getResponseMarshaller()))
                .build();
    }

    @Override
    public InputStream stream(PeerReplyEnvelope value) {
        return writer.stream(value);
    }

    @Override
    public PeerReplyEnvelope parse(InputStream stream) {
        try {
            return envelope(CodedInputStream.newInstance(stream, BUFFER_BYTES));
        } catch (InvalidProtocolBufferException e) {
            throw Status.INTERNAL
                    .withDescription("Invalid protobuf byte sequence")
                    .withCause(e)
                    .asRuntimeException();
        } catch (IOException e) {
            throw Status.INTERNAL
                    .withDescription("the message cannot be read")
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    private static PeerReplyEnvelope envelope(CodedInputStream in) throws IOException {
        PeerReplyEnvelope.Builder envelope = PeerReplyEnvelope.newBuilder();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == PIECES) {
                int outer = in.pushLimit(in.readRawVarint32());
                pieces(in, envelope.getPiecesBuilder());
                in.popLimit(outer);
            } else {
                skip(in, tag);
            }
        }
        return envelope.build();
    }

    private static void pieces(CodedInputStream in, Pieces.Builder pieces) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == PIECE) {
                int outer = in.pushLimit(in.readRawVarint32());
                pieces.addPieces(piece(in));
                in.popLimit(outer);
            } else {
                skip(in, tag);
            }
        }
        checkComplete(in);
    }

    private static Piece piece(CodedInputStream in) throws IOException {
        Piece.Builder piece = Piece.newBuilder();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (tag == ROWS) {
                piece.setRows(in.readInt64());
            } else if (tag == TOTAL) {
                piece.setTotal(in.readInt32());
            } else if (tag == CHECKSUM) {
                piece.setChecksum(in.readFixed32());
            } else if (tag == BYTES) {
                piece.setBytes(UnsafeByteOperations.unsafeWrap(in.readByteArray())); // no other reference exists
            } else {
                skip(in, tag);
            }
        }
        checkComplete(in);
        return piece.build();
    }

    /** Checks that a part ends at its own length, not at the end of the message. */
    private static void checkComplete(CodedInputStream in) throws IOException {
        if (in.getBytesUntilLimit() != 0) {
            throw new InvalidProtocolBufferException("the message ends within a part of it");
        }
    }

    private static void skip(CodedInputStream in, int tag) throws IOException {
        if (!in.skipField(tag)) {
            throw new InvalidProtocolBufferException("the end of a group that has not started");
        }
    }
}
