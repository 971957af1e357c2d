package io.uniserve.protocol.replica.storage;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.log.RunningLogHash;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Content of a replica's {@code state} file.
 *
 * @param installedEpoch the installed epoch
 * @param baseIndex log start offset: index before the first entry, with its epoch
 * @param certified learners that this server certified as primary of the installed epoch
 * @param synced recovery point: a log index that was durable when this was written, so a log that ends before it has lost entries. It is
 * lowered before the log is truncated.
 * @param baseHash running hash of the log at {@code baseIndex}, {@link RunningLogHash#UNKNOWN} if unknown
 * @param rolledBack number of entries ever truncated and saved under {@code rollback/}
 */
public record PersistentState(
        TableName table,
        ReplicaKey key,
        long installedEpoch,
        long baseIndex,
        long baseEpoch,
        long synced,
        List<ServerId> certified,
        long rolledBack,
        long baseHash) {
    private static final int FORMAT = 3;
    /** Format without {@code baseHash}: used if the hash is unknown, so that older versions can read the file. */
    private static final int FORMAT_2 = 2;
    /** Format without {@code synced}. */
    private static final int FORMAT_1 = 1;

    public PersistentState {
        certified = List.copyOf(certified);
    }

    public static PersistentState empty(TableName table, ReplicaKey key) {
        return new PersistentState(table, key, 0, 0, 0, 0, List.of(), 0, RunningLogHash.UNKNOWN);
    }

    /** State of a log that starts after a checkpoint. */
    public PersistentState startingAfter(long index, long epoch) {
        return new PersistentState(
                table, key, installedEpoch, index, epoch, index, List.of(), rolledBack, RunningLogHash.UNKNOWN);
    }

    /** The state with the running hash at the log's start. Unchanged if the hash is known already, or if the log starts elsewhere now. */
    public PersistentState withBaseHash(long index, long hash) {
        return index != baseIndex || baseHash != RunningLogHash.UNKNOWN
                ? this
                : new PersistentState(
                        table, key, installedEpoch, baseIndex, baseEpoch, synced, certified, rolledBack, hash);
    }

    /** The state with a later start of the log, after this entry. */
    public PersistentState withLogStart(long index, long epoch, long hash) {
        return new PersistentState(
                table, key, installedEpoch, index, epoch, Math.max(synced, index), certified, rolledBack, hash);
    }

    public PersistentState withInstalledEpoch(long epoch) {
        return new PersistentState(table, key, epoch, baseIndex, baseEpoch, synced, List.of(), rolledBack, baseHash);
    }

    PersistentState withCertified(ServerId learner) {
        List<ServerId> more = new ArrayList<>(certified);
        more.add(learner);
        return new PersistentState(
                table, key, installedEpoch, baseIndex, baseEpoch, synced, more, rolledBack, baseHash);
    }

    public PersistentState withSynced(long index) {
        return new PersistentState(
                table, key, installedEpoch, baseIndex, baseEpoch, index, certified, rolledBack, baseHash);
    }

    public PersistentState withRolledBack(long more) {
        return new PersistentState(
                table, key, installedEpoch, baseIndex, baseEpoch, synced, certified, rolledBack + more, baseHash);
    }

    public Bytes encode() {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(baseHash == RunningLogHash.UNKNOWN ? FORMAT_2 : FORMAT)
                .writeString(table.value())
                .writeLong(key.tableId())
                .writeInt(key.actor());
        out.writeLong(installedEpoch)
                .writeLong(baseIndex)
                .writeLong(baseEpoch)
                .writeLong(rolledBack)
                .writeLong(synced);
        out.writeInt(certified.size());
        certified.forEach(server -> out.writeString(server.value()));
        if (baseHash != RunningLogHash.UNKNOWN) {
            out.writeLong(baseHash);
        }
        return Sealed.seal(out.toBytes());
    }

    /** Decodes a state; CORRUPT if the bytes are incomplete or damaged. */
    public static PersistentState decode(Bytes bytes) {
        BinaryReader in = new BinaryReader(Sealed.open(bytes, "state file"));
        int format = in.readInt();
        if (format < FORMAT_1 || format > FORMAT) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "state file has format " + format + ", this version reads " + FORMAT);
        }
        TableName table = new TableName(in.readString());
        ReplicaKey key = new ReplicaKey(in.readLong(), in.readInt());
        long installed = in.readLong();
        long baseIndex = in.readLong();
        long baseEpoch = in.readLong();
        long rolledBack = in.readLong();
        long synced = format == FORMAT_1 ? 0 : in.readLong();
        List<ServerId> certified = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            certified.add(new ServerId(in.readString()));
        }
        long baseHash = format == FORMAT ? in.readLong() : RunningLogHash.UNKNOWN;
        in.expectEnd();
        return new PersistentState(
                table, key, installed, baseIndex, baseEpoch, synced, certified, rolledBack, baseHash);
    }

    /** Bytes with a leading checksum. */
    static final class Sealed {
        private Sealed() {}

        static Bytes seal(Bytes body) {
            return new BinaryWriter(body.size() + 8)
                    .writeInt(crc(body))
                    .writeBytes(body)
                    .toBytes();
        }

        static Bytes open(Bytes sealed, String what) {
            BinaryReader in = new BinaryReader(sealed);
            int checksum = in.readInt();
            Bytes body = in.readBytes();
            in.expectEnd();
            if (checksum != crc(body)) {
                throw new UniserveException(ErrorCode.CORRUPT, what + ": checksum is wrong");
            }
            return body;
        }

        private static int crc(Bytes body) {
            CRC32C crc = new CRC32C();
            crc.update(body.buffer());
            return (int) crc.getValue();
        }
    }
}
