package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.EntryHash;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
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
 * <p>In-sync replicas get a PREPARE while it is still being written here, see {@link EarlyReplication}. If the write fails or the process
 * ends, two entries of one epoch could get the same index. The primary then logs nothing more and requests a new epoch.
 */
final class Primary implements FollowerReplicator.Listener, SnapshotPins {
    private final LocalReplica replica;
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableMeta meta;
    private final long epoch;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final FencedReplicas fencing;
    private final TreeMap<ServerId, FollowerReplicator> links = new TreeMap<>();
    private final TreeMap<ServerId, LearnerProgress> learners = new TreeMap<>();
    private final LearnerProgress.Certifier certifier;
    private final LogShipper backup;
    private final PrimaryTransfer primaryTransfer;
    private final EarlyReplication early;
    private final AppendOrder order;
    private final Dispute dispute;
    private ActorState state;
    private long epochIndex;
    private long ownFrom = Long.MAX_VALUE;
    private long decided;
    private long stable;
    private boolean matched;
    private long matchedAt;
    private boolean closed;
    private long reportedAt;

    Primary(
            LocalReplica replica,
            ReplicaContext host,
            ReplicaKey key,
            TableMeta meta,
            ActorState state,
            ReplicaLog log,
            Parts parts) {
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
        this.backup = new LogShipper(
                host,
                key,
                meta,
                epoch,
                log,
                parts.checkpoints(),
                meta.level() == ConsistencyLevel.EVENTUAL
                        ? null
                        : () -> replica.trail().end().newest(),
                this::advance);
        this.primaryTransfer = new PrimaryTransfer(host, key, epoch);
        this.early = new EarlyReplication(log, parts.engine(), meta.level() != ConsistencyLevel.EVENTUAL);
        this.order = new AppendOrder(() -> replica.engineReady() && replica.applied() >= log.lastIndex());
        this.dispute = new Dispute(host, key, epoch, log, parts.aside());
        this.stable = 0;
        this.reportedAt = host.env().clock().nanos() - host.config().retryNanos();
        for (ServerId learner : parts.certified()) {
            learners.put(learner, new LearnerProgress(host.config(), true, reportedAt));
        }
    }

    /** Parts of the replica that outlive the epoch. */
    record Parts(
            PendingUpdates pending,
            FencedReplicas fencing,
            LearnerProgress.Certifier certifier,
            List<ServerId> certified,
            Checkpoints checkpoints,
            Supplier<@Nullable EngineApplier> engine,
            Dispute.Owner aside) {}

    void start(int mapVersion) {
        early.begin(epoch, state.isr().size());
        openEpoch();
        assign(state, mapVersion);
    }

    private void openEpoch() {
        if (log.lastEpoch() < epoch) {
            long next = log.lastIndex() + 1;
            log.append(
                    log.hashAt(log.lastIndex()) == EntryHash.UNKNOWN
                            ? LogEntry.epoch(epoch, next, EntryHash.anchor(epoch, next))
                            : LogEntry.epoch(epoch, next));
        }
        epochIndex = log.lastIndex();
        ownFrom = epochIndex + 1;
    }

    /**
     * True for an update that this primary has logged since it started and has never applied. Then no client got an acknowledgement and no
     * other replica got the entry, so it may be removed.
     */
    boolean mayRefuse(long index) {
        return !closed && matched && index >= ownFrom && index > Math.max(decided, early.given());
    }

    @Override
    public long decidedIndex(ServerId server) {
        long onDisk = Math.min(decided, log.durableIndex());
        return state.isr().contains(server) ? Math.max(onDisk, early.given()) : onDisk;
    }

    @Override
    public long keptIndex() {
        return Math.min(Math.max(decided, ownFrom - 1), log.durableIndex());
    }

    /** Adopts a newer map of the same epoch: learners and fencing may differ. */
    void assign(ActorState newer, int mapVersion) {
        state = newer;
        backup.mapVersion(mapVersion);
        TreeSet<ServerId> wanted = new TreeSet<>(state.isr());
        wanted.addAll(state.learners());
        long now = host.env().clock().nanos();
        wanted.addAll(fencing.servers(false, now));
        wanted.remove(host.self());
        List<ServerId> gone = new ArrayList<>(links.keySet());
        gone.removeAll(wanted);
        gone.forEach(server -> {
            FollowerReplicator link = links.remove(server);
            if (link != null) {
                link.close();
            }
        });
        for (ServerId server : wanted) {
            if (!links.containsKey(server)) {
                links.put(server, new FollowerReplicator(host, key, epoch, log, server, this));
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
    boolean matched() {
        return matched;
    }

    @Override
    public long stableIndex() {
        return stable;
    }

    long epoch() {
        return epoch;
    }

    boolean accepting() {
        return !closed
                && matched
                && state.begun()
                && !early.spent()
                && !dispute.undecided()
                && replica.engineReady()
                && replica.applied() >= epochIndex;
    }

    /** True while updates are rejected for a temporary reason: the epoch is starting, or the primary is moving. */
    boolean settling() {
        return !closed && state.isr().size() >= meta.minIsr() && refusal().isPresent();
    }

    /** Reason for the rejection of updates now; empty if they are accepted. */
    java.util.Optional<UniserveException> refusal() {
        if (state.isr().size() < meta.minIsr()) {
            return java.util.Optional.of(new UniserveException(
                    ErrorCode.NOT_ENOUGH_REPLICAS,
                    state.isr().size() + " in-sync replicas, minIsr is " + meta.minIsr() + ": wait until one rejoins"));
        }
        UniserveException unwritable = accepting() ? null : replica.logError();
        if (unwritable != null) { // clients retry for longer than after a rejected update
            return java.util.Optional.of(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the primary cannot start its epoch: " + unwritable.getMessage()));
        }
        java.util.Optional<String> storage = backup.trouble();
        if (storage.isPresent()) {
            return storage.map(why -> new UniserveException(ErrorCode.UNAVAILABLE, why));
        }
        if (dispute.undecided()) {
            return java.util.Optional.of(new UniserveException(ErrorCode.UNAVAILABLE, dispute.reason()));
        }
        if (primaryTransfer.holding()) {
            return java.util.Optional.of(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary is about to move: retry later"));
        }
        if (!accepting()) {
            return java.util.Optional.of(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary is not ready yet: retry later"));
        }
        return java.util.Optional.empty();
    }

    /** True when a decision may be logged. The limit minIsr does not apply to decisions. */
    boolean mayDecide() {
        return accepting() && !primaryTransfer.holding();
    }

    /** Logs a PREPARE or a DECIDE. */
    void append(LogEntry entry) {
        log.append(entry);
        early.logged(entry);
    }

    /** Handles a failed write: entries from this one on were removed from the log. */
    void appendFailed(long from) {
        early.appendFailed(from, state.isr().size());
        links.values().forEach(FollowerReplicator::cutBack);
        host.wantTicks(key);
    }

    /** Runs the append when the backup record permits it. */
    void beforeAppend(Runnable append) {
        host.wantTicks(key);
        backup.beforeAppend(append);
    }

    /** Order of updates while one with a condition is checked. */
    AppendOrder order() {
        return order;
    }

    /** True when a sole replica may leave without loss. */
    boolean backupComplete() {
        return backup.complete();
    }

    @Override
    public void pin(String id, long version, Completion<PeerReply> completion) {
        if (accepting()) {
            host.wantTicks(key);
            backup.pin(
                    id,
                    version == 0
                            ? () -> VersionIndex.LOG_END
                            : () -> replica.trail().endOf(version),
                    completion);
        } else {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the primary of " + key + " is not ready yet")));
        }
    }

    @Override
    public void sweepAgain() {
        backup.sweepAgain();
        host.wantTicks(key);
    }

    BackupProgress backupProgress() {
        return backup.progress();
    }

    /** True when the actor moves off this server, and all desired replicas are in sync. */
    private boolean moves() {
        return !state.desired().contains(host.self())
                && state.isr().size() > state.desired().size()
                && state.isr().containsAll(state.desired());
    }

    /** Hands over to an in-sync replica that has the whole log, because the server drains or the actor moves. */
    void handOver(long now) {
        List<ServerId> heirs = moves() ? state.desired() : state.isr();
        boolean near = heirs.stream()
                .anyMatch(member -> !member.equals(host.self())
                        && log.lastIndex() - match(member) <= host.config().learnerLagMax());
        boolean served = matched && now - matchedAt >= host.config().retryNanos(); // serve waiting requests
        primaryTransfer.wanted(now, served && near);
        host.wantTicks(key);
        primaryTransfer.advance(now, successors());
    }

    private List<ServerId> successors() {
        if (log.durableIndex() < log.lastIndex()) {
            return List.of();
        }
        return state.isr().stream()
                .filter(member -> !member.equals(host.self()) && match(member) >= log.lastIndex())
                .toList();
    }

    /** Appends the update to the log. */
    void append(PendingUpdates.Update update, LogEntry entry) {
        pending.logged(update, entry.index(), epoch);
        log.append(entry);
    }

    /** Advances after progress of the log, the engine or a follower. */
    void advance() {
        if (closed) {
            return;
        }
        long now = host.env().clock().nanos();
        decided = Math.max(decided, Math.min(replica.applied(), log.durableIndex()));
        early.applied(replica.applied());
        if (dispute.look(state, links.values(), now)) {
            host.gateChanged(key);
        }
        if (closed) {
            return;
        }
        links.values().forEach(link -> link.pump(now));
        long least = log.durableIndex();
        for (ServerId member : state.isr()) {
            least = Math.min(least, match(member));
        }
        if (!matched && log.lastEpoch() == epoch && least >= epochIndex) {
            matched = true;
            matchedAt = now;
        }
        for (Map.Entry<ServerId, LearnerProgress> learner : learners.entrySet()) {
            if (learner.getValue().counts()) {
                least = Math.min(least, match(learner.getKey()));
            }
        }
        if (matched) {
            stable = Math.max(stable, Math.min(least, keptIndex()));
            if (state.begun()) {
                backup.stable(stable);
            }
        }
        acknowledge(now);
        if (primaryTransfer.holding()) {
            primaryTransfer.advance(now, successors());
        }
        order.advance();
        replica.advanced();
    }

    private long match(ServerId member) {
        FollowerReplicator link = links.get(member);
        return link == null ? (member.equals(host.self()) ? log.durableIndex() : 0) : link.match();
    }

    private void acknowledge(long now) {
        long applied = Math.min(replica.applied(), log.durableIndex());
        long safe = Math.min(applied, backup.safe());
        pending.progress(applied, safe, fencing.allFenced(now) ? Math.min(stable, safe) : 0);
    }

    /** Beyond the log's own start if an entry is damaged and a stored checkpoint covers it. */
    @Override
    public long baseIndex() {
        long damaged = log.damagedThrough();
        return damaged > 0 && backup.covers(damaged) ? Math.max(log.baseIndex(), damaged) : log.baseIndex();
    }

    /** The part of the log that only this replica still needs. Learners retain it only while there is room. */
    LogRetention retention() {
        if (closed || !matched || !state.begun()) {
            return LogRetention.ALL;
        }
        long learners = Long.MAX_VALUE;
        for (ServerId learner : log.crowded() ? List.<ServerId>of() : state.learners()) {
            learners = Math.min(learners, match(learner));
        }
        return new LogRetention(stable, backup.through(), learners);
    }

    @Override
    public void progressed(FollowerReplicator link) {
        if (!closed) {
            advance();
        }
    }

    @Override
    public void installed(ServerId server, long installed) {
        if (installed > epoch) {
            host.refresh(meta.name());
        }
        fencing.confirm(server, installed, host.env().clock().nanos());
    }

    @Override
    public long disputedIndex() {
        return dispute.index();
    }

    /** True while this log may be the wrong one. */
    boolean disputed() {
        return dispute.undecided();
    }

    @Override
    public void checkpointDamaged() {
        backup.renewCheckpoint();
        host.wantTicks(key);
    }

    @Override
    public void wantTicks() {
        host.wantTicks(key);
    }

    boolean wantsTicks() {
        return !matched
                || early.spent()
                || primaryTransfer.holding()
                || moves()
                || !state.begun()
                || backup.wantsTicks(stable)
                || wantsClean()
                || !state.learners().isEmpty()
                || !fencing.isEmpty()
                || links.values().stream().anyMatch(FollowerReplicator::wantsTicks);
    }

    private boolean wantsClean() {
        return state.isr().size() == 1 && !backup.complete();
    }

    void tick(long now) {
        if (log.lastEpoch() < epoch) {
            openEpoch();
        }
        if (moves()) {
            handOver(now);
        }
        for (ServerId learner : state.learners()) {
            FollowerReplicator link = links.get(learner);
            LearnerProgress watch = learners.get(learner);
            if (link != null && watch != null && matched) {
                link.poll();
                LearnerProgress.Progress told =
                        new LearnerProgress.Progress(learner, link.confirms(0), link.match(), link.applied());
                watch.advance(told, log.durableIndex(), stable, now, certifier);
            }
        }
        advance();
        if (state.begun()) { // before, the coordinator may still cancel the takeover
            backup.tick(
                    now,
                    stable,
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
            FollowerReplicator link = links.get(learner);
            if (watch != null && watch.certified() && link != null && link.confirms(ownFrom - 1)) {
                host.tellCoordinator(new PeerRequest.Certified(key, epoch, host.self(), learner, link.incarnation()));
            }
        }
        if (matched && replica.engineReady() && !state.begun()) { // the engine must be built
            host.tellCoordinator(new PeerRequest.Begun(key, epoch, host.self()));
        }
        if (early.spent()) {
            host.tellCoordinator(new PeerRequest.Renew(key, epoch, host.self()));
        }
        List<ServerId> fenced = fencing.servers(true, now);
        if (!fenced.isEmpty()) {
            host.tellCoordinator(new PeerRequest.Fenced(key, epoch, fenced));
        }
    }

    void close() {
        closed = true;
        backup.close();
        order.close();
        links.values().forEach(FollowerReplicator::close);
    }

    /** The replica of this server that is the primary. */
    interface LocalReplica {
        /** The last entry that the engine has applied. */
        long applied();

        boolean engineReady();

        /** Why the log takes no more entries, null while it does. */
        @Nullable
        UniserveException logError();

        /** The table's definition, null before the first assignment. */
        @Nullable
        TableMeta definition();

        VersionIndex trail();

        /** The high watermark has moved, or the role has news for readers. */
        void advanced();
    }
}
