package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an actor's log.
 *
 * @param type UPDATE with request, function and rows; EPOCH opens a primary's epoch and carries nothing; REFUSED stands for
 *     an update that the primary's engine could not apply: its request, its function, and in {@code rows} why
 * @param version the transaction's version; 0 on eventual tables
 * @param request the client's request id, null for EPOCH
 * @param lowWater the client's smallest unfinished sequence, for forgetting outcomes
 */
public record LogEntry(
        Type type,
        long epoch,
        long index,
        long version,
        @Nullable RequestId request,
        long lowWater,
        String function,
        Bytes rows) {
    /** What the entry is. PREPARE, DECIDE and DELTA are kept for transactions. */
    public enum Type {
        UPDATE,
        PREPARE,
        DECIDE,
        EPOCH,
        DELTA,
        REFUSED
    }

    /** The entry that opens an epoch. */
    public static LogEntry epoch(long epoch, long index) {
        return new LogEntry(Type.EPOCH, epoch, index, 0, null, 0, "", Bytes.EMPTY);
    }

    /** The same update, at the same place, refused. */
    public LogEntry refused(Bytes why) {
        return new LogEntry(Type.REFUSED, epoch, index, version, request, lowWater, function, why);
    }
}
