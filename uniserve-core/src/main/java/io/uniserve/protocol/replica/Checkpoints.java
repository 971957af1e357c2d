package io.uniserve.protocol.replica;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica's checkpoints: {@code checkpoint/<index>-<epoch>/} with the engine's files under {@code data} and, written last,
 * a {@code manifest} with the table of requests. Without its manifest a checkpoint does not exist.
 */
final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final int KEEP = 2;

    private final Disk disk;
    private final String directory;

    Checkpoints(Disk disk, String replicaDirectory) {
        this.disk = disk;
        this.directory = replicaDirectory + "/checkpoint";
    }

    /** A checkpoint by the log entry it covers up to. */
    record Name(long index, long epoch) {}

    String dataPath(Name name) {
        return path(name) + "/data";
    }

    private String path(Name name) {
        return directory + "/" + name.index() + "-" + name.epoch();
    }

    /** All checkpoints, newest first. */
    void list(Completion<List<Name>> completion) {
        disk.list(directory, listed -> {
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                completion.done(Outcome.err(((Outcome.Err<List<Disk.Entry>>) listed).error()));
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
    void seal(Name name, DedupeTable table, Completion<Done> completion) {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(name.index()).writeLong(name.epoch());
        table.write(out);
        disk.replace(path(name) + "/manifest", DiskState.Sealed.seal(out.toBytes()), made -> {
            if (made instanceof Outcome.Ok<Done>) {
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
                        .forEach(this::delete);
            }
        });
    }

    void delete(Name name) {
        delete(name, done -> {});
    }

    void delete(Name name, Completion<Done> completion) {
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

    /** The table of requests of a checkpoint; CORRUPT or IO where there is no whole manifest. */
    void manifest(Name name, Completion<DedupeTable> completion) {
        disk.read(path(name) + "/manifest", read -> {
            if (read instanceof Outcome.Err<Bytes> err) {
                completion.done(Outcome.err(err.error()));
                return;
            }
            completion.done(parse(((Outcome.Ok<Bytes>) read).value(), name));
        });
    }

    private static Outcome<DedupeTable> parse(Bytes bytes, Name name) {
        try {
            BinaryReader in = new BinaryReader(DiskState.Sealed.open(bytes, "checkpoint manifest"));
            if (in.readLong() != name.index() || in.readLong() != name.epoch()) {
                return Outcome.err(new UniserveException(
                        io.uniserve.error.ErrorCode.CORRUPT, "checkpoint manifest of another checkpoint"));
            }
            DedupeTable table = DedupeTable.read(in);
            in.expectEnd();
            return Outcome.ok(table);
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }
}
