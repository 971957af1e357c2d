package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an actor's log.
 * <ul>
 * <li>EPOCH is the first entry of a primary's epoch. Its {@code rows} are empty, or have the hash from which the running hash continues.
 * <li>UPDATE is an eventual update, with request, function and rows.
 * <li>PREPARE is the actor's part of an atomic update, as {@link BatchRows} in {@code rows}; see also {@link #previous} and
 * {@link #participants}.
 * <li>DECIDE is the outcome of an atomic update: its function is {@link #COMMIT} or {@link #ABORT}.
 * <li>REFUSED stands in place of an update that the primary's engine could not apply: request, function, and the reason in {@code rows}.
 * </ul>
 *
 * @param version the atomic update's version; 0 in eventual tables
 * @param request the client's request id, null for EPOCH
 * @param lowWater the client's smallest unfinished sequence number, below which outcomes may be forgotten; for PREPARE {@link #previous}
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

    /** Type of an entry. This version does not write DELTA. */
    public enum Type {
        UPDATE,
        PREPARE,
        DECIDE,
        EPOCH,
        DELTA,
        REFUSED
    }

    /** The first entry of an epoch. */
    public static LogEntry epoch(long epoch, long index) {
        return new LogEntry(Type.EPOCH, epoch, index, 0, null, 0, "", Bytes.EMPTY);
    }

    /** The same, with a hash from which the log's running hash continues. */
    public static LogEntry epoch(long epoch, long index, Bytes anchor) {
        return new LogEntry(Type.EPOCH, epoch, index, 0, null, 0, "", anchor);
    }

    /**
     * The actor's part of an atomic update.
     *
     * @param previous the table's newest committed version when this version was started
     * @param participants number of actors with rows in the version
     */
    public static LogEntry prepare(long epoch, long index, long version, long previous, int participants, Bytes rows) {
        return new LogEntry(Type.PREPARE, epoch, index, version, null, previous, "" + participants, rows);
    }

    /** For PREPARE: the table's newest committed version when this version was started. Versions in between were not committed. */
    public long previous() {
        return lowWater;
    }

    /** For PREPARE: number of actors with rows in the version; 0 if the entry does not have it. */
    public int participants() {
        boolean told = type == Type.PREPARE && function.length() < 10 && function.matches("\\d+");
        return told ? Integer.parseInt(function) : 0;
    }

    /** The outcome of an atomic update. */
    public static LogEntry decide(long epoch, long index, long version, boolean commit) {
        return new LogEntry(Type.DECIDE, epoch, index, version, null, 0, commit ? COMMIT : ABORT, Bytes.EMPTY);
    }

    /** True for a DECIDE that commits. */
    public boolean isCommit() {
        return type == Type.DECIDE && function.equals(COMMIT);
    }

    /** The REFUSED entry that takes the place of this update. */
    public LogEntry toRefused(Bytes why) {
        return new LogEntry(Type.REFUSED, epoch, index, version, request, lowWater, function, why);
    }
}
