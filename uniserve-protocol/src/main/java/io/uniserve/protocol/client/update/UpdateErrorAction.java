package io.uniserve.protocol.client.update;

import io.uniserve.error.ErrorCode;

/** Reaction of an update to an error, of a primary for an actor's rows or of a transaction manager for an atomic update. */
public enum UpdateErrorAction {
    /** The rows will not be accepted: the update fails. */
    REFUSED,
    /** The rows may have been applied: a retry with the same request id finds out. */
    UNKNOWN,
    /** Not applied; the primary, or the next one, may accept them later. */
    RETRY,
    /** Not applied, and not likely to change soon: a few retries. */
    RETRY_FEW;

    /** The reaction to this code. */
    public static UpdateErrorAction of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT,
                    TABLE_EXISTS,
                    UNKNOWN_OPERATOR,
                    UNKNOWN_UPDATE,
                    UNKNOWN_PORT,
                    UNSUPPORTED,
                    WRONG_CLUSTER,
                    INVALID_ROW,
                    INVALID_CONFIGURATION,
                    OUTCOME_EXPIRED,
                    UNAUTHORIZED,
                    BACKUP_NOT_FOUND,
                    BACKUP_EXISTS,
                    TABLE_RESTORED,
                    TOO_LARGE,
                    LOG_FULL,
                    CONFLICT,
                    QUERY_KILLED,
                    CURSOR_GONE,
                    CHUNK_EXPIRED,
                    UPDATE_REFUSED -> REFUSED;
            case DEADLINE_EXCEEDED, OUTCOME_UNKNOWN, CANCELLED -> UNKNOWN;
            case TABLE_NOT_FOUND,
                    RESOURCE_EXHAUSTED,
                    UNAVAILABLE,
                    STALE_EPOCH,
                    NOT_PRIMARY,
                    NOT_ENOUGH_REPLICAS,
                    LEASE_EXPIRED,
                    NOT_LEADER,
                    BEHIND,
                    VERSION_GONE,
                    EXCHANGE_LOST -> RETRY;
            case DISK_FULL, INTERNAL, CORRUPT, IO, PORT_FAILED, PORT_PROTOCOL -> RETRY_FEW;
        };
    }

    /** True if the error is final even after an earlier attempt without a reply: the rows are invalid, or the outcome is forgotten. */
    public static boolean isFinal(ErrorCode code) {
        return code == ErrorCode.INVALID_ARGUMENT
                || code == ErrorCode.INVALID_ROW
                || code == ErrorCode.UNKNOWN_UPDATE
                || code == ErrorCode.TOO_LARGE
                || code == ErrorCode.OUTCOME_EXPIRED
                || code == ErrorCode.CHUNK_EXPIRED
                || code == ErrorCode.UPDATE_REFUSED;
    }
}
