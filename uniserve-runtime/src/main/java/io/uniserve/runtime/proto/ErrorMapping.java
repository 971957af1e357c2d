package io.uniserve.runtime.proto;

import com.google.protobuf.InvalidProtocolBufferException;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An error with its stable code and what was tried, as bytes of a status trailer or of a reply. */
public final class ErrorMapping {
    /** Trailers travel as HTTP/2 headers, whose size is bounded. */
    private static final int TRAILER_TEXT_CHARS_MAX = 1_024;

    private static final int TRAILER_ATTEMPTS_MAX = 8;

    private ErrorMapping() {}

    /** The error as bytes; long messages are cut, of many attempts the newest are kept. */
    public static byte[] encode(UniserveException error) {
        ErrorProto.ErrorDetail.Builder proto = ErrorProto.ErrorDetail.newBuilder()
                .setCode(error.code().number())
                .setMessage(ProtoChecks.clip(error.reason(), TRAILER_TEXT_CHARS_MAX));
        int attempts = error.tried().size();
        for (Attempt attempt : error.tried().subList(Math.max(0, attempts - TRAILER_ATTEMPTS_MAX), attempts)) {
            proto.addTried(ErrorProto.TriedAttempt.newBuilder()
                    .setWhere(ProtoChecks.clip(attempt.where(), Limits.IDENTIFIER_CHARS_MAX))
                    .setCode(attempt.code().number())
                    .setMessage(ProtoChecks.clip(attempt.message(), Limits.IDENTIFIER_CHARS_MAX)));
        }
        return proto.build().toByteArray();
    }

    /** The error in these bytes, with the transport's own as its cause; empty where they are none. */
    public static Optional<UniserveException> decode(byte[] bytes, Throwable cause) {
        try {
            return Optional.of(parse(bytes, cause));
        } catch (InvalidProtocolBufferException | UniserveException e) {
            cause.addSuppressed(e);
            return Optional.empty();
        }
    }

    /** The error in these bytes; INTERNAL where they are none. */
    public static UniserveException decode(byte[] bytes) {
        try {
            return parse(bytes, null);
        } catch (InvalidProtocolBufferException | UniserveException e) {
            return new UniserveException(ErrorCode.INTERNAL, "the error told by the server cannot be read", e);
        }
    }

    private static UniserveException parse(byte[] bytes, @Nullable Throwable cause)
            throws InvalidProtocolBufferException {
        ErrorProto.ErrorDetail proto = ErrorProto.ErrorDetail.parseFrom(bytes);
        return new UniserveException(
                ErrorCode.ofNumber(proto.getCode()),
                ProtoChecks.text("message", proto.getMessage(), Limits.MESSAGE_TEXT_CHARS_MAX),
                ProtoChecks.list("tried", proto.getTriedList(), Limits.ATTEMPTS_TOLD_MAX, ErrorMapping::attempt),
                cause);
    }

    private static Attempt attempt(ErrorProto.TriedAttempt proto) {
        return new Attempt(
                ProtoChecks.identifier("where", proto.getWhere()),
                ErrorCode.ofNumber(proto.getCode()),
                ProtoChecks.text("message", proto.getMessage(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
