package io.uniserve.protocol.reader;

import io.uniserve.error.ErrorCode;

/** What an error of one replica means for a query. */
public enum ReadErrorAction {
    /** The same everywhere: the query fails. */
    FATAL,
    /** Perhaps this replica's own trouble: every other replica is asked once, then the query fails. */
    ONCE_EACH,
    /** Ask elsewhere, then again later. */
    RETRY;

    /** What this code means. */
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
