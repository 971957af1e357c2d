package io.uniserve.benchmark.floor;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Server without Uniserve. By default it answers every call with as many bytes as the first four bytes of the request say. */
final class BareServer {
    private static final int REPLY_BYTES_MAX = 1 << 20;

    private BareServer() {}

    /** Starts a server that answers with zeros. */
    static Server startServer(int port) throws IOException {
        return startServer(port, (request, observer) -> {
            int size = Math.min(
                    REPLY_BYTES_MAX, Math.max(0, ByteBuffer.wrap(request).getInt()));
            observer.onNext(new byte[size]);
            observer.onCompleted();
        });
    }

    /** Starts a server of this method, which is called on the transport's threads and must not block them. */
    static Server startServer(int port, ServerCalls.UnaryMethod<byte[], byte[]> method) throws IOException {
        ServerServiceDefinition service = ServerServiceDefinition.builder("uniserve.bench.Bare")
                .addMethod(BareCall.METHOD, ServerCalls.asyncUnaryCall(method))
                .build();
        return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .directExecutor()
                .maxInboundMessageSize(BareChannels.MESSAGE_BYTES_MAX)
                .addService(service)
                .build()
                .start();
    }
}
