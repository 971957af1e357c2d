package io.uniserve.benchmark.floor;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Connections to bare servers: unary calls to one of them, or to several in parallel. Thread-safe. */
public final class BareChannels implements AutoCloseable {
    /** Limit of a message, so that a bulk insert is one call. */
    static final int MESSAGE_BYTES_MAX = 256 << 20;

    private final List<ManagedChannel> channels;

    public BareChannels(List<Address> servers) {
        this.channels = servers.stream()
                .map(address -> (ManagedChannel) NettyChannelBuilder.forAddress(address.host(), address.port())
                        .usePlaintext()
                        .directExecutor()
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .build())
                .toList();
    }

    public int servers() {
        return channels.size();
    }

    /** Calls one server and returns its reply. */
    public byte[] call(int server, byte[] request) {
        return call(server, List.of(request)).get(0);
    }

    /** Sends each request to a server of its own in parallel, from {@code first} on, and waits for all. Returns the replies in order. */
    public List<byte[]> call(int first, List<byte[]> requests) {
        CountDownLatch open = new CountDownLatch(requests.size());
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicReferenceArray<byte @Nullable []> replies = new AtomicReferenceArray<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            ManagedChannel channel = channels.get((first + i) % channels.size());
            ClientCalls.asyncUnaryCall(
                    channel.newCall(BareCall.METHOD, CallOptions.DEFAULT),
                    requests.get(i),
                    new Reply(i, replies, open, failure));
        }
        try {
            open.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
        Throwable problem = failure.get();
        if (problem != null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "the bare server failed: " + problem.getMessage(), problem);
        }
        List<byte[]> all = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            byte[] reply = replies.get(i);
            all.add(reply == null ? new byte[0] : reply);
        }
        return all;
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private record Reply(
            int index,
            AtomicReferenceArray<byte @Nullable []> replies,
            CountDownLatch open,
            AtomicReference<@Nullable Throwable> failure)
            implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] reply) {
            replies.set(index, reply);
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
