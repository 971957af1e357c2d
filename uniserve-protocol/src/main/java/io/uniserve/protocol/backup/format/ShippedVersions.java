package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The atomic updates of one actor that are complete in durable storage. Together the actors of a table show the newest version to which the
 * table can be restored.
 *
 * @param index end of the actor's log, 0 if storage has nothing of it
 * @param newest the newest version in its checkpoint or log, committed or not; it accepts no update of this or an earlier version
 * @param covered the newest version committed in its checkpoint, 0 for none
 * @param committed versions that are prepared and committed in its log after the checkpoint, ascending
 */
public record ShippedVersions(long index, long newest, long covered, List<Commit> committed) {
    private static final int FORMAT = 2;

    /** An actor without data in storage. */
    public static final ShippedVersions NOTHING = new ShippedVersions(0, 0, 0, List.of());

    public ShippedVersions {
        committed = List.copyOf(committed);
    }

    /**
     * A committed version.
     *
     * @param previous the version committed before it
     * @param participants number of actors that participate in it
     */
    public record Commit(long version, long previous, int participants) {}

    /**
     * The newest version that is complete in storage, with all versions before it. A checkpoint is stored only after all other actors have
     * shipped its versions, so everything up to the newest checkpoint is complete. After it, each commit names the previous commit and its
     * number of participants. So a gap is detected even if no actor has the missing version.
     */
    public static long newestOfAll(List<ShippedVersions> actors) {
        long version = 0;
        for (ShippedVersions actor : actors) {
            version = Math.max(version, actor.covered());
        }
        TreeMap<Long, Integer> parts = new TreeMap<>();
        TreeMap<Long, Commit> commits = new TreeMap<>();
        for (ShippedVersions actor : actors) {
            for (Commit commit : actor.committed()) {
                parts.merge(commit.version(), 1, Integer::sum);
                commits.put(commit.version(), commit);
            }
        }
        for (Map.Entry<Long, Commit> next : commits.tailMap(version, false).entrySet()) {
            Commit commit = next.getValue();
            int has = parts.getOrDefault(next.getKey(), 0);
            if (commit.previous() > version || commit.participants() < 1 || has < commit.participants()) {
                return version;
            }
            version = next.getKey();
        }
        return version;
    }

    /** Encodes the reply to the coordinator; TOO_LARGE if the log after the checkpoint has too many versions. */
    public Bytes encode() {
        if (committed.size() > Limits.SURVEY_VERSIONS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the stored log has " + committed.size() + " versions after the checkpoint, and at most "
                            + Limits.SURVEY_VERSIONS_MAX + " can be reported");
        }
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT)
                .writeLong(index)
                .writeLong(newest)
                .writeLong(covered)
                .writeInt(committed.size());
        for (Commit commit : committed) {
            out.writeLong(commit.version()).writeLong(commit.previous()).writeInt(commit.participants());
        }
        return out.toBytes();
    }

    /** Decodes the result of {@link #encode}; CORRUPT for other bytes. */
    public static ShippedVersions decode(Bytes data) {
        BinaryReader in = new BinaryReader(data);
        int format = in.readInt();
        if (format != FORMAT) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "a survey has format " + format + ", this version reads " + FORMAT);
        }
        long index = in.readLong();
        long newest = in.readLong();
        long covered = in.readLong();
        List<Commit> committed = new ArrayList<>();
        for (int left = in.readCount(20); left > 0; left--) {
            committed.add(new Commit(in.readLong(), in.readLong(), in.readInt()));
        }
        in.expectEnd();
        return new ShippedVersions(index, newest, covered, committed);
    }
}
