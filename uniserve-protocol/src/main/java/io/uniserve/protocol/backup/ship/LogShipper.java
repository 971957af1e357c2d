package io.uniserve.protocol.backup.ship;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.BackupPaths;
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
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.storage.CheckpointStore;
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
 *
 * <p>Life cycle of the writes to the log in durable storage, see {@link LogWrite}:
 *
 * <ul>
 * <li>UNCHECKED → CHECKING → IDLE: entries in storage beyond the record are counted as shipped. A failed check leads to UNCHECKED.
 * <li>IDLE → SHIPPING → IDLE: one object with entries is written, whether it succeeds or fails.
 * <li>Any state → CLOSED, which is final.
 * </ul>
 */
public final class LogShipper {
    private static final Logger LOG = LoggerFactory.getLogger(LogShipper.class);
    private static final int RECORD_EVERY = 10;
    private static final String LOG_STEP = "the log";

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final long epoch;
    private final ReplicaLog log;
    private final boolean remote;
    private final Runnable onSafeIndex;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable BackupRecord record;
    private int version = Registry.ABSENT;
    private Known markKnown = Known.NOTHING;
    private boolean writing;
    private LogWrite logWrite = LogWrite.UNCHECKED;
    private long shippedIndex;
    private long recordedIndex;
    private long highWatermark;
    private long lastAppendAt;
    private long nextShipAt;
    private long nextRecordAt;
    private long retryAt;
    private int mapVersion;
    private boolean ownRecord;
    private int shipFailures;
    private @Nullable UniserveException shipError;
    private final CheckpointShipper checkpointShipper;
    private final SnapshotPinner pinner;
    private final TableDefinitionShipper definitionShipper;
    private final BackupFailureTracker failures = new BackupFailureTracker();

    private enum LogWrite {
        UNCHECKED,
        CHECKING,
        IDLE,
        SHIPPING,
        CLOSED
    }

    private enum Known {
        NOTHING,
        /** The mark; the record and its version have to be read before a write. */
        MARK,
        /** The record with its mark and version. */
        ALL,
        /** Like ALL, while the mark is being set. */
        MARKING
    }

    /**
     * @param newestVersion the newest version in the log of an atomic table; null for an eventual table
     * @param safer called when {@link #acknowledgeableIndex} has grown, for durability REMOTE
     */
    public LogShipper(
            ReplicaContext host,
            ReplicaKey key,
            TableMeta meta,
            long epoch,
            ReplicaLog log,
            CheckpointStore localCheckpoints,
            @Nullable LongSupplier newestVersion,
            Runnable safer) {
        this.host = host;
        this.key = key;
        this.table = meta.name();
        this.remote = meta.needsDurableStorage();
        this.onSafeIndex = safer;
        this.epoch = epoch;
        this.log = log;
        this.checkpointShipper = new CheckpointShipper(
                host,
                key,
                epoch,
                log,
                localCheckpoints,
                newestVersion == null ? null : new ParticipantShippingChecker(host, key, meta, newestVersion),
                failures);
        this.pinner = new SnapshotPinner(host, key, table, epoch, log);
        this.definitionShipper = new TableDefinitionShipper(host, key, epoch, safer, failures);
        long now = host.env().clock().nanos();
        this.lastAppendAt = now;
        this.nextShipAt = now + host.config().shippingNanos();
        this.nextRecordAt = nextShipAt;
        this.retryAt = now;
    }

    /** Sets the znode version of the map in which this server is the primary of the epoch. */
    public void mapVersion(int newer) {
        mapVersion = newer;
    }

    /** Runs the append at once if the backup is not marked complete; otherwise after the mark is cleared. */
    public void beforeAppend(Runnable append) {
        lastAppendAt = host.env().clock().nanos();
        if (isMarkCleared() && waiting.isEmpty()) {
            append.run();
        } else {
            waiting.add(append);
            step();
        }
    }

    /** The last entry that may be acknowledged, as far as durable storage matters. */
    public long acknowledgeableIndex() {
        return remote ? (definitionShipper.isStored() ? recordedIndex : 0) : Long.MAX_VALUE;
    }

    /** Reason why durable storage delays acknowledgements; empty if it does not. */
    public Optional<String> blockingReason() {
        if (!remote) {
            return Optional.empty();
        }
        if (host.config().shippingNanos() == 0) {
            return Optional.of(
                    "durability is REMOTE and this server has no durable storage: configure storage.location");
        }
        return Optional.ofNullable(shipError)
                .map(error -> "durability is REMOTE and durable storage cannot be written: " + error.reason());
    }

    private boolean isClosed() {
        return logWrite == LogWrite.CLOSED;
    }

    private boolean isMarkCleared() {
        return markKnown() && (record == null || !record.clean());
    }

    private boolean markKnown() {
        return markKnown == Known.MARK || markKnown == Known.ALL;
    }

    /** True when the record can be written. */
    private boolean loaded() {
        return markKnown == Known.ALL || markKnown == Known.MARKING;
    }

    public boolean wantsTicks(long stable) {
        return !waiting.isEmpty()
                || pinner.isWaiting()
                || host.config().shippingNanos() > 0
                        && (!loaded()
                                || remote && !definitionShipper.isStored()
                                || shippedIndex < stable
                                || record == null
                                || record.shippedIndex() < shippedIndex
                                || unshippableThrough() > record.checkpointIndex()
                                || checkpointShipper.wantsTicks(record, ownRecord));
    }

    /** The last entry that cannot be shipped, because it is damaged or before the log's start. Only a checkpoint contains its effect. */
    private long unshippableThrough() {
        return Math.max(log.damagedThrough(), log.baseIndex());
    }

    /** The last entry that takeovers and learners do not need from this log, by the current record; 0 for none. */
    public long droppableIndex() {
        boolean storage = host.config().shippingNanos() > 0;
        return storage && loaded() && record != null ? Math.min(shippedIndex, record.checkpointIndex()) : 0;
    }

    /** Replaces the checkpoint in durable storage, which a learner has found damaged. */
    public void replaceCheckpoint() {
        if (record != null && loaded() && !isClosed()) {
            checkpointShipper.replaceDamaged(record);
        }
    }

    /** True when a checkpoint in durable storage covers the entries up to this one. */
    public boolean covers(long index) {
        return record != null && record.checkpointIndex() >= index;
    }

    /** True when a sole replica may leave without loss. */
    public boolean isComplete() {
        return host.config().shippingNanos() == 0 || record != null && record.clean();
    }

    /** Pins the actor's log for a named backup, see {@link SnapshotPinner#requestPin}. */
    public void pin(String backup, LongSupplier end, Completion<PeerReply> completion) {
        if (host.config().shippingNanos() == 0 || isClosed()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNSUPPORTED, "this server has no durable storage: configure storage.location")));
        } else {
            pinner.requestPin(backup, end, completion);
            nextShipAt = host.env().clock().nanos();
        }
    }

    /** Handles the deletion of a named backup. */
    public void scheduleCleaning() {
        checkpointShipper.scheduleCleaning();
    }

    /** Progress of the backup, and the reason for a failure. */
    public BackupProgress progress() {
        BackupRecord found = record;
        if (host.config().shippingNanos() == 0) {
            return BackupProgress.NONE;
        }
        boolean unread = !loaded() && found == null;
        long checkpoint = found == null ? 0 : found.checkpointIndex();
        long now = host.env().clock().nanos();
        return failures.progress(state(now), unread ? -1 : shippedIndex, unread ? -1 : checkpoint, now);
    }

    private LogShippingState state(long now) {
        if (host.config().shippingNanos() == 0 || isClosed()) {
            return LogShippingState.OFF;
        }
        if (record == null) {
            return LogShippingState.STARTING;
        }
        if (shipError != null || failures.isStalled(LOG_STEP, now)) {
            return LogShippingState.FAILING;
        }
        return logWrite == LogWrite.CHECKING
                ? LogShippingState.CHECKING
                : logWrite == LogWrite.SHIPPING ? LogShippingState.SHIPPING : LogShippingState.IDLE;
    }

    /** Handles a failed write of the log. Pins that wait for it fail now with the cause, instead of waiting for a failing store. */
    private void onShipFailed(UniserveException error) {
        shipError = error;
        failures.onFailed(LOG_STEP, host.env().clock().nanos(), error);
        pinner.failUnshipped(error, shippedIndex);
    }

    private void step() {
        if (isClosed() || writing || host.env().clock().nanos() - retryAt < 0) {
            return;
        }
        if (!loaded()) {
            load();
        } else if (record != null && record.clean() && !waiting.isEmpty()) {
            write(false);
        } else {
            while (!waiting.isEmpty() && isMarkCleared()) {
                waiting.remove().run();
            }
        }
    }

    private void load() {
        writing = true;
        host.env().registry().sync(synced -> {
            if (synced instanceof Outcome.Err<Done>) {
                onRegistryFailed();
                return;
            }
            host.env().registry().read(RegistryPaths.backup(table, key), read -> {
                if (read instanceof Outcome.Ok<Versioned> ok) {
                    writing = false;
                    markKnown = Known.ALL;
                    version = ok.value().version();
                    record = ok.value().value() instanceof BackupRecord found ? found : null;
                    ownRecord = false;
                    shippedIndex = Math.max(
                            shippedIndex, record == null ? 0 : Math.min(record.shippedIndex(), log.durableIndex()));
                    onRecorded(record);
                    step();
                } else {
                    onRegistryFailed();
                }
            });
        });
    }

    private void onRegistryFailed() {
        writing = false;
        markKnown = markKnown() ? Known.MARK : Known.NOTHING;
        retryAt = host.env().clock().nanos() + host.config().retryNanos();
    }

    private void write(boolean clean) {
        writing = true;
        markKnown = clean ? Known.MARKING : Known.ALL;
        BackupRecord next = nextRecord(clean);
        String path = RegistryPaths.backup(table, key);
        Op put = version == Registry.ABSENT ? new Op.Create(path, next, false) : new Op.Set(path, next, version);
        host.env().registry().multi(List.of(new Op.Check(RegistryPaths.map(table), mapVersion), put), made -> {
            if (made instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                writing = false;
                markKnown = Known.ALL;
                record = next;
                shippedIndex = Math.max(shippedIndex, next.checkpointIndex());
                ownRecord = true;
                checkpointShipper.onRecorded(next);
                version = ok.value().versions().get(1);
                onRecorded(next);
                step();
                recordNow();
                return;
            }
            if (made instanceof Outcome.Ok<MultiResult> ok && ok.value().conflict() == 0) {
                host.refresh(table);
            }
            onRegistryFailed();
        });
    }

    private void onRecorded(@Nullable BackupRecord now) {
        long through = now == null ? 0 : Math.min(now.shippedIndex(), log.durableIndex());
        if (remote && !isClosed() && through > recordedIndex) {
            recordedIndex = through;
            onSafeIndex.run();
        }
    }

    /** Writes the record at once for durability REMOTE, because clients wait for it. */
    private void recordNow() {
        BackupRecord now = record;
        if (remote
                && loaded()
                && !isClosed()
                && !writing
                && now != null
                && !now.clean()
                && now.shippedIndex() < shippedIndex) {
            write(false);
        }
    }

    private BackupRecord nextRecord(boolean clean) {
        CheckpointUpload.Uploaded uploaded = checkpointShipper.pending();
        BackupRecord before = record;
        String checkpoint = before == null ? "" : before.checkpoint();
        long checkpointIndex = before == null ? 0 : before.checkpointIndex();
        if (uploaded != null
                && (before == null
                        || checkpointShipper.isBetter(uploaded.manifest().index(), before))) {
            checkpoint = uploaded.manifestKey();
            checkpointIndex = uploaded.manifest().index();
        }
        return new BackupRecord(
                key, clean, epoch, Math.max(shippedIndex, checkpointIndex), checkpoint, checkpointIndex);
    }

    /**
     * Ships new entries up to the high watermark, and maintains the record.
     *
     * @param learning true while a learner may read the objects in the record
     * @param meta the table's definition
     */
    public void tick(
            long now, long stable, boolean soleReplica, boolean idle, boolean learning, @Nullable TableMeta meta) {
        if (isClosed() || host.config().shippingNanos() == 0 && waiting.isEmpty()) {
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
        if (pinner.isWaiting() && failures.isStalled(LOG_STEP, now)) {
            pinner.failUnshipped(
                    new UniserveException(ErrorCode.UNAVAILABLE, "durable storage does not answer a write of the log"),
                    shippedIndex);
        }
        if (record != null && loaded() && !writing) {
            boolean blocked = unshippableThrough() > shippedIndex;
            if (unshippableThrough() > record.checkpointIndex()) {
                checkpointShipper.requestCheckpointAfter(unshippableThrough());
            }
            if (!checkpointShipper.isCleaning()) {
                pinner.tick(record, shippedIndex, mapVersion);
            }
            checkpointShipper.tick(
                    now, record, ownRecord, blocked ? stable : shippedIndex, learning || pinner.isPinning(now));
            definitionShipper.tick(now, meta);
        }
        boolean logBusy = logWrite == LogWrite.CHECKING || logWrite == LogWrite.SHIPPING;
        if (!loaded() || writing || logBusy || now - retryAt < 0) {
            return;
        }
        boolean quiet = idle && now - lastAppendAt > 2 * host.config().shippingNanos();
        boolean all = shippedIndex == log.lastIndex() && shippedIndex > 0;
        if (soleReplica && quiet && all && (record == null || !record.clean())) {
            write(true);
        } else if (record == null
                || !record.clean()
                        && record.shippedIndex() < shippedIndex
                        && (mustRecordSoon() || now - nextRecordAt >= 0)) {
            nextRecordAt = now + RECORD_EVERY * host.config().shippingNanos();
            write(false);
        } else if (checkpointShipper.pending() != null) {
            write(record.clean());
        }
    }

    /** The first shipped entry is recorded at once, because an actor without a recorded entry may be restored empty. */
    private boolean mustRecordSoon() {
        return remote || record != null && record.shippedIndex() == 0;
    }

    /** Handles a new high watermark. With durability REMOTE the entries are shipped at once. */
    public void onHighWatermark(long stable) {
        highWatermark = stable;
        boolean idle = remote && markKnown() && waiting.isEmpty() && shipError == null;
        if (idle && !isClosed() && shippedIndex < stable && host.config().shippingNanos() > 0) {
            shipNow(host.env().clock().nanos(), stable);
        }
    }

    /** Ships if the record exists. The objects of a dropped table are found through it, so it must be written first. */
    private void shipNow(long now, long stable) {
        boolean free = logWrite == LogWrite.IDLE || logWrite == LogWrite.UNCHECKED;
        if (free && shippedIndex < stable && record != null) {
            nextShipAt = now + host.config().shippingNanos();
            if (logWrite == LogWrite.IDLE) {
                ship(stable);
            } else {
                findShippedIndex(stable);
            }
        }
    }

    private void findShippedIndex(long stable) {
        logWrite = LogWrite.CHECKING;
        failures.onStarted(LOG_STEP, host.env().clock().nanos());
        BackedUpIndexFinder.find(host.env(), host.config().clusterId(), key, log, shippedIndex, found -> {
            if (isClosed()) {
                return;
            }
            logWrite = found instanceof Outcome.Ok<Long> ? LogWrite.IDLE : LogWrite.UNCHECKED;
            if (found instanceof Outcome.Ok<Long> ok) {
                shipError = null;
                failures.onSucceeded(LOG_STEP);
                shippedIndex = Math.max(shippedIndex, ok.value());
                recordNow();
                if (shippedIndex < Math.max(stable, highWatermark)) {
                    ship(Math.max(stable, highWatermark));
                }
            } else {
                onShipFailed(found.error());
            }
        });
    }

    private void ship(long stable) {
        logWrite = LogWrite.SHIPPING;
        List<LogEntry> cached = log.cached(shippedIndex + 1, Limits.REPLICATE_ENTRIES_MAX, Limits.REPLICATE_BYTES_MAX);
        if (cached != null) {
            put(cached, stable);
            return;
        }
        log.load(shippedIndex + 1, Limits.REPLICATE_ENTRIES_MAX, Limits.REPLICATE_BYTES_MAX, loadedEntries -> {
            if (loadedEntries instanceof Outcome.Ok<List<LogEntry>> ok) {
                put(ok.value(), stable);
            } else if (!isClosed()) {
                logWrite = LogWrite.IDLE;
            }
        });
    }

    private void put(List<LogEntry> entries, long stable) {
        int count = (int) Math.min(entries.size(), stable - shippedIndex);
        List<LogEntry> run = entries.subList(0, count);
        long last = run.get(count - 1).index();
        String name = BackupPaths.log(host.config().clusterId(), key, run.get(0).index(), last, epoch);
        Bytes data = ReplicaLog.encode(run);
        failures.onStarted(LOG_STEP, host.env().clock().nanos());
        Completion<Done> stored = done -> {
            if (isClosed()) {
                return;
            }
            logWrite = LogWrite.IDLE;
            if (done instanceof Outcome.Err<Done> err) {
                onShipFailed(err.error());
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
            failures.onSucceeded(LOG_STEP);
            shippedIndex = last;
            checkpointShipper.onShipped(data.size());
            recordNow();
            // Entries that came meanwhile are shipped together with those of the next period, unless a caller waits.
            long target = isUrgent() ? Math.max(stable, highWatermark) : stable;
            if (shippedIndex < target) {
                ship(target);
            }
        };
        if (isUrgent() || last < stable) {
            host.env().objects().put(name, data, stored);
        } else {
            host.env().objects().putSoon(name, data, stored);
        }
    }

    private boolean isUrgent() {
        return remote || pinner.isWaiting();
    }

    /** Runs the waiting appends, which detect that this primary has ended. */
    public void close() {
        logWrite = LogWrite.CLOSED;
        pinner.close();
        checkpointShipper.close();
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
    }
}
