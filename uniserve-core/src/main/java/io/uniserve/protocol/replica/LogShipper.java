package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Continuous backup of an actor, run by the primary of one epoch. It ships log entries up to the high watermark to durable storage, and
 * maintains the actor's backup record.
 *
 * <p>The record's {@code clean} mark says that durable storage has every update ever appended. So the mark is cleared before an update is
 * appended. Only a sole in-sync replica that has shipped everything sets it, while appends wait. Every write of the record checks the map's
 * znode version, so a deposed primary cannot change the record. A mark that was read as cleared in this epoch therefore stays cleared until
 * this primary sets it. Updates and shipping thus continue without ZooKeeper, even if the rest of the record is unknown.
 *
 * <p>In a table of durability REMOTE, entries up to the high watermark are shipped at once, followed by a write of the record. That write
 * checks the map, so a later takeover finds everything in the record. No entry is acknowledged before.
 */
final class LogShipper {
    private static final Logger LOG = LoggerFactory.getLogger(LogShipper.class);
    private static final int RECORD_EVERY = 10;
    private static final String LOG_STEP = "the log";

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final long epoch;
    private final ReplicaLog log;
    private final boolean remote;
    private final Runnable safer;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable BackupRecord record;
    private int version = Registry.ABSENT;
    private Known known = Known.NOTHING;
    private boolean writing;
    private boolean shipping;
    /** Entries in storage beyond the record have been counted as shipped. */
    private boolean looked;

    private boolean closed;
    private long shipped;
    private long recorded;
    private long stableSeen;
    private long lastAppendAt;
    private long nextShipAt;
    private long nextRecordAt;
    private long retryAt;
    private int mapVersion;
    private boolean ownRecord;
    private int shipFailures;
    private @Nullable UniserveException shipError;
    private final CheckpointShipper checkpoints;
    private final SnapshotPinner pins;
    private final TableDefinitionShipper definition;
    private final BackupTrouble trouble = new BackupTrouble();

    private enum Known {
        NOTHING,
        /** The mark; the record and its version have to be read before a write. */
        MARK,
        /** The record with its mark and version. */
        ALL,
        /** As ALL but for the mark, which is being set. */
        MARKING
    }

    /**
     * @param newestVersion the newest version in the log of an atomic table; null for an eventual table
     * @param safer called when {@link #safe} has grown, for durability REMOTE
     */
    LogShipper(
            ReplicaContext host,
            ReplicaKey key,
            TableMeta meta,
            long epoch,
            ReplicaLog log,
            Checkpoints localCheckpoints,
            @Nullable LongSupplier newestVersion,
            Runnable safer) {
        this.host = host;
        this.key = key;
        this.table = meta.name();
        this.remote = meta.remote();
        this.safer = safer;
        this.epoch = epoch;
        this.log = log;
        this.checkpoints = new CheckpointShipper(
                host,
                key,
                epoch,
                log,
                localCheckpoints,
                newestVersion == null ? null : new ShippedByAllParticipants(host, key, table, newestVersion),
                trouble);
        this.pins = new SnapshotPinner(host, key, table, epoch, log);
        this.definition = new TableDefinitionShipper(host, key, epoch, safer, trouble);
        long now = host.env().clock().nanos();
        this.lastAppendAt = now;
        this.nextShipAt = now + host.config().shippingNanos();
        this.nextRecordAt = nextShipAt;
        this.retryAt = now;
    }

    /** Sets the znode version of the map in which this server is the primary of the epoch. */
    void mapVersion(int newer) {
        mapVersion = newer;
    }

    /** Runs the append at once if the backup is not marked complete; otherwise after the mark is cleared. */
    void beforeAppend(Runnable append) {
        lastAppendAt = host.env().clock().nanos();
        if (clear() && waiting.isEmpty()) {
            append.run();
        } else {
            waiting.add(append);
            step();
        }
    }

    /** The last entry that durable storage permits to acknowledge. */
    long safe() {
        return remote ? (definition.there() ? recorded : 0) : Long.MAX_VALUE;
    }

    /** Reason why durable storage delays acknowledgements; empty if it does not. */
    Optional<String> trouble() {
        if (!remote) {
            return Optional.empty();
        }
        if (host.config().shippingNanos() == 0) {
            return Optional.of(
                    "durability is REMOTE and this server has no durable storage: configure storage.directory");
        }
        return Optional.ofNullable(shipError)
                .map(error -> "durability is REMOTE and durable storage cannot be written: " + error.reason());
    }

    private boolean clear() {
        return markKnown() && (record == null || !record.clean());
    }

    private boolean markKnown() {
        return known == Known.MARK || known == Known.ALL;
    }

    /** True when the record can be written. */
    private boolean loaded() {
        return known == Known.ALL || known == Known.MARKING;
    }

    boolean wantsTicks(long stable) {
        return !waiting.isEmpty()
                || pins.waiting()
                || host.config().shippingNanos() > 0
                        && (!loaded()
                                || remote && !definition.there()
                                || shipped < stable
                                || record == null
                                || record.shippedIndex() < shipped
                                || missingThrough() > record.checkpointIndex()
                                || checkpoints.wantsTicks(record, ownRecord));
    }

    /** The last entry that cannot be shipped, because it is damaged or before the log's start. Only a checkpoint has its effect. */
    private long missingThrough() {
        return Math.max(log.damagedThrough(), log.baseIndex());
    }

    /** The last entry that takeovers and learners do not need from this log, by the current record; 0 for none. */
    long through() {
        boolean storage = host.config().shippingNanos() > 0;
        return storage && loaded() && record != null ? Math.min(shipped, record.checkpointIndex()) : 0;
    }

    /** Replaces the checkpoint in durable storage, which a learner has found damaged. */
    void renewCheckpoint() {
        if (record != null && loaded() && !closed) {
            checkpoints.renew(record);
        }
    }

    /** True when a checkpoint in durable storage covers the entries up to this one. */
    boolean covers(long index) {
        return record != null && record.checkpointIndex() >= index;
    }

    /** True when a sole replica may leave without loss. */
    boolean complete() {
        return host.config().shippingNanos() == 0 || record != null && record.clean();
    }

    /** Pins the actor's log for a named backup, see {@link SnapshotPinner#ask}. */
    void pin(String backup, LongSupplier end, Completion<PeerReply> completion) {
        if (host.config().shippingNanos() == 0 || closed) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNSUPPORTED, "this server has no durable storage: configure storage.directory")));
        } else {
            pins.ask(backup, end, completion);
            nextShipAt = host.env().clock().nanos();
        }
    }

    /** Handles the deletion of a named backup. */
    void sweepAgain() {
        checkpoints.sweepAgain();
    }

    /** Progress of the backup, and the reason for a failure. */
    BackupProgress progress() {
        BackupRecord found = record;
        if (host.config().shippingNanos() == 0) {
            return BackupProgress.NONE;
        }
        boolean unread = !loaded() && found == null;
        long checkpoint = found == null ? 0 : found.checkpointIndex();
        long now = host.env().clock().nanos();
        return trouble.progress(unread ? -1 : shipped, unread ? -1 : checkpoint, now);
    }

    /** Handles a failed write of the log. Pins that wait for it fail now with the cause, instead of waiting for a failing store. */
    private void shipFailed(UniserveException error) {
        shipError = error;
        trouble.failed(LOG_STEP, host.env().clock().nanos(), error);
        pins.unshipped(error, shipped);
    }

    private void step() {
        if (closed || writing || host.env().clock().nanos() - retryAt < 0) {
            return;
        }
        if (!loaded()) {
            load();
        } else if (record != null && record.clean() && !waiting.isEmpty()) {
            write(false);
        } else {
            while (!waiting.isEmpty() && clear()) {
                waiting.remove().run();
            }
        }
    }

    private void load() {
        writing = true;
        host.env().registry().sync(synced -> {
            if (synced instanceof Outcome.Err<Done>) {
                failed();
                return;
            }
            host.env().registry().read(RegistryPaths.backup(table, key), read -> {
                if (read instanceof Outcome.Ok<Versioned> ok) {
                    writing = false;
                    known = Known.ALL;
                    version = ok.value().version();
                    record = ok.value().value() instanceof BackupRecord found ? found : null;
                    ownRecord = false;
                    shipped =
                            Math.max(shipped, record == null ? 0 : Math.min(record.shippedIndex(), log.durableIndex()));
                    recorded(record);
                    step();
                } else {
                    failed();
                }
            });
        });
    }

    private void failed() {
        writing = false;
        known = markKnown() ? Known.MARK : Known.NOTHING;
        retryAt = host.env().clock().nanos() + host.config().retryNanos();
    }

    private void write(boolean clean) {
        writing = true;
        known = clean ? Known.MARKING : Known.ALL;
        BackupRecord next = next(clean);
        String path = RegistryPaths.backup(table, key);
        Op put = version == Registry.ABSENT ? new Op.Create(path, next, false) : new Op.Set(path, next, version);
        host.env().registry().multi(List.of(new Op.Check(RegistryPaths.map(table), mapVersion), put), made -> {
            if (made instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                writing = false;
                known = Known.ALL;
                record = next;
                shipped = Math.max(shipped, next.checkpointIndex());
                ownRecord = true;
                checkpoints.recorded(next);
                version = ok.value().versions().get(1);
                recorded(next);
                step();
                recordNow();
                return;
            }
            if (made instanceof Outcome.Ok<MultiResult> ok && ok.value().conflict() == 0) {
                host.refresh(table);
            }
            failed();
        });
    }

    private void recorded(@Nullable BackupRecord now) {
        long through = now == null ? 0 : Math.min(now.shippedIndex(), log.durableIndex());
        if (remote && !closed && through > recorded) {
            recorded = through;
            safer.run();
        }
    }

    /** Writes the record at once for durability REMOTE, because clients wait for it. */
    private void recordNow() {
        BackupRecord now = record;
        if (remote && loaded() && !closed && !writing && now != null && !now.clean() && now.shippedIndex() < shipped) {
            write(false);
        }
    }

    private BackupRecord next(boolean clean) {
        CheckpointUpload.Uploaded uploaded = checkpoints.pending();
        BackupRecord before = record;
        String checkpoint = before == null ? "" : before.checkpoint();
        long checkpointIndex = before == null ? 0 : before.checkpointIndex();
        if (uploaded != null
                && (before == null || checkpoints.betters(uploaded.manifest().index(), before))) {
            checkpoint = uploaded.manifestKey();
            checkpointIndex = uploaded.manifest().index();
        }
        return new BackupRecord(key, clean, epoch, Math.max(shipped, checkpointIndex), checkpoint, checkpointIndex);
    }

    /**
     * Ships new entries up to the high watermark, and maintains the record.
     *
     * @param learning true while a learner may read the objects in the record
     * @param meta the table's definition
     */
    void tick(long now, long stable, boolean soleReplica, boolean idle, boolean learning, @Nullable TableMeta meta) {
        if (closed || host.config().shippingNanos() == 0 && waiting.isEmpty()) {
            return;
        }
        if (!loaded() || !waiting.isEmpty()) {
            step();
        }
        if (!markKnown() || !waiting.isEmpty()) {
            return;
        }
        if (now - nextShipAt >= 0) {
            shipNow(now, stable);
        }
        if (pins.waiting() && trouble.stalled(LOG_STEP, now)) {
            pins.unshipped(
                    new UniserveException(ErrorCode.UNAVAILABLE, "durable storage does not answer a write of the log"),
                    shipped);
        }
        if (record != null && loaded() && !writing) {
            boolean blocked = missingThrough() > shipped;
            if (missingThrough() > record.checkpointIndex()) {
                checkpoints.wantBeyond(missingThrough());
            }
            if (!checkpoints.sweeping()) {
                pins.tick(record, shipped, mapVersion);
            }
            checkpoints.tick(now, record, ownRecord, blocked ? stable : shipped, learning || pins.busy());
            definition.tick(now, meta);
        }
        if (!loaded() || writing || shipping || now - retryAt < 0) {
            return;
        }
        boolean quiet = idle && now - lastAppendAt > 2 * host.config().shippingNanos();
        boolean all = shipped == log.lastIndex() && shipped > 0;
        if (soleReplica && quiet && all && (record == null || !record.clean())) {
            write(true);
        } else if (record == null
                || !record.clean() && record.shippedIndex() < shipped && (recordsSoon() || now - nextRecordAt >= 0)) {
            nextRecordAt = now + RECORD_EVERY * host.config().shippingNanos();
            write(false);
        } else if (checkpoints.pending() != null) {
            write(record.clean());
        }
    }

    /** The first shipped entry is recorded at once, because an actor without a recorded entry may be restored empty. */
    private boolean recordsSoon() {
        return remote || record != null && record.shippedIndex() == 0;
    }

    /** Handles a new high watermark. With durability REMOTE the entries are shipped at once. */
    void stable(long stable) {
        stableSeen = stable;
        boolean idle = remote && markKnown() && waiting.isEmpty() && shipError == null;
        if (idle && !closed && shipped < stable && host.config().shippingNanos() > 0) {
            shipNow(host.env().clock().nanos(), stable);
        }
    }

    /** Ships if the record exists. The objects of a dropped table are found through it, so it must be written first. */
    private void shipNow(long now, long stable) {
        if (!shipping && shipped < stable && record != null) {
            nextShipAt = now + host.config().shippingNanos();
            if (looked) {
                ship(stable);
            } else {
                look(stable);
            }
        }
    }

    private void look(long stable) {
        shipping = true;
        trouble.began(LOG_STEP, host.env().clock().nanos());
        ShippedIndexFinder.find(host.env(), host.config().clusterId(), key, log, shipped, found -> {
            shipping = false;
            if (closed) {
                return;
            }
            if (found instanceof Outcome.Ok<Long> ok) {
                looked = true;
                shipError = null;
                trouble.worked(LOG_STEP);
                shipped = Math.max(shipped, ok.value());
                recordNow();
                if (shipped < Math.max(stable, stableSeen)) {
                    ship(Math.max(stable, stableSeen));
                }
            } else {
                shipFailed(found.error());
            }
        });
    }

    private void ship(long stable) {
        shipping = true;
        List<LogEntry> cached = log.cached(shipped + 1, Limits.REPLICATE_ENTRIES_MAX, Limits.REPLICATE_BYTES_MAX);
        if (cached != null) {
            put(cached, stable);
            return;
        }
        log.load(shipped + 1, Limits.REPLICATE_ENTRIES_MAX, Limits.REPLICATE_BYTES_MAX, loadedEntries -> {
            if (loadedEntries instanceof Outcome.Ok<List<LogEntry>> ok) {
                put(ok.value(), stable);
            } else {
                shipping = false;
            }
        });
    }

    private void put(List<LogEntry> entries, long stable) {
        int count = (int) Math.min(entries.size(), stable - shipped);
        List<LogEntry> run = entries.subList(0, count);
        long last = run.get(count - 1).index();
        String name = BackupPaths.log(host.config().clusterId(), key, run.get(0).index(), last, epoch);
        Bytes data = ReplicaLog.encode(run);
        trouble.began(LOG_STEP, host.env().clock().nanos());
        host.env().objects().put(name, data, done -> {
            shipping = false;
            if (closed) {
                return;
            }
            if (done instanceof Outcome.Err<Done> err) {
                shipFailed(err.error());
                if (Integer.bitCount(++shipFailures) == 1) { // log the 1st, 2nd, 4th, 8th, ... failure only
                    LOG.warn(
                            "{}: log {} cannot be shipped, will be retried ({} failures so far): {}",
                            key,
                            name,
                            shipFailures,
                            err.error().getMessage());
                }
                return;
            }
            shipFailures = 0;
            shipError = null;
            trouble.worked(LOG_STEP);
            shipped = last;
            checkpoints.shipped(data.size());
            recordNow();
            if (shipped < Math.max(stable, stableSeen)) {
                ship(Math.max(stable, stableSeen));
            }
        });
    }

    /** Runs the waiting appends, which detect that this primary has ended. */
    void close() {
        closed = true;
        pins.close();
        checkpoints.close();
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
    }
}
