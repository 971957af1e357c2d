package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;

/** Reaction of a query to an error of one replica. */
public enum ReadErrorAction {
    /** The error is the same at every replica: the query fails. */
    FATAL,
    /** The error may be this replica's own: each other replica is tried once, then the query fails. */
    ONCE_EACH,
    /** Other replicas are tried, then all again later. */
    RETRY;

    /** The reaction to this code. */
    public static ReadErrorAction of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT,
                    TABLE_EXISTS,
                    UNSUPPORTED,
                    WRONG_CLUSTER,
                    INVALID_ROW,
                    INVALID_CONFIGURATION,
                    OUTCOME_EXPIRED,
                    UNAUTHORIZED,
                    BACKUP_NOT_FOUND,
                    BACKUP_EXISTS,
                    TABLE_RESTORED,
                    VERSION_GONE,
                    EXCHANGE_LOST,
                    QUERY_KILLED,
                    CONFLICT,
                    CHUNK_EXPIRED,
                    TOO_LARGE -> FATAL;
            case UNKNOWN_OPERATOR,
                    UNKNOWN_UPDATE,
                    UNKNOWN_PORT,
                    INTERNAL,
                    CORRUPT,
                    PORT_FAILED,
                    PORT_PROTOCOL,
                    UPDATE_REFUSED,
                    CURSOR_GONE,
                    LOG_FULL -> ONCE_EACH;
            case TABLE_NOT_FOUND,
                    CANCELLED,
                    RESOURCE_EXHAUSTED,
                    DISK_FULL,
                    DEADLINE_EXCEEDED,
                    UNAVAILABLE,
                    STALE_EPOCH,
                    NOT_PRIMARY,
                    NOT_ENOUGH_REPLICAS,
                    LEASE_EXPIRED,
                    NOT_LEADER,
                    BEHIND,
                    OUTCOME_UNKNOWN,
                    IO -> RETRY;
        };
    }
}
