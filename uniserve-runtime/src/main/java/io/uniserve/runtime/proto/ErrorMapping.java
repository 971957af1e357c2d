package io.uniserve.runtime.proto;

import com.google.protobuf.InvalidProtocolBufferException;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Mapping of errors, with code and attempts, to bytes of a status trailer or of a reply. */
public final class ErrorMapping {
    /** Limit because trailers are HTTP/2 headers, which have a limited size. */
    private static final int TRAILER_TEXT_CHARS_MAX = 1_024;

    private static final int TRAILER_ATTEMPTS_MAX = 8;

    private ErrorMapping() {}

    /** Encodes an error. Truncates long messages, and keeps the newest attempts. */
    public static byte[] encode(UniserveException error) {
        ErrorProto.ErrorDetail.Builder proto = ErrorProto.ErrorDetail.newBuilder()
                .setCode(error.code().number())
                .setMessage(ProtoValidator.clip(error.reason(), TRAILER_TEXT_CHARS_MAX));
        int attempts = error.tried().size();
        for (Attempt attempt : error.tried().subList(Math.max(0, attempts - TRAILER_ATTEMPTS_MAX), attempts)) {
            proto.addTried(ErrorProto.TriedAttempt.newBuilder()
                    .setWhere(ProtoValidator.clip(attempt.where(), Limits.IDENTIFIER_CHARS_MAX))
                    .setCode(attempt.code().number())
                    .setMessage(ProtoValidator.clip(attempt.message(), Limits.IDENTIFIER_CHARS_MAX)));
        }
        return proto.build().toByteArray();
    }

    /** Decodes an error and sets the transport's error as its cause; empty if the bytes are invalid. */
    public static Optional<UniserveException> decode(byte[] bytes, Throwable cause) {
        try {
            return Optional.of(parse(bytes, cause));
        } catch (InvalidProtocolBufferException | UniserveException e) {
            cause.addSuppressed(e);
            return Optional.empty();
        }
    }

    /** Decodes an error; returns INTERNAL if the bytes are invalid. */
    public static UniserveException decode(byte[] bytes) {
        try {
            return parse(bytes, null);
        } catch (InvalidProtocolBufferException | UniserveException e) {
            return new UniserveException(ErrorCode.INTERNAL, "the server's error cannot be decoded", e);
        }
    }

    private static UniserveException parse(byte[] bytes, @Nullable Throwable cause)
            throws InvalidProtocolBufferException {
        ErrorProto.ErrorDetail proto = ErrorProto.ErrorDetail.parseFrom(bytes);
        return new UniserveException(
                ErrorCode.ofNumber(proto.getCode()),
                ProtoValidator.text("message", proto.getMessage(), Limits.MESSAGE_TEXT_CHARS_MAX),
                ProtoValidator.list("tried", proto.getTriedList(), Limits.ATTEMPTS_TOLD_MAX, ErrorMapping::attempt),
                cause);
    }

    private static Attempt attempt(ErrorProto.TriedAttempt proto) {
        return new Attempt(
                ProtoValidator.identifier("where", proto.getWhere()),
                ErrorCode.ofNumber(proto.getCode()),
                ProtoValidator.text("message", proto.getMessage(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
