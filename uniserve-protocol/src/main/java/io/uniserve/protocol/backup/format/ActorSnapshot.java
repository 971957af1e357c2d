package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * An actor's part of a named backup: a checkpoint and the log runs after it, up to one index. All are objects of the actor's continuous
 * backup. The part is stored as a pin among these objects, which protects them from deletion. All object names in it are built from numbers
 * and hashes.
 *
 * @param cluster the actor's cluster
 * @param index last log index
 * @param epoch upper bound of the epochs of objects and entries
 * @param checkpoint key of the checkpoint's manifest, empty for none
 * @param checkpointIndex log index that the checkpoint covers, 0 for none
 * @param bytes total size of the checkpoint's files
 */
public record ActorSnapshot(
        String cluster,
        ReplicaKey key,
        long index,
        long epoch,
        String checkpoint,
        long checkpointIndex,
        long bytes,
        List<Piece> log) {
    private static final int FORMAT = 1;
    private static final String CLUSTER = "[a-z0-9-]{1,64}";

    public ActorSnapshot {
        log = List.copyOf(log);
    }

    /** A run of the log. Only its entries up to {@code until} belong to the part. */
    public record Piece(long first, long last, long epoch, long until) {}

    /** The runs with entries after the checkpoint and up to the index. The first run may start before the checkpoint. */
    public static List<Piece> pieces(List<BackupPaths.Run> chain, long checkpointIndex, long index) {
        List<Piece> pieces = new ArrayList<>();
        for (BackupPaths.Run run : chain) {
            if (run.first() <= index && checkpointIndex < index) {
                pieces.add(new Piece(run.first(), run.stored(), run.epoch(), Math.min(run.last(), index)));
            }
        }
        return pieces;
    }

    public String checkpointPrefix() {
        return BackupPaths.checkpointPrefix(cluster, key);
    }

    public String logKey(Piece piece) {
        return BackupPaths.log(cluster, key, piece.first(), piece.last(), piece.epoch());
    }

    /** Keys of its objects except the checkpoint's chunks. */
    public TreeSet<String> keys() {
        TreeSet<String> keys = new TreeSet<>();
        log.forEach(piece -> keys.add(logKey(piece)));
        if (!checkpoint.isEmpty()) {
            keys.add(checkpoint);
        }
        return keys;
    }

    public Bytes encode() {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT).writeString(cluster).writeLong(key.tableId()).writeInt(key.actor());
        out.writeLong(index).writeLong(epoch).writeString(checkpoint).writeLong(checkpointIndex);
        out.writeLong(bytes).writeInt(log.size());
        for (Piece piece : log) {
            out.writeLong(piece.first()).writeLong(piece.last());
            out.writeLong(piece.epoch()).writeLong(piece.until());
        }
        return out.toBytes();
    }

    /** Decodes a part, and checks every name and number; CORRUPT if the object does not match this hash. */
    static ActorSnapshot decode(Bytes data, String sha256, String cluster, ReplicaKey key) {
        if (data.size() > Limits.BACKUP_MANIFEST_BYTES_MAX || !Sha256.hex(data).equals(sha256)) {
            throw corrupt("its bytes do not match the SHA-256 in its name");
        }
        BinaryReader in = new BinaryReader(data);
        int format = in.readInt();
        if (format != FORMAT) {
            throw corrupt("it has format " + format + ", this version reads " + FORMAT);
        }
        String foundCluster = in.readString();
        ReplicaKey foundKey = new ReplicaKey(in.readLong(), in.readInt());
        if (!foundCluster.matches(CLUSTER) || !foundCluster.equals(cluster) || !foundKey.equals(key)) {
            throw corrupt("it belongs to another actor");
        }
        long index = in.readLong();
        long epoch = in.readLong();
        String checkpoint = in.readString();
        long checkpointIndex = in.readLong();
        long bytes = in.readLong();
        List<Piece> log = new ArrayList<>();
        for (int left = in.readCount(32); left > 0; left--) {
            log.add(new Piece(in.readLong(), in.readLong(), in.readLong(), in.readLong()));
        }
        in.expectEnd();
        ActorSnapshot part = new ActorSnapshot(cluster, key, index, epoch, checkpoint, checkpointIndex, bytes, log);
        part.check();
        return part;
    }

    private void check() {
        BackupPaths.Stored stored = BackupPaths.stored(checkpoint, checkpointPrefix());
        boolean named = checkpoint.isEmpty()
                ? checkpointIndex == 0
                : stored != null && stored.manifest() && stored.epoch() <= epoch && checkpointIndex > 0;
        if (!named || bytes < 0 || epoch < 1 || index < checkpointIndex) {
            throw corrupt("its checkpoint has index " + checkpointIndex + ", its end " + index);
        }
        long next = checkpointIndex + 1;
        for (Piece piece : log) {
            if (piece.first() < 1
                    || piece.first() > next
                    || piece.until() < next
                    || piece.until() > piece.last()
                    || piece.epoch() > epoch) {
                throw corrupt("its log does not continue at " + next);
            }
            next = piece.until() + 1;
        }
        if (next != index + 1) {
            throw corrupt("its log ends at " + (next - 1) + ", not at " + index);
        }
    }

    private static UniserveException corrupt(String what) {
        return new UniserveException(ErrorCode.CORRUPT, "backed-up actor: " + what);
    }
}
