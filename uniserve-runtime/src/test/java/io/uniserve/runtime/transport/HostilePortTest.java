package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.transport.server.Loopback;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection with another protocol is closed; the server continues to serve others. */
class HostilePortTest {
    /** {@code new java.util.PriorityQueue(...)} as Java writes it: the head of many gadget chains. */
    private static final byte[] JAVA_OBJECT = HexFormat.of()
            .parseHex(
                    "aced0005737200176a6176612e7574696c2e5072696f72697479517565756594da30b4fb3f82b103000249000473697a654c000a636f"
                            + "6d70617261746f727400164c6a6176612f7574696c2f436f6d70617261746f723b7870000000027073720011");

    private final Loopback net = new Loopback();

    @AfterEach
    void close() {
        net.close();
    }

    @Test
    void survivesGarbage() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20; i++) {
            byte[] garbage = new byte[random.nextInt(1, 20_000)];
            random.nextBytes(garbage);
            sendRaw(garbage);
        }
        assertThat(net.ping()).isNotNull();
    }

    @Test
    void survivesAJavaObjectAndAnHttpRequest() throws IOException {
        sendRaw(JAVA_OBJECT);
        sendRaw("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(net.ping()).isNotNull();
    }

    @Test
    void survivesGarbageAfterAnHonestPreface() throws IOException {
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] both = new byte[preface.length + JAVA_OBJECT.length];
        System.arraycopy(preface, 0, both, 0, preface.length);
        System.arraycopy(JAVA_OBJECT, 0, both, preface.length, JAVA_OBJECT.length);
        sendRaw(both);
        assertThat(net.ping()).isNotNull();
    }

    @Test
    void refusesBytesThatAreNoMessage() {
        for (byte[] bytes : new byte[][] {JAVA_OBJECT, {(byte) 0xff, (byte) 0xff, (byte) 0xff}}) {
            assertThatThrownBy(() -> callRaw(bytes))
                    .satisfies(e -> assertThat(
                                    StatusMapping.fromStatus(e, "x", true, true).code())
                            .isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
        assertThat(net.ping()).isNotNull();
    }

    @Test
    void refusesAMessageOverTheLimit() {
        assertThatThrownBy(() -> callRaw(new byte[Limits.MESSAGE_BYTES_MAX + 1]))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode())
                                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE, Status.Code.CANCELLED));
        assertThat(net.ping()).isNotNull();
    }

    @Test
    void refusesAnEmptyRequestByName() {
        assertThatThrownBy(() -> callRaw(PeerProto.PeerEnvelope.newBuilder()
                        .setCluster(Loopback.CLUSTER)
                        .build()
                        .toByteArray()))
                .satisfies(e -> {
                    UniserveException error = StatusMapping.fromStatus(e, "x", true, true);
                    assertThat(error)
                            .hasMessageContaining("INVALID_ARGUMENT")
                            .hasMessageContaining("peer request is missing");
                });
    }

    private void sendRaw(byte[] bytes) throws IOException {
        try (Socket socket = new Socket("localhost", net.address.port())) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
            socket.shutdownOutput();
            drain(socket.getInputStream());
        }
    }

    private static void drain(InputStream in) {
        try {
            assertThat(in.readAllBytes()).hasSizeLessThan(100_000);
        } catch (IOException e) {
            // A reset is as valid as a close.
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private byte[] callRaw(byte[] request) {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(PeerGrpc.getCallMethod().getFullMethodName())
                .setRequestMarshaller(new Raw())
                .setResponseMarshaller(new Raw())
                .build();
        return ClientCalls.blockingUnaryCall(net.channels.channel(net.address), method, CallOptions.DEFAULT, request);
    }

    private static final class Raw implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
