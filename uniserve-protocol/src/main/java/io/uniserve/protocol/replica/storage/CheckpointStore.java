package io.uniserve.protocol.replica.storage;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints of a replica on disk: {@code checkpoint/<index>-<epoch>/} with the engine's files under {@code data}, and a {@code manifest}
 * with the table of requests, which is written last. A checkpoint without manifest is incomplete. If the log does not start at index 1, the
 * checkpoint at its start is kept, as both together can rebuild everything.
 */
public final class CheckpointStore {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointStore.class);
    private static final int KEEP = 2;

    private final Disk disk;
    private final String directory;
    private final LongSupplier baseIndex;
    /** Intact checkpoints by index. */
    private final TreeMap<Long, Name> intact = new TreeMap<>();

    private @Nullable Name newest;
    private @Nullable Hold held;
    private boolean requested;

    /**
     * @param baseIndex index before the log's first entry
     */
    public CheckpointStore(Disk disk, String replicaDirectory, LongSupplier baseIndex) {
        this.disk = disk;
        this.directory = replicaDirectory + "/checkpoint";
        this.baseIndex = baseIndex;
    }

    /** Name of a checkpoint: index and epoch of the last log entry that it covers. */
    public record Name(long index, long epoch) {}

    /**
     * A reader's hold on a checkpoint's files. An old checkpoint is not deleted while it is held. A damaged one may be, and the hold is
     * then lost.
     */
    public static final class Hold {
        public final Name name;
        private boolean lost;

        private Hold(Name name) {
            this.name = name;
        }

        /** True when the held files were deleted. */
        public boolean isLost() {
            return lost;
        }
    }

    /** The newest checkpoint known to be intact; null if none was made or read yet. */
    @Nullable
    public Name newest() {
        return newest;
    }

    /**
     * Index of the second newest intact checkpoint that belongs to this log, 0 for none. While the log starts before it, the replica can be
     * rebuilt locally even if the newest one is damaged.
     */
    public long secondNewestIndex(ReplicaLog log) {
        boolean one = false;
        for (Name name : intact.descendingMap().values()) {
            if (name.index() <= log.durableIndex() && log.epochAt(name.index()) == name.epoch()) {
                if (one) {
                    return name.index();
                }
                one = true;
            }
        }
        return 0;
    }

    /** Holds a checkpoint, in place of the previously held one. */
    public Hold hold(Name name) {
        Hold hold = new Hold(name);
        held = hold;
        return hold;
    }

    public void release() {
        held = null;
    }

    /** Requests a checkpoint before the log has grown enough for one. */
    public void requestCheckpoint() {
        requested = true;
    }

    /** Marks the newest checkpoint as damaged, and requests another. */
    public void markNewestDamaged() {
        if (newest != null) {
            intact.remove(newest.index());
        }
        newest = null;
        requested = true;
    }

    public boolean isRequested() {
        return requested;
    }

    /** Returns whether a checkpoint was requested, and clears the request. */
    public boolean takeRequest() {
        boolean was = requested;
        requested = false;
        return was;
    }

    public String dataPath(Name name) {
        return path(name) + "/data";
    }

    public String path(Name name) {
        return directory + "/" + name.index() + "-" + name.epoch();
    }

    private void add(Name name) {
        intact.put(name.index(), name);
        if (newest == null || newest.index() <= name.index()) {
            newest = name;
        }
    }

    /** All checkpoints, newest first. */
    public void list(Completion<List<Name>> completion) {
        disk.list(directory, listed -> {
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                completion.done(Outcome.err(listed.error()));
                return;
            }
            List<Name> names = new ArrayList<>();
            for (Disk.Entry entry : ok.value()) {
                if (entry.name().matches("\\d{1,18}-\\d{1,18}/")) {
                    String[] parts =
                            entry.name().substring(0, entry.name().length() - 1).split("-", 2);
                    names.add(new Name(Long.parseLong(parts[0]), Long.parseLong(parts[1])));
                }
            }
            names.sort((a, b) -> Long.compare(b.index(), a.index()));
            completion.done(Outcome.ok(names));
        });
    }

    /** Completes a checkpoint by writing its manifest, then deletes old ones. */
    public void complete(Name name, RequestOutcomeTable table, Completion<Done> completion) {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(name.index()).writeLong(name.epoch());
        table.write(out);
        disk.replace(path(name) + "/manifest", PersistentState.Sealed.seal(out.toBytes()), made -> {
            if (made instanceof Outcome.Ok<Done>) {
                add(name);
                deleteOld(name);
            }
            completion.done(made);
        });
    }

    private void deleteOld(Name newest) {
        list(listed -> {
            if (listed instanceof Outcome.Ok<List<Name>> ok) {
                ok.value().stream()
                        .filter(n -> n.index() <= newest.index())
                        .skip(KEEP)
                        .filter(n -> n.index() != baseIndex.getAsLong() && (held == null || !held.name.equals(n)))
                        .forEach(this::delete);
            }
        });
    }

    public void delete(Name name) {
        delete(name, done -> {});
    }

    public void delete(Name name, Completion<Done> completion) {
        intact.remove(name.index(), name);
        if (name.equals(newest)) {
            newest = null;
        }
        if (held != null && held.name.equals(name)) {
            held.lost = true;
        }
        disk.delete(path(name), done -> {
            if (done instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "checkpoint {}: deletion failed: {}",
                        path(name),
                        err.error().reason());
            }
            completion.done(done);
        });
    }

    /** Moves a damaged checkpoint to another place for inspection. */
    public void quarantine(Name name, String place, Completion<Done> completion) {
        intact.remove(name.index(), name);
        disk.move(path(name), place, completion);
    }

    /**
     * The table of requests of a checkpoint; empty if the checkpoint is incomplete, CORRUPT if its manifest fails its checks. Other errors
     * do not mean that the checkpoint is damaged.
     */
    public void manifest(Name name, Completion<Optional<RequestOutcomeTable>> completion) {
        disk.list(path(name), listed -> {
            if (listed instanceof Outcome.Err<List<Disk.Entry>> err) {
                completion.done(Outcome.err(err.error()));
            } else if (listed.value().stream().noneMatch(entry -> entry.name().equals("manifest"))) {
                completion.done(Outcome.ok(Optional.empty()));
            } else {
                disk.read(path(name) + "/manifest", read -> {
                    if (read instanceof Outcome.Err<Bytes> err) {
                        completion.done(Outcome.err(err.error()));
                    } else {
                        Outcome<Optional<RequestOutcomeTable>> parsed = parse(read.value(), name);
                        if (parsed instanceof Outcome.Ok<Optional<RequestOutcomeTable>>) {
                            add(name);
                        }
                        completion.done(parsed);
                    }
                });
            }
        });
    }

    public static Outcome<Optional<RequestOutcomeTable>> parse(Bytes bytes, Name name) {
        try {
            BinaryReader in = new BinaryReader(PersistentState.Sealed.open(bytes, "checkpoint manifest"));
            if (in.readLong() != name.index() || in.readLong() != name.epoch()) {
                return Outcome.err(new UniserveException(
                        io.uniserve.error.ErrorCode.CORRUPT, "checkpoint manifest: it belongs to another checkpoint"));
            }
            RequestOutcomeTable table = RequestOutcomeTable.read(in);
            in.expectEnd();
            return Outcome.ok(Optional.of(table));
        } catch (UniserveException e) {
            return Outcome.err(new UniserveException(
                    io.uniserve.error.ErrorCode.CORRUPT, "checkpoint manifest: " + e.reason(), e));
        }
    }
}
