package io.uniserve.runtime.transport;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;

/**
 * Messages whose bytes fields are views of the message as it came: it is read into an array of its own, once, where gRPC's reads it
 * into one that it uses again, and protobuf copies every field out. For large payloads that are kept: as long as one of its
 * fields is, all of a message is. On the wire nothing is different.
 *
 * @param <M> the message
 */
record ViewMarshaller<M extends MessageLite>(MethodDescriptor.Marshaller<M> writer, Parser<M> parser)
        implements MethodDescriptor.Marshaller<M> {
    /** The same method with answers in views. */
    static <Q, M extends MessageLite> MethodDescriptor<Q, M> answers(MethodDescriptor<Q, M> method, Parser<M> parser) {
        return method.toBuilder(
                        method.getRequestMarshaller(), new ViewMarshaller<>(method.getResponseMarshaller(), parser))
                .build();
    }

    @Override
    public InputStream stream(M value) {
        return writer.stream(value);
    }

    @Override
    public M parse(InputStream stream) {
        try {
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(whole(stream)).newCodedInput();
            in.enableAliasing(true); // nobody changes the array any more
            M message = parser.parseFrom(in);
            in.checkLastTagWas(0);
            return message;
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

    /** The transport has bounded its size. */
    private static byte[] whole(InputStream stream) throws IOException {
        if (!(stream instanceof KnownLength)) {
            return stream.readAllBytes();
        }
        byte[] whole = new byte[stream.available()];
        int size = stream.readNBytes(whole, 0, whole.length);
        if (size < whole.length) {
            throw new InvalidProtocolBufferException("the message has " + size + " bytes of " + whole.length);
        }
        return whole;
    }
}
