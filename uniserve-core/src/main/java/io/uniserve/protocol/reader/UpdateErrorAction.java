package io.uniserve.protocol.reader;

import io.uniserve.error.ErrorCode;

/** What an update's error means: a primary's for an actor's rows, a driver's for an atomic update. */
public enum UpdateErrorAction {
    /** The rows will not be taken. */
    REFUSED,
    /** The rows may have been applied; the same request id tells. */
    UNKNOWN,
    /** Not applied; the primary, or the next one, may take them later. */
    RETRY,
    /** Not applied, and not likely to change soon: a few attempts. */
    RETRY_FEW;

    /** What the code means. */
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

    /** True when the error stands whatever an earlier attempt without an answer did: rows refused for what they are, or an outcome no longer known. */
    public static boolean settles(ErrorCode code) {
        return code == ErrorCode.INVALID_ARGUMENT
                || code == ErrorCode.INVALID_ROW
                || code == ErrorCode.UNKNOWN_UPDATE
                || code == ErrorCode.TOO_LARGE
                || code == ErrorCode.OUTCOME_EXPIRED
                || code == ErrorCode.UPDATE_REFUSED;
    }
}
