package io.uniserve.cli.badinput;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ErrorMapping;
import io.uniserve.runtime.proto.ErrorProto;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Raw messages to one process that no client would send. */
final class RawCalls implements AutoCloseable {
    private static final Metadata.Key<byte[]> DETAIL =
            Metadata.Key.of("uniserve-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final ManagedChannel channel;

    RawCalls(String address) {
        channel = ManagedChannelBuilder.forTarget(address)
                .usePlaintext()
                .maxInboundMessageSize(Limits.MESSAGE_BYTES_MAX)
                .build();
    }

    /** Sends one read on a new call and waits for its reply or the end of the call. */
    DataProto.ReadReply read(DataProto.ReadsCall call) {
        return told(() -> {
            CompletableFuture<DataProto.ReadsReply> first = new CompletableFuture<>();
            StreamObserver<DataProto.ReadsCall> reads =
                    DataGrpc.newStub(channel).reads(new FirstReply(first));
            reads.onNext(call);
            try {
                DataProto.ReadsReply reply = first.get(30, TimeUnit.SECONDS);
                if (!reply.getError().isEmpty()) {
                    throw ErrorMapping.decode(reply.getError().toByteArray());
                }
                return reply.getReply();
            } catch (ExecutionException e) {
                throw (StatusRuntimeException) e.getCause();
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("no reply", e);
            } finally {
                reads.onCompleted();
            }
        });
    }

    private record FirstReply(CompletableFuture<DataProto.ReadsReply> first)
            implements StreamObserver<DataProto.ReadsReply> {
        @Override
        public void onNext(DataProto.ReadsReply reply) {
            first.complete(reply);
        }

        @Override
        public void onError(Throwable problem) {
            first.completeExceptionally(problem);
        }

        @Override
        public void onCompleted() {
            first.completeExceptionally(new AssertionError("the call ended without a reply"));
        }
    }

    DataProto.UpdateReply update(DataProto.UpdateCall call) {
        return told(() -> DataGrpc.newBlockingStub(channel).update(call));
    }

    void query(DataProto.QueryCall call) {
        told(() -> DataGrpc.newBlockingStub(channel).query(call));
    }

    void admin(AdminProto.AdminCall call) {
        told(() -> AdminGrpc.newBlockingStub(channel).call(call));
    }

    /** Returns the error of the other side; a broken call is thrown unchanged. */
    private static <T> T told(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            Metadata trailers = e.getTrailers();
            byte[] detail = trailers == null ? null : trailers.get(DETAIL);
            if (detail == null) {
                throw e;
            }
            try {
                ErrorProto.ErrorDetail error = ErrorProto.ErrorDetail.parseFrom(detail);
                ErrorCode code = Arrays.stream(ErrorCode.values())
                        .filter(one -> one.number() == error.getCode())
                        .findAny()
                        .orElseThrow();
                throw new UniserveException(code, error.getMessage(), e);
            } catch (com.google.protobuf.InvalidProtocolBufferException broken) {
                throw new AssertionError(broken);
            }
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
