package io.uniserve.protocol.replica;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica's checkpoints: {@code checkpoint/<index>-<epoch>/} with the engine's files under {@code data} and, written last,
 * a {@code manifest} with the table of requests. Without its manifest a checkpoint does not exist. The one on which the log
 * stands, where it does not begin at index 1, is kept: everything can be built again from it and the log.
 */
final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final int KEEP = 2;

    private final Disk disk;
    private final String directory;
    private final LongSupplier baseIndex;
    /** Those known to be whole, by index. */
    private final TreeMap<Long, Name> known = new TreeMap<>();

    private @Nullable Name newest;
    private @Nullable Hold held;
    private boolean wanted;

    /**
     * @param baseIndex index before the log's first entry
     */
    Checkpoints(Disk disk, String replicaDirectory, LongSupplier baseIndex) {
        this.disk = disk;
        this.directory = replicaDirectory + "/checkpoint";
        this.baseIndex = baseIndex;
    }

    /** A checkpoint by the log entry it covers up to. */
    record Name(long index, long epoch) {}

    /** Somebody reads the checkpoint's files. Old ones are not deleted meanwhile; one that is deleted as wrong is lost to him. */
    static final class Hold {
        final Name name;
        private boolean lost;

        private Hold(Name name) {
            this.name = name;
        }

        /** True when the files are no longer those that were held. */
        boolean lost() {
            return lost;
        }
    }

    /** The newest checkpoint known to be whole; null where none was made or read yet. */
    @Nullable
    Name newest() {
        return newest;
    }

    /**
     * Index of the second newest checkpoint known to be whole and to lie on this log, 0 for none: as long as the log begins
     * before it, the replica can be built again without help even if the newest is found damaged.
     */
    long secondOn(ReplicaLog log) {
        boolean one = false;
        for (Name name : known.descendingMap().values()) {
            if (name.index() <= log.durableIndex() && log.epochAt(name.index()) == name.epoch()) {
                if (one) {
                    return name.index();
                }
                one = true;
            }
        }
        return 0;
    }

    /** Holds a checkpoint in place of the one held before. */
    Hold hold(Name name) {
        Hold hold = new Hold(name);
        held = hold;
        return hold;
    }

    void release() {
        held = null;
    }

    /** Asks for a checkpoint sooner than the log's growth does. */
    void want() {
        wanted = true;
    }

    /** The newest one is damaged: another is wanted in its place. */
    void doubt() {
        if (newest != null) {
            known.remove(newest.index());
        }
        newest = null;
        wanted = true;
    }

    boolean wanted() {
        return wanted;
    }

    /** True once after {@link #want}. */
    boolean takeWanted() {
        boolean was = wanted;
        wanted = false;
        return was;
    }

    String dataPath(Name name) {
        return path(name) + "/data";
    }

    String path(Name name) {
        return directory + "/" + name.index() + "-" + name.epoch();
    }

    private void know(Name name) {
        known.put(name.index(), name);
        if (newest == null || newest.index() <= name.index()) {
            newest = name;
        }
    }

    /** All checkpoints, newest first. */
    void list(Completion<List<Name>> completion) {
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

    /** Makes the checkpoint exist, then deletes old ones. */
    void seal(Name name, RequestTable table, Completion<Done> completion) {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(name.index()).writeLong(name.epoch());
        table.write(out);
        disk.replace(path(name) + "/manifest", PersistentState.Sealed.seal(out.toBytes()), made -> {
            if (made instanceof Outcome.Ok<Done>) {
                know(name);
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

    void delete(Name name) {
        delete(name, done -> {});
    }

    void delete(Name name, Completion<Done> completion) {
        known.remove(name.index(), name);
        if (name.equals(newest)) {
            newest = null;
        }
        if (held != null && held.name.equals(name)) {
            held.lost = true;
        }
        disk.delete(path(name), done -> {
            if (done instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "checkpoint {} cannot be deleted: {}",
                        path(name),
                        err.error().reason());
            }
            completion.done(done);
        });
    }

    /** Keeps a damaged checkpoint for a look. */
    void setAside(Name name, String place, Completion<Done> completion) {
        known.remove(name.index(), name);
        disk.move(path(name), place, completion);
    }

    /**
     * The table of requests of a checkpoint; empty where it was never finished, CORRUPT where its manifest does not check.
     * Other errors say nothing about the checkpoint.
     */
    void manifest(Name name, Completion<Optional<RequestTable>> completion) {
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
                        Outcome<Optional<RequestTable>> parsed = parse(read.value(), name);
                        if (parsed instanceof Outcome.Ok<Optional<RequestTable>>) {
                            know(name);
                        }
                        completion.done(parsed);
                    }
                });
            }
        });
    }

    static Outcome<Optional<RequestTable>> parse(Bytes bytes, Name name) {
        try {
            BinaryReader in = new BinaryReader(PersistentState.Sealed.open(bytes, "checkpoint manifest"));
            if (in.readLong() != name.index() || in.readLong() != name.epoch()) {
                return Outcome.err(new UniserveException(
                        io.uniserve.error.ErrorCode.CORRUPT, "checkpoint manifest of another checkpoint"));
            }
            RequestTable table = RequestTable.read(in);
            in.expectEnd();
            return Outcome.ok(Optional.of(table));
        } catch (UniserveException e) {
            return Outcome.err(new UniserveException(
                    io.uniserve.error.ErrorCode.CORRUPT, "checkpoint manifest: " + e.reason(), e));
        }
    }
}
