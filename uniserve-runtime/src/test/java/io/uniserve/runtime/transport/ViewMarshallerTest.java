package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.uniserve.codec.Bytes;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.PeerReplyMapping;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ViewMarshallerTest {
    private final MethodDescriptor.Marshaller<PeerProto.PeerReplyEnvelope> views = ViewMarshaller.answers(
                    PeerGrpc.getCallMethod(), PeerProto.PeerReplyEnvelope.parser())
            .getResponseMarshaller();

    /** As gRPC's own streams are. */
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

    private static PeerReply.Piece piece(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return new PeerReply.Piece(new ChunkInfo(1, size, 7), Bytes.wrap(bytes));
    }

    private static byte[] message(PeerReply.Pieces pieces) {
        return PeerReplyMapping.toProto(pieces).toByteArray();
    }

    private PeerReply parsed(InputStream stream) {
        return PeerReplyMapping.fromProto(views.parse(stream));
    }

    @Test
    void piecesAreThoseThatWereSentAndShareTheMessage() {
        PeerReply.Pieces pieces = new PeerReply.Pieces(List.of(piece(1_000), piece(1), piece(0), piece(70_000)));
        byte[] message = message(pieces);
        for (InputStream stream : List.of(new Known(message, message.length), new ByteArrayInputStream(message))) {
            PeerReply.Pieces read = (PeerReply.Pieces) parsed(stream);
            assertThat(read).isEqualTo(pieces);
            byte[] first = read.pieces().get(0).bytes().view((array, offset, size) -> array);
            byte[] last = read.pieces().get(3).bytes().view((array, offset, size) -> array);
            assertThat(last).as("one array").isSameAs(first).hasSize(message.length);
        }
    }

    @Test
    void anEmptyMessageIsOne() {
        assertThat(views.parse(new Known(new byte[0], 0))).isEqualTo(PeerProto.PeerReplyEnvelope.getDefaultInstance());
    }

    @Test
    void whatIsNoMessageIsAnError() {
        byte[] message = message(new PeerReply.Pieces(List.of(piece(100))));
        byte[] cut = java.util.Arrays.copyOf(message, message.length - 1);
        for (InputStream stream : List.of(
                new Known(cut, cut.length), new Known(cut, message.length), new ByteArrayInputStream(new byte[] {4}))) {
            assertThatThrownBy(() -> views.parse(stream))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL));
        }
    }

    @Test
    void whatIsSentIsWhatItWas() throws Exception {
        PeerProto.PeerReplyEnvelope message = PeerReplyMapping.toProto(new PeerReply.Pieces(List.of(piece(10))));
        try (InputStream stream = views.stream(message)) {
            assertThat(stream.readAllBytes()).isEqualTo(message.toByteArray());
        }
    }
}
