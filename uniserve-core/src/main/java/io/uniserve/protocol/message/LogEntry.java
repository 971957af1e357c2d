package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an actor's log.
 *
 * @param type UPDATE with request, function and rows; EPOCH opens a primary's epoch and carries nothing, or in
 *     {@code rows} the log's hash to go on from; REFUSED stands for
 *     an update that the primary's engine could not apply: its request, its function, and in {@code rows} why. PREPARE has
 *     the actor's part of an atomic update in {@code rows}, see {@link BatchRows}, and tells where it belongs, see {@link
 *     #previous} and {@link #participants}; DECIDE, which has {@link #COMMIT} or
 *     {@link #ABORT} for a function, says what became of it
 * @param version the atomic update's version; 0 on eventual tables
 * @param request the client's request id, null for EPOCH
 * @param lowWater the client's smallest unfinished sequence, for forgetting outcomes; of a PREPARE {@link #previous}
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
    /** Function of a DECIDE entry that commits. */
    public static final String COMMIT = "commit";

    /** Function of a DECIDE entry that aborts. */
    public static final String ABORT = "abort";

    /** What the entry is. DELTA is not written by this version. */
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

    /** The same with a hash from which the log's running hash goes on. */
    public static LogEntry epoch(long epoch, long index, Bytes anchor) {
        return new LogEntry(Type.EPOCH, epoch, index, 0, null, 0, "", anchor);
    }

    /**
     * The actor's part of an atomic update.
     *
     * @param previous the table's newest committed version when this one was begun
     * @param participants how many actors have a part in it
     */
    public static LogEntry prepare(long epoch, long index, long version, long previous, int participants, Bytes rows) {
        return new LogEntry(Type.PREPARE, epoch, index, version, null, previous, "" + participants, rows);
    }

    /** Of a PREPARE: the table's newest committed version when this one was begun. Every later one was not committed. */
    public long previous() {
        return lowWater;
    }

    /** Of a PREPARE: how many actors have a part in the version; 0 where the entry does not say. */
    public int participants() {
        boolean told = type == Type.PREPARE && function.length() < 10 && function.matches("\\d+");
        return told ? Integer.parseInt(function) : 0;
    }

    /** What became of an atomic update. */
    public static LogEntry decide(long epoch, long index, long version, boolean commit) {
        return new LogEntry(Type.DECIDE, epoch, index, version, null, 0, commit ? COMMIT : ABORT, Bytes.EMPTY);
    }

    /** True for a DECIDE that commits. */
    public boolean commits() {
        return type == Type.DECIDE && function.equals(COMMIT);
    }

    /** The same update, at the same place, refused. */
    public LogEntry refused(Bytes why) {
        return new LogEntry(Type.REFUSED, epoch, index, version, request, lowWater, function, why);
    }
}
