package io.uniserve.benchmark.floor;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Server that answers every call with as many bytes as the first four bytes of the request say. */
final class BareServer {
    private static final int REPLY_BYTES_MAX = 1 << 20;

    private BareServer() {}

    static Server startServer(int port) throws IOException {
        ServerServiceDefinition service = ServerServiceDefinition.builder("uniserve.bench.Bare")
                .addMethod(BareCall.METHOD, ServerCalls.asyncUnaryCall((request, observer) -> {
                    int size = Math.min(
                            REPLY_BYTES_MAX,
                            Math.max(0, ByteBuffer.wrap(request).getInt()));
                    observer.onNext(new byte[size]);
                    observer.onCompleted();
                }))
                .build();
        return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .directExecutor()
                .addService(service)
                .build()
                .start();
    }
}
