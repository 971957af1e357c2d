package io.uniserve.protocol.replica.state;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/**
 * Content of a REFUSED entry.
 *
 * @param hash hash of the update's content, by which a retry is recognized
 * @param reason the engine's error
 */
public record Rejection(long hash, String reason) {
    public static Rejection of(LogEntry update, UniserveException error) {
        return new Rejection(
                RequestOutcomeTable.contentHash(update.function(), update.rows()),
                PrintableText.line(error.getMessage()));
    }

    public Bytes encode() {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(hash).writeString(reason);
        return out.toBytes();
    }

    static Rejection decode(Bytes rows) {
        BinaryReader in = new BinaryReader(rows);
        Rejection rejection = new Rejection(in.readLong(), in.readString());
        in.expectEnd();
        return rejection;
    }

    /** True for an error that blames the rows, and not the state of this server. */
    public static boolean isRowError(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT,
                    CONFLICT,
                    INVALID_ROW,
                    UNSUPPORTED,
                    UNKNOWN_UPDATE,
                    TOO_LARGE,
                    PORT_FAILED,
                    PORT_PROTOCOL,
                    UPDATE_REFUSED -> true;
            case TABLE_NOT_FOUND,
                    CHUNK_EXPIRED,
                    QUERY_KILLED,
                    TABLE_EXISTS,
                    UNKNOWN_OPERATOR,
                    UNKNOWN_PORT,
                    WRONG_CLUSTER,
                    INVALID_CONFIGURATION,
                    OUTCOME_EXPIRED,
                    CANCELLED,
                    UNAUTHORIZED,
                    BACKUP_NOT_FOUND,
                    BACKUP_EXISTS,
                    TABLE_RESTORED,
                    RESOURCE_EXHAUSTED,
                    LOG_FULL,
                    DISK_FULL,
                    DEADLINE_EXCEEDED,
                    UNAVAILABLE,
                    STALE_EPOCH,
                    NOT_PRIMARY,
                    NOT_ENOUGH_REPLICAS,
                    LEASE_EXPIRED,
                    NOT_LEADER,
                    BEHIND,
                    VERSION_GONE,
                    EXCHANGE_LOST,
                    CURSOR_GONE,
                    OUTCOME_UNKNOWN,
                    INTERNAL,
                    CORRUPT,
                    IO -> false;
        };
    }
}
