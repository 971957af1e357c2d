package io.uniserve.protocol.backup.ship;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.restore.CheckpointDownload;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.state.VersionIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writer of pins, which protect an actor's backup up to an index, for the primary of one epoch.
 *
 * <p>A pin counts if the map, checked after the pin was stored, still has the znode version in which this server is the primary. Then no
 * primary deletes the pinned objects. An earlier primary deletes no objects of this epoch's record. This primary deletes nothing while a
 * pin is made. A later primary sees the pin.
 */
final class SnapshotPinner {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final long epoch;
    private final ReplicaLog log;
    private final List<PinRequest> requests = new ArrayList<>();
    private boolean busy;
    private boolean closed;
    private long lastPinnedNanos;

    private record PinRequest(String backup, long index, LongSupplier end, Completion<PeerReply> completion) {
        PinRequest withIndex(long last) {
            return new PinRequest(backup, last, end, completion);
        }
    }

    SnapshotPinner(ReplicaContext host, ReplicaKey key, TableName table, long epoch, ReplicaLog log) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.epoch = epoch;
        this.log = log;
        this.lastPinnedNanos = host.env().clock().nanos();
    }

    /**
     * Replies when everything up to an index is in durable storage and pinned for the backup of this id. With an empty id nothing is
     * pinned.
     *
     * @param end the index, see {@link VersionIndex#lastIndexOf}
     */
    void requestPin(String backup, LongSupplier end, Completion<PeerReply> completion) {
        requests.add(resolveIndex(new PinRequest(backup, VersionIndex.UNDECIDED, end, completion)));
    }

    private PinRequest resolveIndex(PinRequest wish) {
        if (wish.index() != VersionIndex.UNDECIDED) {
            return wish;
        }
        long end = wish.end().getAsLong();
        boolean far = end == VersionIndex.FORGOTTEN && wish.backup().isEmpty(); // the version was decided long ago
        return wish.withIndex(end == VersionIndex.LOG_END || far ? log.lastIndex() : end);
    }

    /** Fails requests that wait for more of the log, because it cannot be shipped now. */
    void failUnshipped(UniserveException error, long shipped) {
        for (PinRequest wish : List.copyOf(requests)) {
            boolean waits = wish.index() == VersionIndex.UNDECIDED || wish.index() > shipped;
            if (waits && requests.remove(wish)) {
                wish.completion()
                        .done(Outcome.err(new UniserveException(
                                error.code(), key + " cannot be backed up: " + error.reason(), error)));
            }
        }
    }

    boolean isWaiting() {
        return !requests.isEmpty();
    }

    /** True while a pin is being made, and until each listing has the last one: no objects may be deleted. */
    boolean isPinning(long now) {
        return busy || now - lastPinnedNanos < BackupCleaner.LISTING_NANOS;
    }

    /**
     * Starts the next request if possible.
     *
     * @param record the record in ZooKeeper
     * @param shipped last index in durable storage
     */
    void tick(BackupRecord record, long shipped, int mapVersion) {
        requests.replaceAll(this::resolveIndex);
        PinRequest wish = requests.isEmpty() ? null : requests.get(0);
        if (closed || busy || wish == null || wish.index() == VersionIndex.UNDECIDED || shipped < wish.index()) {
            return;
        }
        busy = true;
        requests.remove(0);
        if (wish.backup().isEmpty()) {
            confirm(wish, new PeerReply.Pinned("", wish.index(), 0), mapVersion);
        } else if (wish.index() == VersionIndex.FORGOTTEN) {
            fail(wish, ErrorCode.VERSION_GONE, "the actor is far past the version: request a newer one");
        } else if (record.checkpointIndex() > wish.index()) {
            fail(wish, ErrorCode.VERSION_GONE, "the backup's checkpoint is now at index " + record.checkpointIndex());
        } else if (record.checkpoint().isEmpty()) {
            log(wish, record, 0, 0, mapVersion);
        } else {
            String prefix = BackupPaths.checkpointPrefix(host.config().clusterId(), key);
            CheckpointDownload.manifest(host.env(), prefix, key, record.checkpoint(), found -> {
                if (found instanceof Outcome.Ok<CheckpointManifest> ok) {
                    log(wish, record, ok.value().epoch(), ok.value().bytes(), mapVersion);
                } else {
                    fail(wish, found.error());
                }
            });
        }
    }

    private void log(PinRequest wish, BackupRecord record, long epochAfter, long bytes, int mapVersion) {
        String prefix = BackupPaths.logPrefix(host.config().clusterId(), key);
        host.env().objects().list(prefix, listed -> {
            if (listed instanceof Outcome.Err<List<String>> err) {
                fail(wish, err.error());
                return;
            }
            List<BackupPaths.Run> chain =
                    BackupPaths.chain(listed.value(), prefix, record.checkpointIndex(), epochAfter);
            long end = chain.isEmpty()
                    ? record.checkpointIndex()
                    : chain.get(chain.size() - 1).last();
            if (end < wish.index()) {
                fail(wish, ErrorCode.CORRUPT, "durable storage has the log up to " + end + ", not " + wish.index());
                return;
            }
            store(
                    wish,
                    new ActorSnapshot(
                            host.config().clusterId(),
                            key,
                            wish.index(),
                            epoch,
                            record.checkpoint(),
                            record.checkpointIndex(),
                            bytes,
                            ActorSnapshot.pieces(chain, record.checkpointIndex(), wish.index())),
                    mapVersion);
        });
    }

    private void store(PinRequest wish, ActorSnapshot part, int mapVersion) {
        Bytes data = part.encode();
        SnapshotPin pin = new SnapshotPin(part.cluster(), key, wish.backup(), Sha256.hex(data));
        host.env().objects().separate(part.keys(), separated -> {
            if (separated instanceof Outcome.Err<Done> err) {
                fail(wish, err.error());
            } else {
                put(wish, part, pin, data, mapVersion);
            }
        });
    }

    private void put(PinRequest wish, ActorSnapshot part, SnapshotPin pin, Bytes data, int mapVersion) {
        host.env().objects().put(pin.path(), data, put -> {
            if (put instanceof Outcome.Err<Done> err) {
                fail(wish, err.error());
            } else {
                confirm(wish, new PeerReply.Pinned(pin.sha256(), part.index(), part.bytes()), mapVersion);
            }
        });
    }

    private void confirm(PinRequest wish, PeerReply.Pinned pinned, int mapVersion) {
        Op check = new Op.Check(RegistryPaths.map(table), mapVersion);
        host.env().registry().multi(List.of(check), checked -> {
            if (checked instanceof Outcome.Err<MultiResult> err) {
                fail(wish, err.error());
            } else if (checked.value().applied()) {
                end(wish, Outcome.ok(pinned));
            } else {
                host.refresh(table);
                fail(wish, ErrorCode.UNAVAILABLE, "the table's map changed meanwhile: retry");
            }
        });
    }

    private void fail(PinRequest wish, ErrorCode code, String why) {
        fail(wish, new UniserveException(code, key + " cannot be backed up: " + why));
    }

    private void fail(PinRequest wish, UniserveException error) {
        end(wish, Outcome.err(error));
    }

    private void end(PinRequest wish, Outcome<PeerReply> outcome) {
        busy = false;
        lastPinnedNanos = host.env().clock().nanos();
        wish.completion().done(outcome);
    }

    /** Fails all requests, as the epoch has ended. */
    void close() {
        closed = true;
        while (!requests.isEmpty()) {
            requests.remove(0)
                    .completion()
                    .done(Outcome.err(new UniserveException(
                            ErrorCode.NOT_PRIMARY, key + " has another primary now: send the request there")));
        }
    }
}
