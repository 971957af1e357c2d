package io.uniserve.protocol.replica.primary;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.ship.BackupProgress;
import io.uniserve.protocol.backup.ship.LogShipper;
import io.uniserve.protocol.backup.ship.SnapshotPinAccess;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.replication.AppendSequencer;
import io.uniserve.protocol.replica.replication.EarlyReplicator;
import io.uniserve.protocol.replica.replication.FollowerLogSender;
import io.uniserve.protocol.replica.replication.LearnerProgress;
import io.uniserve.protocol.replica.replication.LogDivergenceResolver;
import io.uniserve.protocol.replica.replication.PrimaryTransfer;
import io.uniserve.protocol.replica.replication.ReplicaFencer;
import io.uniserve.protocol.replica.state.VersionIndex;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import io.uniserve.protocol.replica.storage.LogRetentionBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The primary of one epoch. It appends an EPOCH entry, replicates its log to every in-sync replica, and then accepts updates. An entry is
 * at or below the high watermark when all in-sync replicas, and every awaited or certified learner, have it on disk. An entry is sent only
 * after this engine has applied it. Until then the primary may still refuse its own updates.
 *
 * <p>In-sync replicas get a PREPARE while it is still being written here, see {@link EarlyReplicator}. If the write fails or the process
 * ends, two entries of one epoch could get the same index. The primary then logs nothing more and requests a new epoch.
 */
public final class Primary implements FollowerLogSender.Listener, SnapshotPinAccess {
    private final LocalReplica replica;
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableMeta meta;
    private final long epoch;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final ReplicaFencer fencing;
    private final TreeMap<ServerId, FollowerLogSender> replicators = new TreeMap<>();
    private final TreeMap<ServerId, LearnerProgress> learners = new TreeMap<>();
    private final LearnerProgress.Certifier certifier;
    private final LogShipper logShipper;
    private final PrimaryTransfer primaryTransfer;
    private final EarlyReplicator earlyReplication;
    private final AppendSequencer appendOrder;
    private final LogDivergenceResolver logDivergence;
    private ActorState state;
    private long epochIndex;
    private long firstOwnIndex = Long.MAX_VALUE;
    private long appliedAndDurable;
    private long highWatermark;
    private boolean epochStarted;
    private long epochStartedNanos;
    private boolean closed;
    private long reportedAt;

    public Primary(
            LocalReplica replica,
            ReplicaContext host,
            ReplicaKey key,
            TableMeta meta,
            ActorState state,
            ReplicaLog log,
            SharedState parts) {
        this.replica = replica;
        this.host = host;
        this.key = key;
        this.meta = meta;
        this.state = state;
        this.epoch = state.epoch();
        this.log = log;
        this.pending = parts.pending();
        this.fencing = parts.fencing();
        this.certifier = parts.certifier();
        this.logShipper = new LogShipper(
                host,
                key,
                meta,
                epoch,
                log,
                parts.checkpoints(),
                meta.level() == ConsistencyLevel.EVENTUAL
                        ? null
                        : () -> replica.versionIndex().stateAtEnd().newest(),
                this::advance);
        this.primaryTransfer = new PrimaryTransfer(host, key, epoch);
        this.earlyReplication = new EarlyReplicator(log, parts.engine(), meta.level() != ConsistencyLevel.EVENTUAL);
        this.appendOrder =
                new AppendSequencer(() -> replica.isEngineReady() && replica.appliedIndex() >= log.lastIndex());
        this.logDivergence = new LogDivergenceResolver(host, key, epoch, log, parts.divergenceOwner());
        this.highWatermark = 0;
        this.reportedAt = host.env().clock().nanos() - host.config().retryNanos();
        for (ServerId learner : parts.certified()) {
            learners.put(learner, new LearnerProgress(host.config(), true, reportedAt));
        }
    }

    /** Parts of the replica that outlive the epoch. */
    public record SharedState(
            PendingUpdates pending,
            ReplicaFencer fencing,
            LearnerProgress.Certifier certifier,
            List<ServerId> certified,
            CheckpointStore checkpoints,
            Supplier<@Nullable EngineApplier> engine,
            LogDivergenceResolver.Owner divergenceOwner) {}

    public void start(int mapVersion) {
        earlyReplication.start(epoch, state.isr().size());
        openEpoch();
        assign(state, mapVersion);
    }

    private void openEpoch() {
        if (log.lastEpoch() < epoch) {
            long next = log.lastIndex() + 1;
            log.append(
                    log.hashAt(log.lastIndex()) == RunningLogHash.UNKNOWN
                            ? LogEntry.epoch(epoch, next, RunningLogHash.anchor(epoch, next))
                            : LogEntry.epoch(epoch, next));
        }
        epochIndex = log.lastIndex();
        firstOwnIndex = epochIndex + 1;
    }

    /**
     * True for an update that this primary has logged since it started and has never applied. Then no client got an acknowledgement and no
     * other replica got the entry, so it may be removed.
     */
    boolean canRefuse(long index) {
        return !closed
                && epochStarted
                && index >= firstOwnIndex
                && index > Math.max(appliedAndDurable, earlyReplication.sentIndex());
    }

    @Override
    public long lastSendableIndex(ServerId server) {
        long onDisk = Math.min(appliedAndDurable, log.durableIndex());
        return state.isr().contains(server) ? Math.max(onDisk, earlyReplication.sentIndex()) : onDisk;
    }

    @Override
    public long truncationFloor() {
        return Math.min(Math.max(appliedAndDurable, firstOwnIndex - 1), log.durableIndex());
    }

    /** Adopts a newer map of the same epoch: learners and fencing may differ. */
    public void assign(ActorState newer, int mapVersion) {
        state = newer;
        logShipper.mapVersion(mapVersion);
        TreeSet<ServerId> wanted = new TreeSet<>(state.isr());
        wanted.addAll(state.learners());
        long now = host.env().clock().nanos();
        wanted.addAll(fencing.servers(false, now));
        wanted.remove(host.self());
        List<ServerId> gone = new ArrayList<>(replicators.keySet());
        gone.removeAll(wanted);
        gone.forEach(server -> {
            FollowerLogSender link = replicators.remove(server);
            if (link != null) {
                link.close();
            }
        });
        for (ServerId server : wanted) {
            if (!replicators.containsKey(server)) {
                replicators.put(server, new FollowerLogSender(host, key, epoch, log, server, this));
            }
        }
        for (ServerId learner : state.learners()) {
            if (!learners.containsKey(learner)) {
                learners.put(learner, new LearnerProgress(host.config(), false, now));
            }
        }
        host.wantTicks(key);
        advance();
    }

    /** True when every in-sync replica has this epoch's log. */
    public boolean isEpochStarted() {
        return epochStarted;
    }

    @Override
    public long highWatermark() {
        return highWatermark;
    }

    public long epoch() {
        return epoch;
    }

    /** The first version that may have rows of the actor. */
    long firstVersion() {
        return state.firstVersion();
    }

    public boolean isAccepting() {
        return !closed
                && epochStarted
                && state.epochStarted()
                && !earlyReplication.isEpochSpent()
                && !logDivergence.isUnresolved()
                && replica.isEngineReady()
                && replica.appliedIndex() >= epochIndex;
    }

    /** True while updates are rejected for a temporary reason: the epoch is starting, or the primary is moving. */
    public boolean isTemporarilyRejecting() {
        return !closed
                && state.isr().size() >= meta.minIsr()
                && rejectionReason().isPresent();
    }

    /** Reason for the rejection of updates now; empty if they are accepted. */
    java.util.Optional<UniserveException> rejectionReason() {
        if (state.isr().size() < meta.minIsr()) {
            return java.util.Optional.of(new UniserveException(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    state.isr().size() + " in-sync replicas, minIsr is " + meta.minIsr() + ": wait until one rejoins"));
        }
        UniserveException unwritable = isAccepting() ? null : replica.logError();
        if (unwritable != null) { // clients retry for longer than after a rejected update
            return java.util.Optional.of(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the primary cannot start its epoch: " + unwritable.getMessage()));
        }
        java.util.Optional<String> storage = logShipper.blockingReason();
        if (storage.isPresent()) {
            return storage.map(why -> new UniserveException(ErrorCode.UNAVAILABLE, why));
        }
        if (logDivergence.isUnresolved()) {
            return java.util.Optional.of(new UniserveException(ErrorCode.UNAVAILABLE, logDivergence.reason()));
        }
        if (primaryTransfer.isRejectingUpdates()) {
            return java.util.Optional.of(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary is about to move: retry later"));
        }
        if (!isAccepting()) {
            return java.util.Optional.of(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary is not ready yet: retry later"));
        }
        return java.util.Optional.empty();
    }

    /** True when a decision may be logged. The limit minIsr does not apply to decisions. */
    public boolean canLogDecision() {
        return isAccepting() && !primaryTransfer.isRejectingUpdates();
    }

    /** Logs a PREPARE or a DECIDE. */
    void append(LogEntry entry) {
        log.append(entry);
        earlyReplication.onLogged(entry);
    }

    /** Handles a failed write: entries from this one on were removed from the log. */
    public void onAppendFailed(long from) {
        earlyReplication.onAppendFailed(from, state.isr().size());
        replicators.values().forEach(FollowerLogSender::onLogTruncated);
        host.wantTicks(key);
    }

    /** Runs the append when the backup record permits it. */
    void beforeAppend(Runnable append) {
        host.wantTicks(key);
        logShipper.beforeAppend(append);
    }

    /** Order of updates while one with a condition is checked. */
    AppendSequencer appendOrder() {
        return appendOrder;
    }

    /** True when a sole replica may leave without loss. */
    public boolean isBackupComplete() {
        return logShipper.isComplete();
    }

    @Override
    public void pin(String id, long version, Completion<PeerReply> completion) {
        if (isAccepting()) {
            host.wantTicks(key);
            logShipper.pin(
                    id,
                    meta.level() == ConsistencyLevel.EVENTUAL
                            ? () -> VersionIndex.LOG_END
                            : () -> replica.versionIndex().lastIndexOf(version),
                    completion);
        } else {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary of " + key + " is not ready yet")));
        }
    }

    @Override
    public void deleteUnpinned() {
        logShipper.scheduleCleaning();
        host.wantTicks(key);
    }

    public BackupProgress backupProgress() {
        return logShipper.progress();
    }

    /** True when the actor moves off this server, and all desired replicas are in sync. */
    private boolean isMovingAway() {
        return !state.desiredServers().contains(host.self())
                && state.isr().size() > state.desiredServers().size()
                && state.isr().containsAll(state.desiredServers());
    }

    /** Hands over to an in-sync replica that has the whole log, because the server drains or the actor moves. */
    public void transfer(long now) {
        List<ServerId> heirs = isMovingAway() ? state.desiredServers() : state.isr();
        boolean near = heirs.stream()
                .anyMatch(member -> !member.equals(host.self())
                        && log.lastIndex() - matchIndex(member) <= host.config().learnerLagMax());
        boolean served =
                epochStarted && now - epochStartedNanos >= host.config().retryNanos(); // serve waiting requests
        primaryTransfer.startIfNear(now, served && near);
        host.wantTicks(key);
        primaryTransfer.advance(now, successors());
    }

    private List<ServerId> successors() {
        if (log.durableIndex() < log.lastIndex()) {
            return List.of();
        }
        return state.isr().stream()
                .filter(member -> !member.equals(host.self()) && matchIndex(member) >= log.lastIndex())
                .toList();
    }

    /** Appends the update to the log. */
    void append(PendingUpdates.Update update, LogEntry entry) {
        pending.onLogged(update, entry.index(), epoch);
        log.append(entry);
    }

    /** Advances after progress of the log, the engine or a follower. */
    public void advance() {
        if (closed) {
            return;
        }
        long now = host.env().clock().nanos();
        appliedAndDurable = Math.max(appliedAndDurable, Math.min(replica.appliedIndex(), log.durableIndex()));
        earlyReplication.onApplied(replica.appliedIndex());
        if (logDivergence.evaluate(state, replicators.values(), now)) {
            host.gateChanged(key);
        }
        if (closed) {
            return;
        }
        replicators.values().forEach(link -> link.sendNext(now));
        long least = log.durableIndex();
        for (ServerId member : state.isr()) {
            least = Math.min(least, matchIndex(member));
        }
        if (!epochStarted && log.lastEpoch() == epoch && least >= epochIndex) {
            epochStarted = true;
            epochStartedNanos = now;
        }
        for (Map.Entry<ServerId, LearnerProgress> learner : learners.entrySet()) {
            if (learner.getValue().isAwaited()) {
                least = Math.min(least, matchIndex(learner.getKey()));
            }
        }
        if (epochStarted) {
            highWatermark = Math.max(highWatermark, Math.min(least, truncationFloor()));
            if (state.epochStarted()) {
                logShipper.onHighWatermark(highWatermark);
            }
        }
        acknowledge(now);
        if (primaryTransfer.isRejectingUpdates()) {
            primaryTransfer.advance(now, successors());
        }
        appendOrder.advance();
        replica.onPrimaryProgress();
    }

    private long matchIndex(ServerId member) {
        FollowerLogSender link = replicators.get(member);
        return link == null ? (member.equals(host.self()) ? log.durableIndex() : 0) : link.matchIndex();
    }

    private void acknowledge(long now) {
        long applied = Math.min(replica.appliedIndex(), log.durableIndex());
        long safe = Math.min(applied, logShipper.acknowledgeableIndex());
        pending.onProgress(
                applied, safe, fencing.allFenced(now) && host.isChunkFenced(key) ? Math.min(highWatermark, safe) : 0);
    }

    /** Beyond the log's own start if an entry is damaged and a stored checkpoint covers it. */
    @Override
    public long baseIndex() {
        long damaged = log.damagedThrough();
        return damaged > 0 && logShipper.covers(damaged) ? Math.max(log.baseIndex(), damaged) : log.baseIndex();
    }

    /** The part of the log that only this replica still needs. Learners retain it only while there is room. */
    public LogRetentionBounds retention() {
        if (closed || !epochStarted || !state.epochStarted()) {
            return LogRetentionBounds.ALL;
        }
        long learners = Long.MAX_VALUE;
        for (ServerId learner : log.isNearlyFull() ? List.<ServerId>of() : state.learners()) {
            learners = Math.min(learners, matchIndex(learner));
        }
        return new LogRetentionBounds(highWatermark, logShipper.droppableIndex(), learners);
    }

    @Override
    public void onProgress(FollowerLogSender link) {
        if (!closed) {
            advance();
        }
    }

    @Override
    public void onEpochInstalled(ServerId server, long installed) {
        if (installed > epoch) {
            host.refresh(meta.name());
        }
        fencing.onEpochInstalled(server, installed, host.env().clock().nanos());
    }

    @Override
    public long disputedIndex() {
        return logDivergence.index();
    }

    /** True while this log may be the wrong one. */
    public boolean isLogDisputed() {
        return logDivergence.isUnresolved();
    }

    @Override
    public void onCheckpointDamaged() {
        logShipper.replaceCheckpoint();
        host.wantTicks(key);
    }

    @Override
    public void wantTicks() {
        host.wantTicks(key);
    }

    public boolean wantsTicks() {
        return !epochStarted
                || earlyReplication.isEpochSpent()
                || primaryTransfer.isRejectingUpdates()
                || isMovingAway()
                || !state.epochStarted()
                || logShipper.wantsTicks(highWatermark)
                || needsCompleteBackup()
                || !state.learners().isEmpty()
                || !fencing.isEmpty()
                || replicators.values().stream().anyMatch(FollowerLogSender::wantsTicks);
    }

    private boolean needsCompleteBackup() {
        return state.isr().size() == 1 && !logShipper.isComplete();
    }

    public void tick(long now) {
        if (log.lastEpoch() < epoch) {
            openEpoch();
        }
        if (isMovingAway()) {
            transfer(now);
        }
        for (ServerId learner : state.learners()) {
            FollowerLogSender link = replicators.get(learner);
            LearnerProgress watch = learners.get(learner);
            if (link != null && watch != null && epochStarted) {
                link.requestState();
                LearnerProgress.Progress told = new LearnerProgress.Progress(
                        learner, link.hasConfirmed(0), link.matchIndex(), link.appliedIndex());
                watch.advance(told, log.durableIndex(), highWatermark, now, certifier);
            }
        }
        advance();
        if (state.epochStarted()) { // before, the coordinator may still cancel the takeover
            logShipper.tick(
                    now,
                    highWatermark,
                    state.isr().size() == 1,
                    pending.isEmpty(),
                    !state.learners().isEmpty(),
                    replica.definition());
        }
        if (now - reportedAt >= host.config().retryNanos()) {
            reportedAt = now;
            report(now);
        }
    }

    private void report(long now) {
        for (ServerId learner : state.learners()) {
            LearnerProgress watch = learners.get(learner);
            FollowerLogSender link = replicators.get(learner);
            if (watch != null && watch.isCertified() && link != null && link.hasConfirmed(firstOwnIndex - 1)) {
                host.reportToCoordinator(
                        new PeerRequest.LearnerCaughtUp(key, epoch, host.self(), learner, link.incarnation()));
            }
        }
        if (epochStarted && replica.isEngineReady() && !state.epochStarted()) { // the engine must be built
            host.reportToCoordinator(new PeerRequest.EpochStarted(key, epoch, host.self()));
        }
        if (earlyReplication.isEpochSpent()) {
            host.reportToCoordinator(new PeerRequest.RequestNewEpoch(key, epoch, host.self()));
        }
        List<ServerId> fenced = fencing.servers(true, now);
        if (!fenced.isEmpty()) {
            host.reportToCoordinator(new PeerRequest.ReplicasFenced(key, epoch, fenced));
        }
    }

    public void close() {
        closed = true;
        logShipper.close();
        appendOrder.close();
        replicators.values().forEach(FollowerLogSender::close);
    }

    /** The replica of this server that is the primary. */
    public interface LocalReplica {
        /** The last entry that the engine has applied. */
        long appliedIndex();

        boolean isEngineReady();

        /** Why the log takes no more entries, null while it does. */
        @Nullable
        UniserveException logError();

        /** The table's definition, null before the first assignment. */
        @Nullable
        TableMeta definition();

        VersionIndex versionIndex();

        /** The high watermark has moved, or the role has news for readers. */
        void onPrimaryProgress();
    }
}
