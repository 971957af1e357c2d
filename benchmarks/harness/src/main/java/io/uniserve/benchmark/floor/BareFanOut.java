package io.uniserve.benchmark.floor;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Floor of a fan-out: one unary call per server in parallel, done when all have answered. Thread-safe. */
public final class BareFanOut implements AutoCloseable {
    private final List<ManagedChannel> channels;
    private final byte[] request;

    public BareFanOut(List<Address> servers, int requestBytes, int replyBytes) {
        this.channels = servers.stream()
                .map(address -> (ManagedChannel) NettyChannelBuilder.forAddress(address.host(), address.port())
                        .usePlaintext()
                        .directExecutor()
                        .build())
                .toList();
        this.request = ByteBuffer.allocate(Math.max(4, requestBytes))
                .putInt(replyBytes)
                .array();
    }

    int servers() {
        return channels.size();
    }

    /** Calls the first {@code servers} servers in parallel and waits for all. */
    public void call(int first, int servers) {
        CountDownLatch open = new CountDownLatch(servers);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < servers; i++) {
            ManagedChannel channel = channels.get((first + i) % channels.size());
            ClientCalls.asyncUnaryCall(
                    channel.newCall(BareCall.METHOD, CallOptions.DEFAULT), request, new Counter(open, failure));
        }
        try {
            open.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
        Throwable problem = failure.get();
        if (problem != null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "the bare server failed", problem);
        }
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private record Counter(CountDownLatch open, AtomicReference<@Nullable Throwable> failure)
            implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] reply) {
            // Only the arrival counts, not the content.
        }

        @Override
        public void onError(Throwable problem) {
            failure.compareAndSet(null, problem);
            open.countDown();
        }

        @Override
        public void onCompleted() {
            open.countDown();
        }
    }
}
