package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.List;

/**
 * Manifest of a named backup of a table: its definition, and one part per actor. Without parts it marks a started backup, so that its pins
 * can be found even if it fails.
 *
 * @param id 16 hexadecimal digits, unique to this backup
 * @param cluster the cluster of the table
 * @param version version of every actor's part in an atomic table; 0 for eventual tables
 * @param newest the newest version that is in some actor's log, committed or aborted. An actor accepts no new update with such a version,
 *     so a restored table continues after it
 */
public record TableSnapshot(
        BackupName name, String id, String cluster, TableMeta meta, long version, long newest, List<Part> parts) {
    private static final int FORMAT = 3;
    private static final int FORMAT_WITHOUT_NEWEST = 2;

    public TableSnapshot {
        parts = List.copyOf(parts);
    }

    /**
     * Part of an actor.
     *
     * @param sha256 hash of its pin
     * @param index last log index
     * @param bytes size of its checkpoint
     */
    public record Part(String sha256, long index, long bytes) {}

    /** True if every actor's part is present. */
    public boolean isComplete() {
        return !parts.isEmpty();
    }

    /** Number of the table's actors. */
    public int actors() {
        return meta.partitioner().actors();
    }

    /** The pin of an actor's part. */
    public SnapshotPin pin(int actor) {
        return new SnapshotPin(
                cluster,
                new ReplicaKey(meta.tableId(), actor),
                id,
                parts.get(actor).sha256());
    }

    /** Encodes the manifest. */
    public Bytes encode() {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT).writeString(name.value()).writeString(id).writeString(cluster);
        StoredTableDefinition.write(out, meta);
        out.writeLong(version).writeLong(newest).writeInt(parts.size());
        parts.forEach(
                part -> out.writeString(part.sha256()).writeLong(part.index()).writeLong(part.bytes()));
        return out.toBytes();
    }

    /** Decodes a manifest and checks every name and number; CORRUPT if the bytes are not a manifest. */
    public static TableSnapshot decode(Bytes data) {
        try {
            BinaryReader in = new BinaryReader(data);
            int format = in.readInt();
            if (format != FORMAT && format != FORMAT_WITHOUT_NEWEST) {
                throw corrupt("it has format " + format + ", this version reads " + FORMAT);
            }
            BackupName name = new BackupName(in.readString());
            String id = in.readString();
            String cluster = in.readString();
            TableMeta meta = StoredTableDefinition.read(in);
            long version = in.readLong();
            long newest = format == FORMAT ? in.readLong() : version;
            List<Part> parts = new ArrayList<>();
            for (int left = in.readCount(20); left > 0; left--) {
                parts.add(new Part(in.readString(), in.readLong(), in.readLong()));
            }
            in.expectEnd();
            TableSnapshot backup = new TableSnapshot(name, id, cluster, meta, version, newest, parts);
            backup.check();
            return backup;
        } catch (UniserveException e) {
            throw e.code() == ErrorCode.CORRUPT && e.reason().startsWith("backup manifest")
                    ? e
                    : new UniserveException(ErrorCode.CORRUPT, "backup manifest: " + e.reason(), e);
        }
    }

    private void check() {
        new SnapshotPin(cluster, new ReplicaKey(meta.tableId(), 0), id, "0".repeat(64));
        if (newest < version) {
            throw corrupt("it is of version " + version + ", but its newest version is " + newest);
        }
        if (version < 0 || meta.level() == ConsistencyLevel.EVENTUAL && version > 0) {
            throw corrupt("it is of version " + version + " of a table of level " + meta.level());
        }
        if (isComplete() && parts.size() != actors() || parts.size() > Limits.ACTORS_PER_TABLE_MAX) {
            throw corrupt("it has " + parts.size() + " parts, the table " + actors() + " actors");
        }
        for (int actor = 0; actor < parts.size(); actor++) {
            pin(actor);
            if (parts.get(actor).index() < 0 || parts.get(actor).bytes() < 0) {
                throw corrupt(
                        "actor " + actor + " ends at index " + parts.get(actor).index());
            }
        }
    }

    private static UniserveException corrupt(String what) {
        return new UniserveException(ErrorCode.CORRUPT, "backup manifest: " + what);
    }
}
