package io.uniserve.runtime.transport;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.proto.ErrorMapping;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Mapping of errors to and from gRPC's status: the nearest standard code, with the typed detail in the trailers. */
public final class StatusMapping {
    private static final Logger LOG = LoggerFactory.getLogger(StatusMapping.class);
    private static final Metadata.Key<byte[]> DETAIL =
            Metadata.Key.of("uniserve-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private static final int CAUSES_MAX = 16;

    private StatusMapping() {}

    public static StatusRuntimeException toStatus(UniserveException error) {
        Metadata trailers = new Metadata();
        trailers.put(DETAIL, ErrorMapping.encode(error));
        return status(error.code()).withDescription(error.code().name()).asRuntimeException(trailers);
    }

    public static StatusRuntimeException toStatus(RuntimeException error) {
        return toStatus(toUniserveException(error));
    }

    /** Returns the error for the caller. An unexpected failure of a handler is logged here, and sent without internal details. */
    public static UniserveException toUniserveException(RuntimeException error) {
        if (error instanceof UniserveException known) {
            return known;
        }
        LOG.error("a request failed unexpectedly", error);
        return new UniserveException(ErrorCode.INTERNAL, error.getClass().getSimpleName() + "; see the server's log");
    }

    private static Status status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, INVALID_ROW, INVALID_CONFIGURATION -> Status.INVALID_ARGUMENT;
            case TABLE_NOT_FOUND, BACKUP_NOT_FOUND, UNKNOWN_OPERATOR, UNKNOWN_UPDATE, UNKNOWN_PORT -> Status.NOT_FOUND;
            case TABLE_EXISTS, BACKUP_EXISTS -> Status.ALREADY_EXISTS;
            case UNSUPPORTED -> Status.UNIMPLEMENTED;
            case WRONG_CLUSTER,
                    OUTCOME_EXPIRED,
                    TABLE_RESTORED,
                    STALE_EPOCH,
                    NOT_PRIMARY,
                    NOT_LEADER,
                    LEASE_EXPIRED,
                    BEHIND,
                    VERSION_GONE,
                    CHUNK_EXPIRED,
                    EXCHANGE_LOST,
                    CURSOR_GONE -> Status.FAILED_PRECONDITION;
            case CANCELLED, QUERY_KILLED -> Status.CANCELLED;
            case UNAUTHORIZED -> Status.PERMISSION_DENIED;
            case TOO_LARGE, RESOURCE_EXHAUSTED, LOG_FULL, DISK_FULL -> Status.RESOURCE_EXHAUSTED;
            case DEADLINE_EXCEEDED -> Status.DEADLINE_EXCEEDED;
            case UNAVAILABLE, NOT_ENOUGH_REPLICAS -> Status.UNAVAILABLE;
            case CONFLICT, OUTCOME_UNKNOWN, IO -> Status.ABORTED;
            case CORRUPT -> Status.DATA_LOSS;
            case INTERNAL, PORT_FAILED, PORT_PROTOCOL, UPDATE_REFUSED -> Status.INTERNAL;
        };
    }

    /**
     * Maps the failure of a call for its caller.
     *
     * @param sent false if the request certainly never left this process
     * @param idempotent true if the request may be sent again elsewhere whatever its outcome was
     */
    public static UniserveException fromStatus(Throwable failure, String target, boolean sent, boolean idempotent) {
        if (failure instanceof UniserveException known) {
            return known;
        }
        Status status = Status.fromThrowable(failure);
        if (status.getCause() instanceof UniserveException local) {
            // Only this process sets a cause: the call failed before it was sent, at its login.
            return new UniserveException(local.code(), target + ": " + local.reason(), local);
        }
        Metadata trailers = Status.trailersFromThrowable(failure);
        byte[] detail = trailers == null ? null : trailers.get(DETAIL);
        Optional<UniserveException> told = detail == null ? Optional.empty() : ErrorMapping.decode(detail, failure);
        return told.orElseGet(() -> transportError(status, target, sent, idempotent, failure));
    }

    private static UniserveException transportError(
            Status status, String target, boolean sent, boolean idempotent, Throwable cause) {
        String description = status.getDescription() == null ? status.getCode().name() : status.getDescription();
        String message = target + ": " + description + rootCause(status);
        Status.Code kind = connectionLost(status) ? Status.Code.UNAVAILABLE : status.getCode();
        ErrorCode code = switch (kind) {
            case DEADLINE_EXCEEDED -> sent ? ErrorCode.DEADLINE_EXCEEDED : ErrorCode.UNAVAILABLE;
            case UNAVAILABLE, ABORTED -> !sent || idempotent ? ErrorCode.UNAVAILABLE : ErrorCode.OUTCOME_UNKNOWN;
            case CANCELLED -> ErrorCode.CANCELLED;
            case RESOURCE_EXHAUSTED -> ErrorCode.TOO_LARGE;
            case UNIMPLEMENTED -> ErrorCode.UNSUPPORTED;
            case INVALID_ARGUMENT -> ErrorCode.INVALID_ARGUMENT;
            case PERMISSION_DENIED, UNAUTHENTICATED -> ErrorCode.UNAUTHORIZED;
            case OK, UNKNOWN, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE, INTERNAL, DATA_LOSS ->
                ErrorCode.INTERNAL;
        };
        return new UniserveException(code, message, cause);
    }

    /**
     * True if the connection was lost. gRPC reports a call on a closing connection with a code for programming errors: UNKNOWN if the
     * channel was already closed, INTERNAL if a frame was incomplete. The cause, which only this side's transport sets, shows the
     * loss.
     */
    private static boolean connectionLost(Status status) {
        if (status.getCode() != Status.Code.UNKNOWN && status.getCode() != Status.Code.INTERNAL) {
            return false;
        }
        Throwable cause = status.getCause();
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
            if (cause instanceof IOException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static String rootCause(Status status) {
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause == null || cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
    }
}
