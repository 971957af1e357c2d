package io.uniserve.runtime.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.UniserveException;
import java.io.InputStream;
import java.util.List;

/**
 * Check for bytes that are not a valid message. gRPC answers them with an internal error and logs a stack trace for each, which any
 * sender could exploit. Here they become an empty message with a mark, which the service rejects with INVALID_ARGUMENT.
 */
public final class MalformedMessageGuard {
    /** Largest possible field number. A caller that sends it itself is rejected too. */
    private static final int UNPARSED_FIELD = 536_870_911;

    private MalformedMessageGuard() {}

    /** Returns the service with requests that always parse. */
    public static ServerServiceDefinition tolerant(BindableService service) {
        ServerServiceDefinition bound = service.bindService();
        ServiceDescriptor.Builder descriptor =
                ServiceDescriptor.newBuilder(bound.getServiceDescriptor().getName());
        List<? extends ServerMethodDefinition<?, ?>> tolerant =
                bound.getMethods().stream().map(MalformedMessageGuard::tolerant).toList();
        tolerant.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder methods = ServerServiceDefinition.builder(descriptor.build());
        for (ServerMethodDefinition<?, ?> method : tolerant) {
            methods.addMethod(method);
        }
        return methods.build();
    }

    private static <Q, R> ServerMethodDefinition<Q, R> tolerant(ServerMethodDefinition<Q, R> method) {
        MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
        return ServerMethodDefinition.create(
                descriptor.toBuilder(
                                new Tolerant<>(descriptor.getRequestMarshaller()), descriptor.getResponseMarshaller())
                        .build(),
                method.getServerCallHandler());
    }

    /** Fails with INVALID_ARGUMENT if the message did not parse. */
    public static void refuse(Message message) {
        UnknownFieldSet unknown = message.getUnknownFields();
        if (!unknown.asMap().isEmpty() && unknown.hasField(UNPARSED_FIELD)) {
            throw UniserveException.invalid("malformed message: the request's bytes are not a "
                    + message.getDescriptorForType().getName());
        }
    }

    private record Tolerant<Q>(MethodDescriptor.Marshaller<Q> marshaller) implements MethodDescriptor.Marshaller<Q> {
        @Override
        public InputStream stream(Q value) {
            return marshaller.stream(value);
        }

        @Override
        @SuppressWarnings("unchecked") // the builder of a message of type Q builds a Q
        public Q parse(InputStream stream) {
            try {
                return marshaller.parse(stream);
            } catch (StatusRuntimeException e) {
                if (marshaller instanceof MethodDescriptor.PrototypeMarshaller<Q> typed
                        && typed.getMessagePrototype() instanceof Message prototype) {
                    return (Q) prototype
                            .newBuilderForType()
                            .setUnknownFields(mark())
                            .build();
                }
                throw e;
            }
        }

        private static UnknownFieldSet mark() {
            return UnknownFieldSet.newBuilder()
                    .addField(
                            UNPARSED_FIELD,
                            UnknownFieldSet.Field.newBuilder()
                                    .addLengthDelimited(ByteString.EMPTY)
                                    .build())
                    .build();
        }
    }
}
