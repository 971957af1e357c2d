package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.peer.PeerReplyMapping;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkReplyMarshallerTest {
    private final MethodDescriptor.Marshaller<PeerProto.PeerReplyEnvelope> answers =
            ChunkReplyMarshaller.withChunkReplies(PeerGrpc.getCallMethod()).getResponseMarshaller();

    /** Stream of known length, as gRPC's own. */
    private static final class Known extends ByteArrayInputStream implements KnownLength {
        private final int claimed;

        private Known(byte[] bytes, int claimed) {
            super(bytes);
            this.claimed = claimed;
        }

        @Override
        public synchronized int available() {
            return claimed;
        }
    }

    /** Stream that returns a few bytes per read. */
    private static final class Sluggish extends ByteArrayInputStream {
        private Sluggish(byte[] bytes) {
            super(bytes);
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 7));
        }
    }

    private static PeerReply.Piece piece(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return new PeerReply.Piece(new ChunkInfo(1, size, 7), Bytes.wrap(bytes));
    }

    private static byte[] message(PeerReply.Pieces pieces) {
        return PeerReplyMapping.toProto(pieces).toByteArray();
    }

    private PeerReply parsed(InputStream stream) {
        return PeerReplyMapping.fromProto(answers.parse(stream));
    }

    @Test
    void piecesAreThoseThatWereSentEachInAnArrayOfItsOwn() {
        PeerReply.Pieces pieces = new PeerReply.Pieces(List.of(
                piece(1_000),
                piece(1),
                piece(0),
                PeerReply.Piece.MISSING,
                piece(70_000),
                piece(5_000),
                piece(1 << 20)));
        byte[] message = message(pieces);
        for (InputStream stream :
                List.of(new Known(message, message.length), new ByteArrayInputStream(message), new Sluggish(message))) {
            PeerReply.Pieces read = (PeerReply.Pieces) parsed(stream);
            assertThat(read).isEqualTo(pieces);
            for (PeerReply.Piece piece : read.pieces()) {
                byte[] array = piece.bytes().view((whole, offset, size) -> whole);
                assertThat(array)
                        .as("nothing is kept beside it")
                        .hasSize(piece.bytes().size());
            }
        }
    }

    @Test
    void whatIsNotKnownIsPassedOver() {
        PeerReply.Pieces pieces = new PeerReply.Pieces(List.of(piece(300)));
        PeerProto.PeerReplyEnvelope known = PeerReplyMapping.toProto(pieces);
        UnknownFieldSet more = UnknownFieldSet.newBuilder()
                .addField(
                        99,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(7)
                                .addLengthDelimited(ByteString.copyFrom(new byte[500]))
                                .build())
                .build();
        PeerProto.PeerReplyEnvelope.Builder later = known.toBuilder().setUnknownFields(more);
        later.getPiecesBuilder().setUnknownFields(more).getPiecesBuilder(0).setUnknownFields(more);
        byte[] message = later.build().toByteArray();
        assertThat(parsed(new Known(message, message.length))).isEqualTo(pieces);
    }

    @Test
    void anAnswerOfAnotherKindIsNone() {
        byte[] ack = PeerReplyMapping.toProto(new PeerReply.Ack()).toByteArray();
        assertThatThrownBy(() -> parsed(new Known(ack, ack.length))).isInstanceOf(UniserveException.class);
    }

    @Test
    void everyCutOrBrokenMessageIsAnErrorAndTakesNoMoreMemoryThanItHas() {
        byte[] message = message(new PeerReply.Pieces(List.of(piece(90), piece(200))));
        for (int size = 1; size < message.length; size++) {
            byte[] cut = Arrays.copyOf(message, size);
            assertThatThrownBy(() -> answers.parse(new Known(cut, cut.length)))
                    .as("%d bytes", size)
                    .isInstanceOf(StatusRuntimeException.class);
        }
        // A piece with a declared length of 2 GiB, within pieces with the same declared length.
        ByteString huge = ByteString.copyFrom(new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7});
        byte[] claims = ByteString.copyFrom(new byte[] {12 << 3 | 2})
                .concat(huge)
                .concat(ByteString.copyFrom(new byte[] {4 << 3 | 2}))
                .concat(huge)
                .toByteArray();
        assertThatThrownBy(() -> answers.parse(new Known(claims, claims.length)))
                .isInstanceOf(StatusRuntimeException.class);
        byte[] nested = {12 << 3 | 2, 4, 1 << 3 | 2, 2, 4 << 3 | 2, 100, 1, 1};
        assertThatThrownBy(() -> answers.parse(new Known(nested, nested.length)))
                .as("beyond the piece it is in")
                .isInstanceOf(StatusRuntimeException.class);
    }

    @Test
    void anEmptyMessageIsOne() {
        assertThat(answers.parse(new Known(new byte[0], 0)))
                .isEqualTo(PeerProto.PeerReplyEnvelope.getDefaultInstance());
    }

    @Test
    void whatIsNoMessageIsAnError() {
        byte[] message = message(new PeerReply.Pieces(List.of(piece(100))));
        byte[] cut = Arrays.copyOf(message, message.length - 1);
        for (InputStream stream : List.of(
                new Known(cut, cut.length), new Known(cut, message.length), new ByteArrayInputStream(new byte[] {4}))) {
            assertThatThrownBy(() -> answers.parse(stream))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL));
        }
    }

    @Test
    void whatIsSentIsWhatItWas() throws Exception {
        PeerProto.PeerReplyEnvelope message = PeerReplyMapping.toProto(new PeerReply.Pieces(List.of(piece(10))));
        try (InputStream stream = answers.stream(message)) {
            assertThat(stream.readAllBytes()).isEqualTo(message.toByteArray());
        }
    }
}
