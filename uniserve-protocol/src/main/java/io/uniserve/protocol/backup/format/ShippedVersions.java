package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.protocol.message.VersionParticipants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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
    /** Format of tables whose actors never change. */
    private static final int FORMAT = 2;

    /** Format of TIME tables, which names the participants. */
    private static final int FORMAT_TIME = 3;

    private static final int COMMIT_BYTES_MIN = 20;

    /** An actor without data in storage. */
    public static final ShippedVersions NOTHING = new ShippedVersions(0, 0, 0, List.of());

    public ShippedVersions {
        committed = List.copyOf(committed);
    }

    /**
     * A committed version.
     *
     * @param previous the version committed before it
     * @param participants the actors that participate in it. Chunks of earlier versions may be absent if this actor has the previous one
     */
    public record Commit(long version, long previous, VersionParticipants participants) {
        public Commit(long version, long previous, int participants) {
            this(version, previous, VersionParticipants.counted(participants));
        }

        /**
         * The commit in a list after one of this version. If that is the previous one, chunks of earlier versions are left out: they
         * show nothing then, and can be many.
         */
        public Commit following(long before) {
            return previous != before || participants.chunks().isEmpty()
                    ? this
                    : new Commit(
                            version,
                            previous,
                            VersionParticipants.named(
                                    participants.chunks().get().actors(),
                                    ChunkVersions.NONE.withoutChunksBefore(participants
                                            .chunks()
                                            .get()
                                            .earlier()
                                            .expiredBefore())));
        }
    }

    /** Ordinal of a chunk of a TIME table before which all were expired when one of these versions was prepared; 0 if unknown. */
    public int expiredBefore() {
        int before = 0;
        for (Commit commit : committed) {
            VersionParticipants.Chunks chunks = commit.participants().chunks().orElse(null);
            before = chunks == null ? before : Math.max(before, chunks.earlier().expiredBefore());
        }
        return before;
    }

    /**
     * The newest version that is complete in storage, with all versions before it. A checkpoint is stored only after all other actors have
     * shipped its versions, so everything up to the newest checkpoint is complete. After it, each commit names the previous commit and its
     * participants. So a gap is detected even if no actor has the missing version. In a TIME table, participants in expired chunks do not
     * count. A missing version is no gap if a later PREPARE shows that its newest chunk is expired.
     *
     * @param actors the live actors by number
     * @param expiredBefore ordinal of the first chunk of a TIME table that is not expired: at least {@link #expiredBefore()} of all actors
     */
    public static long newestOfAll(Partitioner partitioner, int expiredBefore, Map<Integer, ShippedVersions> actors) {
        long version = 0;
        TreeMap<Long, TreeSet<Integer>> holders = new TreeMap<>();
        TreeMap<Long, Commit> commits = new TreeMap<>();
        for (Map.Entry<Integer, ShippedVersions> actor : actors.entrySet()) {
            version = Math.max(version, actor.getValue().covered());
            for (Commit commit : actor.getValue().committed()) {
                holders.computeIfAbsent(commit.version(), any -> new TreeSet<>())
                        .add(actor.getKey());
                commits.put(commit.version(), commit);
            }
        }
        for (Map.Entry<Long, Commit> next : commits.tailMap(version, false).entrySet()) {
            Commit commit = next.getValue();
            Set<Integer> has = holders.getOrDefault(next.getKey(), new TreeSet<>());
            if (!follows(commit, version, expiredBefore)
                    || !isComplete(commit.participants(), has, partitioner, expiredBefore)) {
                return version;
            }
            version = next.getKey();
        }
        return version;
    }

    /** True if no version between these two can be lost. */
    private static boolean follows(Commit commit, long version, int expiredBefore) {
        return commit.previous() <= version
                || commit.participants()
                        .chunks()
                        .filter(chunks -> chunks.earlier().newestLive(expiredBefore) <= version)
                        .isPresent();
    }

    private static boolean isComplete(
            VersionParticipants participants, Set<Integer> holders, Partitioner partitioner, int expiredBefore) {
        if (participants.count() < 1) {
            return false;
        }
        if (participants.chunks().isEmpty() || !(partitioner instanceof Partitioner.Time time)) {
            return holders.size() >= participants.count();
        }
        return participants.chunks().get().actors().stream()
                .allMatch(actor -> time.ordinalOf(actor) < expiredBefore || holders.contains(actor));
    }

    /** Encodes the reply to the coordinator; TOO_LARGE if the log after the checkpoint has too many versions. */
    public Bytes encode() {
        if (committed.size() > Limits.SURVEY_VERSIONS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "the stored log has " + committed.size() + " versions after the checkpoint, and at most "
                            + Limits.SURVEY_VERSIONS_MAX + " can be reported");
        }
        boolean named = committed.stream()
                .anyMatch(commit -> commit.participants().chunks().isPresent());
        BinaryWriter out = new BinaryWriter();
        out.writeInt(named ? FORMAT_TIME : FORMAT)
                .writeLong(index)
                .writeLong(newest)
                .writeLong(covered)
                .writeInt(committed.size());
        for (Commit commit : committed) {
            out.writeLong(commit.version()).writeLong(commit.previous());
            if (named) {
                commit.participants().write(out);
            } else {
                out.writeInt(commit.participants().count());
            }
        }
        return out.toBytes();
    }

    /** Decodes the result of {@link #encode}; CORRUPT for other bytes. */
    public static ShippedVersions decode(Bytes data) {
        BinaryReader in = new BinaryReader(data);
        int format = in.readInt();
        if (format != FORMAT && format != FORMAT_TIME) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "a survey has format " + format + ", this version reads " + FORMAT + " and " + FORMAT_TIME);
        }
        long index = in.readLong();
        long newest = in.readLong();
        long covered = in.readLong();
        List<Commit> committed = new ArrayList<>();
        for (int left = in.readCount(COMMIT_BYTES_MIN); left > 0; left--) {
            long version = in.readLong();
            long previous = in.readLong();
            committed.add(new Commit(
                    version,
                    previous,
                    format == FORMAT_TIME ? VersionParticipants.read(in) : VersionParticipants.counted(in.readInt())));
        }
        in.expectEnd();
        return new ShippedVersions(index, newest, covered, committed);
    }
}
