package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.model.RequestId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an actor's log.
 * <ul>
 * <li>EPOCH is the first entry of a primary's epoch. Its {@code rows} are empty, or have the hash from which the running hash continues.
 * <li>UPDATE is an eventual update, with request, function and rows.
 * <li>PREPARE is the actor's part of an atomic update, see {@link #batches}, {@link #previous} and {@link #participants}.
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

    /** Function of a PREPARE entry of a TIME table: {@code rows} start with the length and the bytes of the participants. */
    private static final String NAMED = "participants@1";

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
     * The actor's part of an atomic update, in a table whose actors never change.
     *
     * @param previous the table's newest committed version when this version was started
     * @param participants number of actors with rows in the version
     * @param rows a {@link BatchRows#LIST}
     */
    public static LogEntry prepare(long epoch, long index, long version, long previous, int participants, Bytes rows) {
        return prepare(epoch, index, version, previous, VersionParticipants.counted(participants), rows);
    }

    /**
     * The actor's part of an atomic update.
     *
     * @param previous the table's newest committed version when this version was started
     * @param rows a {@link BatchRows#LIST}
     */
    public static LogEntry prepare(
            long epoch, long index, long version, long previous, VersionParticipants participants, Bytes rows) {
        if (participants.chunks().isEmpty()) {
            String count = "" + participants.count();
            return new LogEntry(Type.PREPARE, epoch, index, version, null, previous, count, rows);
        }
        Bytes named = VersionParticipants.encode(participants.chunks().get());
        BinaryWriter out = new BinaryWriter(Integer.BYTES + named.size() + rows.size());
        out.writeBytes(named).writeRaw(rows);
        return new LogEntry(Type.PREPARE, epoch, index, version, null, previous, NAMED, out.finish());
    }

    /** For PREPARE: the table's newest committed version when this version was started. Versions in between were not committed. */
    public long previous() {
        return lowWater;
    }

    /** For PREPARE: the actors with rows in the version; CORRUPT if they cannot be read. */
    public VersionParticipants participants() {
        if (type != Type.PREPARE) {
            return VersionParticipants.UNKNOWN;
        }
        if (function.equals(NAMED)) {
            return VersionParticipants.decode(new BinaryReader(rows).readBytes());
        }
        boolean told = function.length() < 10 && function.matches("\\d+");
        return told ? VersionParticipants.counted(Integer.parseInt(function)) : VersionParticipants.UNKNOWN;
    }

    /** For PREPARE: the rows; CORRUPT if they cannot be read. */
    public List<BatchRows> batches() {
        BinaryReader in = new BinaryReader(rows);
        if (function.equals(NAMED)) {
            in.readBytes();
        }
        return BatchRows.LIST.read(in);
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
