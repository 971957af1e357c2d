package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.restore.ReplicaRestorer;
import io.uniserve.protocol.backup.ship.BackupProgress;
import io.uniserve.protocol.backup.ship.SnapshotPinAccess;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.context.ReplicaHealth;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.engine.EngineListener;
import io.uniserve.protocol.replica.primary.PendingUpdates;
import io.uniserve.protocol.replica.primary.Primary;
import io.uniserve.protocol.replica.primary.RejectionLogger;
import io.uniserve.protocol.replica.replication.Follower;
import io.uniserve.protocol.replica.replication.ReplicaFencer;
import io.uniserve.protocol.replica.state.VersionIndex;
import io.uniserve.protocol.replica.state.VersionState;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import io.uniserve.protocol.replica.storage.RecoveryPointWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica on this server. It opens the files on disk, installs each epoch durably before it acts in it, and is then the primary or a
 * follower of that epoch. A replica with a damaged log keeps its files, serves nothing and reports itself as unhealthy. Once a newer epoch
 * names it a learner, it restarts empty.
 */
public final class Replica implements Primary.LocalReplica {
    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final PendingUpdates pending;
    private final ReplicaFencer fencing;
    private final ReplicaRole replicaRole;
    private final ReplicaHealth replicaHealth;
    private final RecoveryPointWriter recoveryPoint;
    private final LogTruncation logTruncation;
    private final LogCleaner logCleaner;
    private final ReadLease lease;
    private final ReplicaStorage storage;
    private final RejectionLogger rejectionLogger;
    private final ReplicaTransactions transactions;
    private final VersionIndex versionIndex;
    private final RequestAdmission requestAdmission;
    private final ReplicaCopyVerifier copyCheck;
    private @Nullable TableMeta meta;
    private @Nullable ActorState mapState;
    private boolean closed;
    private int mapVersion;

    /** A replica of this table. Its files are not read before {@link #open}. */
    public Replica(ReplicaContext host, ReplicaKey key, TableName table) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.pending = new PendingUpdates(key.actor());
        this.fencing = new ReplicaFencer(host.config().fenceNanos());
        this.replicaRole = new ReplicaRole(host.self(), pending);
        this.replicaHealth = new ReplicaHealth(host, key, () -> host.wantTicks(key));
        this.recoveryPoint = new RecoveryPointWriter(host.config(), now());
        this.logTruncation = new LogTruncation(replicaHealth, recoveryPoint);
        this.lease = new ReadLease(now());
        this.storage = new ReplicaStorage(host, key, table, replicaHealth, new FilesOwner(), new LogEvents());
        this.versionIndex = new VersionIndex(() -> ReplicaTransactions.appliedVersions(storage), () -> {
            EngineApplier engine = storage.engine();
            return engine == null ? 0 : engine.early().decided();
        });
        this.requestAdmission = new RequestAdmission(
                host,
                new RequestAdmission.TargetReplica(key, storage, replicaRole, pending, replicaHealth, () -> closed));
        this.copyCheck = new ReplicaCopyVerifier(
                host,
                new ReplicaCopyVerifier.CheckedReplica(
                        key, storage, replicaRole, replicaHealth, () -> closed, this::reconcile));
        this.logCleaner = new LogCleaner(host, key, versionIndex, logTruncation);
        this.rejectionLogger =
                new RejectionLogger(key, pending, replicaRole::primary, (after, then) -> truncate(after, false, then));
        this.transactions = new ReplicaTransactions(
                host,
                new ReplicaTransactions.ParticipatingReplica(
                        key, table, storage, replicaRole, pending, versionIndex, rejectionLogger, () -> closed));
    }

    public ReplicaKey key() {
        return key;
    }

    public TableName table() {
        return table;
    }

    /** The installed epoch, 0 for none. */
    public long installedEpoch() {
        return storage.installedEpoch();
    }

    /**
     * True once the files have been read, intact or damaged, and while no engine call hangs. Closing the replica would wait for such a
     * call.
     */
    public boolean isClosable() {
        return (storage.openFiles() != null || replicaHealth.isDamaged()) && !storage.isEngineCallSlow();
    }

    /** True when the files are damaged, and are kept for inspection. */
    public boolean isDamaged() {
        return replicaHealth.isDamaged();
    }

    /** The installed epoch of a replica with intact data, 0 if it never had any. -1 if the data are damaged or not read yet. */
    public long intactEpoch() {
        return storage.isIntact() && !closed && !replicaHealth.isDamaged() ? installedEpoch() : -1;
    }

    /** Epoch of the takeover that made this replica's files obsolete, 0 if there was none. */
    public long supersededByEpoch() {
        ActorState wanted = mapState;
        return wanted != null && storage.isSuperseded(wanted) ? wanted.restoreEpoch() : 0;
    }

    /** True when everything is shipped to durable storage. */
    public boolean isShipped() {
        Primary leader = replicaRole.primary();
        return leader == null || leader.isBackupComplete();
    }

    /** Last index applied to the engine. */
    @Override
    public long appliedIndex() {
        EngineApplier engine = storage.engine();
        return engine == null ? 0 : engine.appliedIndex();
    }

    /** Prepares and decisions of atomic updates at this replica. */
    public ReplicaTransactions transactions() {
        return transactions;
    }

    /** Comparison of this copy with the others. */
    public ReplicaCopyVerifier copyCheck() {
        return copyCheck;
    }

    @Override
    public boolean isEngineReady() {
        EngineApplier engine = storage.engine();
        return engine != null && engine.isReady();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** Reads the files. The completion runs once they are read, intact or damaged; after other errors the read is retried. */
    public void open(Runnable then) {
        storage.open(then);
    }

    private long mapEpoch() {
        return mapState == null ? 0 : mapState.epoch();
    }

    /** Adopts a map that was read at this time. */
    public void assign(TableMeta newMeta, ActorState state, int newMapVersion, long readAtNanos) {
        mapVersion = newMapVersion;
        meta = newMeta;
        mapState = state;
        fencing.assign(state, readAtNanos);
        replicaHealth.onMapEpoch(state.epoch());
        reconcile();
    }

    /** Takes the next step towards the state in the map. */
    private void reconcile() {
        ActorState wanted = mapState;
        if (closed || wanted == null || storage.isStepRunning() || logTruncation.running()) {
            return;
        }
        OpenReplicaFiles openReplica = storage.openFiles();
        if (replicaHealth.mayReturn(wanted, storage)) {
            if (replicaRole.state() != null) {
                replicaRole.end(key, "waits for a takeover by another server");
            }
        } else if (replicaHealth.mustRestore(wanted, storage)) {
            whenDue(() -> storage.restore(wanted));
        } else if (replicaHealth.canDiscardFiles(wanted)) {
            whenDue(storage::quarantineAndReset);
        } else if (replicaHealth.isDamaged()
                || openReplica != null && replicaHealth.checkDataMissing(wanted, installedEpoch())) {
            host.wantTicks(key);
        } else if (openReplica != null && wanted.epoch() > installedEpoch()) {
            whenDue(() -> storage.installEpoch(openReplica, wanted.epoch()));
        } else if (openReplica != null && wanted.epoch() == installedEpoch()) {
            activate(openReplica, wanted);
        }
        requestAdmission.checkDeferred();
        host.gateChanged(key);
    }

    private void whenDue(Runnable step) {
        if (storage.canStartStep()) {
            step.run();
        } else {
            host.wantTicks(key);
        }
    }

    private void activate(OpenReplicaFiles parts, ActorState state) {
        if (meta != null && storage.startEngine(parts, meta, new EngineEvents())) {
            versionIndex.truncate(parts.log().lastIndex());
            host.wantTicks(key);
        }
        replicaRole.applyState(state, mapVersion, meta, new ReplicaRole.Factory() {
            @Override
            public Primary newPrimary(TableMeta table, ActorState row) {
                Primary.SharedState shared = new Primary.SharedState(
                        pending,
                        fencing,
                        Replica.this::certify,
                        parts.file().get().certified(),
                        parts.checkpoints(),
                        storage::engine,
                        copyCheck::quarantine);
                return new Primary(Replica.this, host, key, table, row, parts.log(), shared);
            }

            @Override
            public Follower newFollower(ActorState row) {
                FollowerReplicaAccess support = new FollowerReplicaAccess(
                        Replica.this,
                        host,
                        storage,
                        replicaRole,
                        parts,
                        (after, then) -> truncate(after, true, then),
                        () -> closed || logTruncation.running());
                return new Follower(parts.log(), support, row.epoch());
            }
        });
    }

    private void certify(ServerId learner, Consumer<Boolean> then) {
        OpenReplicaFiles parts = storage.openFiles();
        ActorState at = replicaRole.state();
        if (parts == null || at == null || at.epoch() != installedEpoch() || storage.isStepRunning()) {
            then.accept(false);
            return;
        }
        parts.file().certify(at.epoch(), learner, then);
    }

    /** Handles a message from the primary. One of an epoch that is being installed here waits for the installation. */
    public void replicate(Replicate request, Completion<PeerReply> completion) {
        if (request.epoch() > mapEpoch() && request.epoch() > installedEpoch()) {
            host.refresh(table);
        }
        requestAdmission.replicate(request, completion);
        host.wantTicks(key);
    }

    /** Handles an update for this actor. */
    public void update(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        if (rows.epoch() > installedEpoch()) {
            host.refresh(table);
        }
        requestAdmission.update(request, rows, callback);
        host.wantTicks(key);
    }

    /** Handles progress of the primary. */
    @Override
    public void onPrimaryProgress() {
        requestAdmission.checkDeferred();
    }

    /** True when this replica is the actor's primary and may log. */
    public boolean isActivePrimary() {
        Primary leader = replicaRole.primary();
        return leader != null && !closed && leader.canLogDecision();
    }

    /** Renews the lease, for a map in which this actor had the given epoch. */
    public void renewLease(long epochInMap, long untilNanos) {
        lease.offer(epochInMap, untilNanos);
        host.gateChanged(key);
    }

    /** Acknowledges updates that waited until no server answers reads without the actor's chunk. */
    public void onChunkFenced() {
        Primary leader = replicaRole.primary();
        if (leader != null) {
            leader.advance();
        }
    }

    /** The conditions for reads, see {@link ReadGate}. */
    public ReadGate gate() {
        long epoch = installedEpoch();
        boolean ready = !closed
                && !replicaHealth.isDamaged()
                && isEngineReady()
                && replicaRole.isInSync(epoch)
                && !replicaRole.isLogDisputed();
        boolean serving = ready && !fencing.isOldTableReadable(meta, now());
        return new ReadGate(
                key.actor(),
                epoch,
                serving,
                lease.endNanos(epoch),
                appliedIndex(),
                versionIndex.inDoubtVersion(),
                transactions.committedVersion(),
                storage.engineBuiltNanos(),
                mapGeneration());
    }

    private long mapGeneration() {
        TableMap map = host.map(table);
        return map == null || map.tableId() != key.tableId() ? 0 : map.generation();
    }

    /** State in the life cycle. */
    public ReplicaState state() {
        return storage.isRestoring() ? ReplicaState.RESTORING : stateWithoutRestoring();
    }

    /** Role of the replica in reports. */
    public String role() {
        return stateWithoutRestoring().role();
    }

    private ReplicaState stateWithoutRestoring() {
        ReplicaState intact = closed ? ReplicaState.OPENING : replicaRole.replicaState();
        return replicaHealth.isDamaged() ? ReplicaState.DAMAGED : intact;
    }

    /** Last log index, durable or not. */
    public long lastIndex() {
        OpenReplicaFiles parts = storage.openFiles();
        return parts == null ? 0 : parts.log().lastIndex();
    }

    /** The high watermark as known to the primary; 0 for other replicas. */
    public long highWatermark() {
        Primary leader = replicaRole.primary();
        return leader == null ? 0 : leader.highWatermark();
    }

    /** The table's definition as last read; null before. */
    @Override
    @Nullable
    public TableMeta definition() {
        return meta;
    }

    /** Index of the versions in its log. */
    @Override
    public VersionIndex versionIndex() {
        return versionIndex;
    }

    /** Pins for named backups; null for other replicas than the primary. */
    public @Nullable SnapshotPinAccess pins() {
        return closed ? null : replicaRole.primary();
    }

    /** Progress of the backup, for the primary. */
    public BackupProgress backupProgress() {
        Primary leader = replicaRole.primary();
        return leader == null ? BackupProgress.NONE : leader.backupProgress();
    }

    /** The log; null while the files are closed. */
    public @Nullable ReplicaLog log() {
        OpenReplicaFiles parts = storage.openFiles();
        return parts == null ? null : parts.log();
    }

    /** The row of the map in the installed epoch; null before an epoch is installed. */
    public @Nullable ActorState installedState() {
        return replicaRole.state();
    }

    /** Hands over because the server drains: a primary gives up its role as soon as that loses nothing. */
    public void transferPrimary() {
        Primary leader = replicaRole.primary();
        if (leader != null && !closed) {
            leader.transfer(now());
        }
    }

    /** Periodic work. Returns false if no work waits for the next tick. */
    public boolean tick() {
        long now = now();
        if (closed) {
            return false;
        }
        EngineApplier engine = storage.engine();
        if (engine != null) {
            engine.tick(now);
        }
        if (mapState != null && (replicaHealth.wantsTicks() || mapState.epoch() > installedEpoch())) {
            reconcile();
        }
        OpenReplicaFiles parts = storage.openFiles();
        if (parts != null) {
            parts.log().flush();
        }
        if (parts != null && !storage.isStepRunning()) {
            recoveryPoint.tick(now, parts);
            logCleaner.tick(now, parts, replicaRole.retention(), appliedIndex());
        }
        storage.tick(now);
        Primary leader = replicaRole.primary();
        if (leader != null) {
            leader.tick(now);
        }
        requestAdmission.checkDeferred();
        replicaHealth.report(mapState, isEngineReady(), !replicaRole.isStartedPrimary());
        return replicaHealth.wantsTicks()
                || parts != null && recoveryPoint.wantsTicks(parts)
                || parts != null && logCleaner.wantsTicks(parts, replicaRole.retention(), appliedIndex())
                || engine != null && engine.wantsTicks()
                || leader != null && leader.wantsTicks()
                || mapState != null && mapState.epoch() > installedEpoch()
                || requestAdmission.wantsTicks()
                || !pending.isEmpty();
    }

    /** Closes the replica and deletes its files. */
    public void destroy(Completion<Done> completion) {
        closeThen(() -> host.env().disk().delete(key.toString(), completion));
    }

    /** Closes the replica, and runs the task when none of its calls is running. Files stay. */
    public void closeThen(Runnable then) {
        close();
        this.storage.close(then);
    }

    /** Stops acting; files stay. */
    public void close() {
        closed = true;
        replicaRole.close();
        pending.failAll(ErrorCode.NOT_PRIMARY, "the replica is closed on this server", installedEpoch());
        requestAdmission.close();
    }

    /** Closes the replica and moves its files to quarantine, because the coordinator has replaced their data. */
    public void quarantine(Completion<Done> completion) {
        closeThen(() -> ReplicaRestorer.quarantine(host, key, completion));
    }

    private void truncate(long after, boolean keep, Completion<Long> then) {
        OpenReplicaFiles parts = storage.openFiles();
        EngineApplier engine = storage.engine();
        if (parts == null || engine == null) {
            throw new UniserveException(ErrorCode.INTERNAL, key + ": truncation before open");
        }
        LOG.info("{}: truncates {} entries after index {}", key, parts.log().lastIndex() - after, after);
        logTruncation.run(parts, engine, after, keep, cut -> {
            host.wantTicks(key);
            versionIndex.truncate(parts.log().lastIndex());
            then.done(cut);
            reconcile();
        });
    }

    /** Reason why the log cannot be written now; null if it can. */
    @Override
    @Nullable
    public UniserveException logError() {
        return replicaHealth.logError();
    }

    private final class FilesOwner implements ReplicaStorage.Owner {
        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public long mapEpoch() {
            return Replica.this.mapEpoch();
        }

        @Override
        public void endRole(String why) {
            replicaRole.end(key, why);
        }

        @Override
        public void onStepDone() {
            reconcile();
        }

        @Override
        public void wantTicks() {
            host.wantTicks(key);
        }
    }

    private final class LogEvents implements LogListener {
        @Override
        public void onAppended(LogEntry entry) {
            versionIndex.onAppended(entry);
            if (VersionState.isVersionEntry(entry)) {
                host.wantTicks(key); // a decision may wait to be written
                host.gateChanged(key); // before any reply that it is here
            }
        }

        @Override
        public void onDurable(long index) {
            replicaHealth.clearLogError();
            replicaRole.onDurable();
            storage.onDurable();
            replicaRole.advance();
            host.wantTicks(key);
        }

        @Override
        public void onAppendFailed(long from, UniserveException error) {
            LOG.warn("{}: append failed at index {}: {}", key, from, error.getMessage());
            replicaHealth.logFailed(error);
            versionIndex.truncate(from - 1);
            replicaRole.onAppendFailed(from, error);
            storage.onAppendFailed(from, error);
            pending.failFrom(from, error.code(), error.reason(), installedEpoch());
            host.wantTicks(key);
        }

        @Override
        public void onDamaged(UniserveException error) {
            if (replicaHealth.markEntryCorrupt(error.reason(), mapEpoch())) {
                LOG.warn("{}: log is damaged: {}", key, error.getMessage());
            }
        }

        @Override
        public void onFatal(UniserveException error) {
            host.fatal(error);
        }
    }

    private final class EngineEvents implements EngineListener {
        @Override
        public void onApplied() {
            versionIndex.onApplied(Replica.this.appliedIndex());
            if (isEngineReady() && replicaHealth.clearCheckpointMissing()) {
                reconcile();
            }
            replicaRole.advance();
            host.gateChanged(key);
        }

        @Override
        public void onUnhealthy(String reason) {
            replicaHealth.engineFailed(reason);
            host.gateChanged(key);
        }

        @Override
        public boolean onRejected(LogEntry update, UniserveException error, boolean certain) {
            OpenReplicaFiles parts = storage.openFiles();
            boolean mine = parts != null && !closed && rejectionLogger.onRejected(parts.log(), update, error, certain);
            if (mine) {
                host.gateChanged(key);
                host.wantTicks(key);
            }
            return mine;
        }

        @Override
        public void onDataLost(String reason) {
            replicaHealth.markCheckpointMissing(reason, mapEpoch());
        }
    }
}
