package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Manifest of a named backup of a table: its definition, and one part per actor. Without parts it marks a started backup, so that its pins
 * can be found even if it fails.
 *
 * @param id 16 hexadecimal digits, unique to this backup
 * @param cluster the cluster of the table
 * @param version version of every actor's part in an atomic table; 0 for eventual tables
 * @param newest the newest version that is in some actor's log, committed or aborted. An actor accepts no new update with such a version,
 *     so a restored table continues after it
 * @param actors the actors of the backup
 * @param parts one part per actor, in their order; empty for a backup that has only been started
 */
public record TableSnapshot(
        BackupName name,
        String id,
        String cluster,
        TableMeta meta,
        long version,
        long newest,
        Actors actors,
        Optional<List<Part>> parts) {
    /** Format of tables with a fixed set of actors. */
    private static final int FORMAT = 3;

    private static final int FORMAT_WITHOUT_NEWEST = 2;

    /** Format of TIME tables, which names the actors. */
    private static final int FORMAT_TIME = 4;

    public TableSnapshot {
        parts = parts.map(List::copyOf);
    }

    /**
     * Actors of a backup.
     *
     * @param numbers numbers, ascending. In a TIME table those of whole chunks, else 0 to n - 1
     * @param expiredBefore ordinal of the first chunk of a TIME table that is not expired; no actor is of an earlier one. 0 for other tables
     */
    public record Actors(List<Integer> numbers, int expiredBefore) {
        public Actors {
            numbers = List.copyOf(numbers);
        }

        /** All actors of a table; those of the map for a TIME table. */
        public static Actors of(TableMeta meta, TableMap map) {
            return meta.partitioner() instanceof Partitioner.Time
                    ? new Actors(map.numbers(), map.expiredBefore())
                    : fixed(meta);
        }

        /** All actors of a table whose actors never change. */
        public static Actors fixed(TableMeta meta) {
            return new Actors(
                    IntStream.range(0, meta.partitioner().actors()).boxed().toList(), 0);
        }

        /** Number of actors. */
        public int count() {
            return numbers.size();
        }
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
        return parts.isPresent();
    }

    /** The pin of an actor's part; INVALID_ARGUMENT if the backup has no part of the actor. */
    public SnapshotPin pin(int actor) {
        int at = Collections.binarySearch(actors.numbers(), actor);
        if (at < 0 || parts.isEmpty()) {
            throw UniserveException.invalid("backup " + name + " has no part of actor " + actor);
        }
        return pinAt(at, parts.get());
    }

    private SnapshotPin pinAt(int at, List<Part> all) {
        return new SnapshotPin(
                cluster,
                new ReplicaKey(meta.tableId(), actors.numbers().get(at)),
                id,
                all.get(at).sha256());
    }

    /**
     * The manifest for work on one actor: for a TIME table only the parts of its chunk, so that requests stay small in a table with many
     * chunks.
     */
    public TableSnapshot forActor(int actor) {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            return this;
        }
        int from = Collections.binarySearch(actors.numbers(), time.firstActor(time.ordinalOf(actor)));
        if (from < 0) {
            return this;
        }
        int to = from + time.buckets();
        Actors chunk = new Actors(actors.numbers().subList(from, to), actors.expiredBefore());
        return new TableSnapshot(
                name, id, cluster, meta, version, newest, chunk, parts.map(all -> all.subList(from, to)));
    }

    /** The same without the chunks of a TIME table that are expired at this time, in milliseconds since 1970. */
    public TableSnapshot liveAt(long now) {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            return this;
        }
        return withoutChunksBefore(time.expiredBefore(actors.numbers(), actors.expiredBefore(), now));
    }

    /** The same without the chunks of a TIME table before an ordinal, which are expired. */
    public TableSnapshot withoutChunksBefore(int ordinal) {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            return this;
        }
        int from = 0;
        while (from < actors.count() && time.ordinalOf(actors.numbers().get(from)) < ordinal) {
            from++;
        }
        int first = from;
        Actors live =
                new Actors(actors.numbers().subList(first, actors.count()), Math.max(actors.expiredBefore(), ordinal));
        return new TableSnapshot(
                name, id, cluster, meta, version, newest, live, parts.map(all -> all.subList(first, all.size())));
    }

    /** The complete manifest with these parts, one per actor. */
    public TableSnapshot complete(long ofVersion, long newestVersion, List<Part> all) {
        return new TableSnapshot(name, id, cluster, meta, ofVersion, newestVersion, actors, Optional.of(all));
    }

    /** Encodes the manifest. */
    public Bytes encode() {
        boolean time = meta.partitioner() instanceof Partitioner.Time;
        BinaryWriter out = new BinaryWriter();
        out.writeInt(time ? FORMAT_TIME : FORMAT)
                .writeString(name.value())
                .writeString(id)
                .writeString(cluster);
        StoredTableDefinition.write(out, meta);
        out.writeLong(version).writeLong(newest);
        if (time) {
            out.writeInt(actors.expiredBefore()).writeBoolean(isComplete()).writeInt(actors.count());
            actors.numbers().forEach(out::writeInt);
        }
        List<Part> all = parts.orElse(List.of());
        out.writeInt(all.size());
        all.forEach(
                part -> out.writeString(part.sha256()).writeLong(part.index()).writeLong(part.bytes()));
        return out.toBytes();
    }

    /** Decodes a manifest and checks every name and number; CORRUPT if the bytes are not a manifest. */
    public static TableSnapshot decode(Bytes data) {
        try {
            BinaryReader in = new BinaryReader(data);
            int format = in.readInt();
            if (format < FORMAT_WITHOUT_NEWEST || format > FORMAT_TIME) {
                throw corrupt("it has format " + format + ", this version reads " + FORMAT_WITHOUT_NEWEST + " to "
                        + FORMAT_TIME);
            }
            BackupName name = new BackupName(in.readString());
            String id = in.readString();
            String cluster = in.readString();
            TableMeta meta = StoredTableDefinition.read(in);
            if (meta.partitioner() instanceof Partitioner.Time != (format == FORMAT_TIME)) {
                throw corrupt("it has format " + format + ", which does not fit its table's partitioner");
            }
            long version = in.readLong();
            long newest = format == FORMAT_WITHOUT_NEWEST ? version : in.readLong();
            int expiredBefore = format == FORMAT_TIME ? in.readInt() : 0;
            boolean complete = format == FORMAT_TIME && in.readBoolean();
            Actors actors = format == FORMAT_TIME ? new Actors(numbers(in), expiredBefore) : Actors.fixed(meta);
            List<Part> parts = new ArrayList<>();
            for (int left = in.readCount(20); left > 0; left--) {
                parts.add(new Part(in.readString(), in.readLong(), in.readLong()));
            }
            in.expectEnd();
            boolean withParts = complete || !parts.isEmpty();
            TableSnapshot backup = new TableSnapshot(
                    name,
                    id,
                    cluster,
                    meta,
                    version,
                    newest,
                    actors,
                    withParts ? Optional.of(parts) : Optional.empty());
            backup.check();
            return backup;
        } catch (UniserveException e) {
            throw e.code() == ErrorCode.CORRUPT && e.reason().startsWith("backup manifest")
                    ? e
                    : new UniserveException(ErrorCode.CORRUPT, "backup manifest: " + e.reason(), e);
        }
    }

    private static List<Integer> numbers(BinaryReader in) {
        List<Integer> numbers = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            numbers.add(in.readInt());
        }
        return numbers;
    }

    private void check() {
        new SnapshotPin(cluster, new ReplicaKey(meta.tableId(), 0), id, "0".repeat(64));
        if (newest < version) {
            throw corrupt("it is of version " + version + ", but its newest version is " + newest);
        }
        if (version < 0 || meta.level() == ConsistencyLevel.EVENTUAL && version > 0) {
            throw corrupt("it is of version " + version + " of a table of level " + meta.level());
        }
        if (meta.partitioner() instanceof Partitioner.Time time) {
            checkChunks(time);
        }
        List<Part> all = parts.orElse(List.of());
        int max = meta.partitioner() instanceof Partitioner.Time
                ? Limits.TIME_ACTORS_PER_TABLE_MAX
                : Limits.ACTORS_PER_TABLE_MAX;
        if (isComplete() && all.size() != actors.count() || actors.count() > max) {
            throw corrupt("it has " + all.size() + " parts, the table " + actors.count() + " actors");
        }
        for (int i = 0; i < all.size(); i++) {
            pinAt(i, all);
            if (all.get(i).index() < 0 || all.get(i).bytes() < 0) {
                throw corrupt("actor " + actors.numbers().get(i) + " ends at index "
                        + all.get(i).index());
            }
        }
    }

    /** Checks that the actors ascend, and are those of whole chunks that are not expired. */
    private void checkChunks(Partitioner.Time time) {
        List<Integer> numbers = actors.numbers();
        for (int i = 0; i < numbers.size(); i++) {
            int first = time.firstActor(time.ordinalOf(numbers.get(i - i % time.buckets())));
            boolean inPlace = numbers.get(i) == first + i % time.buckets();
            boolean ascends = i == 0 || numbers.get(i) > numbers.get(i - 1);
            boolean covered = time.ordinalOf(first) < time.chunks().chunks();
            if (numbers.get(i) < 0 || !inPlace || !ascends || !covered) {
                throw corrupt("actor " + numbers.get(i) + " is not in its place of a chunk");
            }
        }
        if (numbers.size() % time.buckets() != 0) {
            throw corrupt(numbers.size() + " actors are no whole chunks of " + time.buckets() + " buckets");
        }
        if (actors.expiredBefore() < 0
                || !numbers.isEmpty() && time.ordinalOf(numbers.get(0)) < actors.expiredBefore()) {
            throw corrupt("chunks before " + actors.expiredBefore() + " are expired, it has actor "
                    + (numbers.isEmpty() ? "none" : numbers.get(0)));
        }
    }

    private static UniserveException corrupt(String what) {
        return new UniserveException(ErrorCode.CORRUPT, "backup manifest: " + what);
    }
}
