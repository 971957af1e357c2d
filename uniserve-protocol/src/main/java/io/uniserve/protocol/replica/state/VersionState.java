package io.uniserve.protocol.replica.state;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.protocol.message.LogEntry;

/**
 * State of the versions of atomic updates at one index of an actor's log: a pure function of the entries up to it, saved with every
 * checkpoint. The log has no other update between a PREPARE and its DECIDE, so at most one version is open.
 */
public final class VersionState {
    private long newest;
    private long open;
    private long openIndex;
    private long refused;
    private long committed;

    /** The newest version that was prepared, refused or decided here. Versions up to it are not prepared again. */
    public long newest() {
        return newest;
    }

    /** The version that is prepared and not decided, 0 for none. */
    public long open() {
        return open;
    }

    /** Index of the open PREPARE. */
    public long openIndex() {
        return openIndex;
    }

    /** The newest version that the primary's engine refused, 0 for none. */
    public long refused() {
        return refused;
    }

    /** The newest version committed here, 0 for none. */
    public long committed() {
        return committed;
    }

    VersionState copy() {
        VersionState copy = new VersionState();
        copy.newest = newest;
        copy.open = open;
        copy.openIndex = openIndex;
        copy.refused = refused;
        copy.committed = committed;
        return copy;
    }

    /** True for an entry that changes this state. */
    public static boolean isVersionEntry(LogEntry entry) {
        return switch (entry.type()) {
            case PREPARE, DECIDE -> true;
            case REFUSED -> entry.version() > 0;
            case UPDATE, EPOCH, DELTA -> false;
        };
    }

    /** Adds the next entry. */
    void record(LogEntry entry) {
        if (!isVersionEntry(entry)) {
            return;
        }
        newest = Math.max(newest, entry.version());
        if (entry.type() == LogEntry.Type.PREPARE) {
            open = entry.version();
            openIndex = entry.index();
            return;
        }
        if (open == entry.version()) {
            open = 0;
        }
        if (entry.type() == LogEntry.Type.REFUSED) {
            refused = entry.version();
        } else if (entry.isCommit()) {
            committed = entry.version();
        }
    }

    /** True when there is nothing to save, as for an actor of an eventual table. */
    boolean isEmpty() {
        return newest == 0;
    }

    /** Writes the state. No version may be open. */
    void write(BinaryWriter out) {
        if (open != 0) {
            throw new IllegalStateException("version " + open + " is open");
        }
        out.writeLong(newest).writeLong(refused).writeLong(committed);
    }

    static VersionState read(BinaryReader in) {
        VersionState versionState = new VersionState();
        versionState.newest = in.readLong();
        versionState.refused = in.readLong();
        versionState.committed = in.readLong();
        return versionState;
    }
}
