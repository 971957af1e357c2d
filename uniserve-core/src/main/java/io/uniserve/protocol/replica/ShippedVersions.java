package io.uniserve.protocol.replica;

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
 * Which atomic updates durable storage has all of, as far as one actor has a part in them. Those of all actors of a table
 * together tell the newest version to which the table can be brought back.
 *
 * @param index how far its log goes, 0 where storage has nothing of it
 * @param newest the newest version that its checkpoint or its log knows, committed or not: it takes no update of it, or of an
 *     earlier one, any more
 * @param covered the newest version committed in the actor's checkpoint, 0 for none
 * @param committed what is prepared and committed in its log after the checkpoint, ascending
 */
public record ShippedVersions(long index, long newest, long covered, List<Commit> committed) {
    private static final int FORMAT = 2;

    /** Of an actor of which storage has nothing. */
    static final ShippedVersions NOTHING = new ShippedVersions(0, 0, 0, List.of());

    public ShippedVersions {
        committed = List.copyOf(committed);
    }

    /**
     * A version that was committed.
     *
     * @param previous the version that was committed before it
     * @param participants how many actors have a part in it
     */
    public record Commit(long version, long previous, int participants) {}

    /**
     * The newest version of which, and of all before it, storage has everything. No actor's checkpoint is stored before all the
     * other actors' logs have what it has: so everything up to the newest one of them is there. From there on each commit names
     * the one before it, so that none is missed that no actor has, and the number of its parts.
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

    /** As an answer to the coordinator; TOO_LARGE where the log after the checkpoint has too many versions. */
    Bytes encode() {
        if (committed.size() > Limits.SURVEY_VERSIONS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the stored log has " + committed.size() + " versions after the checkpoint, at most "
                            + Limits.SURVEY_VERSIONS_MAX + " can be told");
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

    /** Reads what {@link #encode} made; CORRUPT where it is something else. */
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
