package io.uniserve.error;

/**
 * Stable error codes. A number never changes and is never reused: user errors are 1xxx, resources 2xxx, availability 3xxx (a retry
 * elsewhere or later may succeed), internal 4xxx, port 5xxx.
 */
public enum ErrorCode {
    INVALID_ARGUMENT(1001, false),
    TABLE_NOT_FOUND(1002, false),
    TABLE_EXISTS(1003, false),
    UNKNOWN_OPERATOR(1004, false),
    UNKNOWN_UPDATE(1005, false),
    UNKNOWN_PORT(1006, false),
    UNSUPPORTED(1007, false),
    WRONG_CLUSTER(1008, false),
    INVALID_ROW(1009, false),
    INVALID_CONFIGURATION(1010, false),
    OUTCOME_EXPIRED(1011, false),
    CANCELLED(1012, false),
    UNAUTHORIZED(1013, false),
    BACKUP_NOT_FOUND(1014, false),
    BACKUP_EXISTS(1015, false),
    TABLE_RESTORED(1016, false),
    /** A condition of the update does not hold, e.g. the row does not have the expected version. */
    CONFLICT(1020, false),
    /** An operator ended the query, or it ran longer than the server permits. */
    QUERY_KILLED(1021, false),
    /** The row belongs to a chunk of time that the table no longer keeps. */
    CHUNK_EXPIRED(1022, false),
    TOO_LARGE(2001, false),
    RESOURCE_EXHAUSTED(2002, true),
    LOG_FULL(2003, false),
    DISK_FULL(2004, true),
    DEADLINE_EXCEEDED(3001, false),
    UNAVAILABLE(3002, true),
    STALE_EPOCH(3003, true),
    NOT_PRIMARY(3004, true),
    NOT_ENOUGH_REPLICAS(3005, true),
    LEASE_EXPIRED(3006, true),
    NOT_LEADER(3007, true),
    BEHIND(3008, true),
    OUTCOME_UNKNOWN(3009, true),
    VERSION_GONE(3010, true),
    EXCHANGE_LOST(3011, true),
    CURSOR_GONE(3012, false),
    INTERNAL(4001, false),
    CORRUPT(4002, false),
    IO(4003, true),
    PORT_FAILED(5001, false),
    PORT_PROTOCOL(5002, false),
    UPDATE_REFUSED(5003, false);

    private final int number;
    private final boolean retriable;

    ErrorCode(int number, boolean retriable) {
        this.number = number;
        this.retriable = retriable;
    }

    /** The stable number, for messages and logs. */
    public int number() {
        return number;
    }

    /** True if the same request may succeed on another replica or later. */
    public boolean retriable() {
        return retriable;
    }

    /** The code with this number; {@link #INTERNAL} for a number that this version does not know. */
    public static ErrorCode ofNumber(int number) {
        for (ErrorCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return INTERNAL;
    }
}
