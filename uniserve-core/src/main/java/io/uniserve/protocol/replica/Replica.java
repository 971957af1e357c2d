package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.UpdateRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica on this server. It opens the files on disk, installs each epoch durably before it acts in it, and is then the primary or a
 * follower of that epoch. A replica with a damaged log keeps its files, serves nothing and reports itself as unhealthy. Once a newer epoch
 * names it a learner, it starts anew.
 */
public final class Replica implements Primary.LocalReplica {
    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final PendingUpdates pending;
    private final FencedReplicas fencing;
    private final ReplicaRole replicaRole;
    private final ReplicaHealth replicaHealth;
    private final RecoveryPoint marks;
    private final LogTruncation cutting;
    private final LogCleaner drops;
    private final ReadLease lease;
    private final ReplicaStorage files;
    private final RejectionLogger rejectionLogger;
    private final VersionIndex trail;
    private final RequestAdmission requestAdmission;
    private final CopyCheck copies;
    private @Nullable TableMeta meta;
    private @Nullable ActorState desired;
    private boolean closed;
    private int mapVersion;

    /** A replica of this table. Its files are not read before {@link #open}. */
    public Replica(ReplicaContext host, ReplicaKey key, TableName table) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.pending = new PendingUpdates(key.actor());
        this.fencing = new FencedReplicas(host.config().fenceNanos());
        this.replicaRole = new ReplicaRole(host.self(), pending);
        this.replicaHealth = new ReplicaHealth(host, key, () -> host.wantTicks(key));
        this.marks = new RecoveryPoint(host.config(), now());
        this.cutting = new LogTruncation(replicaHealth, marks);
        this.lease = new ReadLease(now());
        this.files = new ReplicaStorage(host, key, table, replicaHealth, new FilesOwner(), new LogEvents());
        this.trail = new VersionIndex(this::versionsApplied, () -> {
            EngineApplier engine = files.engine();
            return engine == null ? 0 : engine.early().decided();
        });
        this.requestAdmission = new RequestAdmission(
                host, new RequestAdmission.Inside(key, files, replicaRole, pending, replicaHealth, () -> closed));
        this.copies = new CopyCheck(
                host, new CopyCheck.Inside(key, files, replicaRole, replicaHealth, () -> closed, this::evaluate));
        this.drops = new LogCleaner(host, key, trail, cutting);
        this.rejectionLogger =
                new RejectionLogger(key, pending, replicaRole::primary, (after, then) -> cut(after, false, then));
    }

    public ReplicaKey key() {
        return key;
    }

    public TableName table() {
        return table;
    }

    /** The installed epoch, 0 for none. */
    public long installed() {
        return files.installed();
    }

    /**
     * True once the files have been read, intact or damaged, and while no engine call hangs. Closing the replica would wait for such a
     * call.
     */
    public boolean mayEnd() {
        return (files.opened() != null || replicaHealth.isDamaged()) && !files.engineHangs();
    }

    /** True when the files are damaged, and are kept for inspection. */
    public boolean isDamaged() {
        return replicaHealth.isDamaged();
    }

    /** The installed epoch of a replica with intact data, 0 if it never had any. -1 if the data are damaged or not read yet. */
    public long wholeSince() {
        return files.whole() && !closed && !replicaHealth.isDamaged() ? installed() : -1;
    }

    /** Epoch of the takeover that made this replica's files obsolete, 0 if there was none. */
    public long abandonedAt() {
        ActorState wanted = desired;
        return wanted != null && files.beforeTakeover(wanted) ? wanted.restoreEpoch() : 0;
    }

    /** True when everything is shipped to durable storage. */
    public boolean shipped() {
        Primary leader = replicaRole.primary();
        return leader == null || leader.backupComplete();
    }

    /** Last index applied to the engine. */
    @Override
    public long applied() {
        EngineApplier engine = files.engine();
        return engine == null ? 0 : engine.applied();
    }

    /** Comparison of this copy with the others. */
    public CopyCheck copies() {
        return copies;
    }

    @Override
    public boolean engineReady() {
        EngineApplier engine = files.engine();
        return engine != null && engine.ready();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** Reads the files. The completion runs once they are read, intact or damaged; after other errors the read is retried. */
    public void open(Runnable then) {
        files.open(then);
    }

    private long epochWanted() {
        return desired == null ? 0 : desired.epoch();
    }

    /** Adopts a map that was read at this time. */
    public void assign(TableMeta newMeta, ActorState state, int newMapVersion, long readAtNanos) {
        mapVersion = newMapVersion;
        meta = newMeta;
        desired = state;
        fencing.assign(state, readAtNanos);
        replicaHealth.seen(state.epoch());
        evaluate();
    }

    /** Takes the next step towards the state in the map. */
    private void evaluate() {
        ActorState wanted = desired;
        if (closed || wanted == null || files.changing() || cutting.running()) {
            return;
        }
        OpenReplica openReplica = files.opened();
        if (replicaHealth.mayReturn(wanted, files)) {
            if (replicaRole.state() != null) {
                replicaRole.end(key, "waits for a takeover by another server");
            }
        } else if (replicaHealth.mustRestore(wanted, files)) {
            whenDue(() -> files.restore(wanted));
        } else if (replicaHealth.mayStartAnew(wanted)) {
            whenDue(files::startAnew);
        } else if (replicaHealth.isDamaged() || openReplica != null && replicaHealth.emptied(wanted, installed())) {
            host.wantTicks(key);
        } else if (openReplica != null && wanted.epoch() > installed()) {
            whenDue(() -> files.install(openReplica, wanted.epoch()));
        } else if (openReplica != null && wanted.epoch() == installed()) {
            activate(openReplica, wanted);
        }
        requestAdmission.look();
        host.gateChanged(key);
    }

    private void whenDue(Runnable step) {
        if (files.mayTry()) {
            step.run();
        } else {
            host.wantTicks(key);
        }
    }

    private void activate(OpenReplica parts, ActorState state) {
        if (meta != null && files.startEngine(parts, meta, new EngineEvents())) {
            trail.cut(parts.log().lastIndex());
            host.wantTicks(key);
        }
        replicaRole.play(state, mapVersion, meta, new ReplicaRole.Maker() {
            @Override
            public Primary primary(TableMeta table, ActorState row) {
                Primary.Parts shared = new Primary.Parts(
                        pending,
                        fencing,
                        Replica.this::certify,
                        parts.file().get().certified(),
                        parts.checkpoints(),
                        files::engine,
                        copies::setAside);
                return new Primary(Replica.this, host, key, table, row, parts.log(), shared);
            }

            @Override
            public Follower follower(ActorState row) {
                FollowerSupport support = new FollowerSupport(
                        Replica.this,
                        host,
                        files,
                        replicaRole,
                        parts,
                        (after, then) -> cut(after, true, then),
                        () -> closed || cutting.running());
                return new Follower(parts.log(), support, row.epoch());
            }
        });
    }

    private void certify(ServerId learner, Consumer<Boolean> then) {
        OpenReplica parts = files.opened();
        ActorState at = replicaRole.state();
        if (parts == null || at == null || at.epoch() != installed() || files.changing()) {
            then.accept(false);
            return;
        }
        parts.file().certify(at.epoch(), learner, then);
    }

    /** Handles a message from the primary. One of an epoch that is being installed here waits for the installation. */
    public void replicate(Replicate request, Completion<PeerReply> completion) {
        if (request.epoch() > epochWanted() && request.epoch() > installed()) {
            host.refresh(table);
        }
        requestAdmission.replicate(request, completion);
        host.wantTicks(key);
    }

    /** Handles an update for this actor. */
    public void update(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        if (rows.epoch() > installed()) {
            host.refresh(table);
        }
        requestAdmission.update(request, rows, callback);
        host.wantTicks(key);
    }

    /** Handles progress of the primary. */
    @Override
    public void advanced() {
        requestAdmission.look();
    }

    /** Handles a PREPARE request at the primary. */
    public void prepare(PeerRequest.Prepare request, Completion<PeerReply> completion) {
        if (request.epoch() > installed()) {
            host.refresh(table);
        }
        TransactionParticipant flow = atomic();
        if (flow == null) {
            completion.done(Outcome.ok(PeerReply.Vote.later(installed(), "this server is not the actor's primary")));
        } else {
            flow.prepare(request, completion);
        }
    }

    /** Handles a decision of the transaction log. The reply follows when every in-sync replica has logged it. */
    public void decide(PeerRequest.Decide request, Completion<PeerReply> completion) {
        foretell(request.version(), request.commit());
        TransactionParticipant flow = atomic();
        if (flow == null) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.NOT_PRIMARY, "this server is not the actor's primary")));
        } else {
            flow.decide(request, completion);
        }
    }

    private @Nullable TransactionParticipant atomic() {
        OpenReplica parts = files.opened();
        return replicaRole.primary() == null || parts == null || closed || !engineReady()
                ? null
                : new TransactionParticipant(
                        host, key, parts.log(), pending, trail, rejectionLogger, replicaRole::primary);
    }

    private VersionState versionsApplied() {
        EngineApplier engine = files.engine();
        return engine == null ? new VersionState() : engine.table().versions();
    }

    private long committed() {
        EngineApplier engine = files.engine();
        return engine == null
                ? 0
                : Math.max(engine.table().versions().committed(), engine.early().committed());
    }

    /** The version that is prepared in the engine without an applied outcome; 0 for none. */
    public long undecided() {
        EngineApplier engine = files.engine();
        return engine == null || closed ? 0 : engine.undecided();
    }

    /** Applies an outcome from the transaction log at once, even if the actor's log does not have it yet. */
    public void foretell(long version, boolean commit) {
        EngineApplier engine = files.engine();
        if (engine != null && !closed) {
            engine.foretell(version, commit);
        }
    }

    /** True when this replica is the actor's primary and may log. */
    public boolean leads() {
        Primary leader = replicaRole.primary();
        return leader != null && !closed && leader.mayDecide();
    }

    /** The version that this primary's log has prepared and not decided; 0 for none, and for other replicas. */
    public long openVersion() {
        return atomic() == null ? 0 : trail.end().open();
    }

    /** Renews the lease, for a map in which this actor had the given epoch. */
    public void renewLease(long epochInMap, long untilNanos) {
        lease.offer(epochInMap, untilNanos);
        host.gateChanged(key);
    }

    /** The conditions for reads, see {@link ReadGate}. */
    public ReadGate gate() {
        long epoch = installed();
        boolean ready = !closed
                && !replicaHealth.isDamaged()
                && engineReady()
                && replicaRole.inSync(epoch)
                && !replicaRole.disputed();
        boolean serving = ready && !fencing.olderMayBeRead(meta, now());
        return new ReadGate(
                key.actor(), epoch, serving, lease.until(epoch), applied(), trail.doubt(), committed(), files.built());
    }

    /** Role of the replica in reports. */
    public String role() {
        return replicaHealth.isDamaged() ? "damaged" : closed ? "opening" : replicaRole.name();
    }

    /** Last log index, durable or not. */
    public long lastIndex() {
        OpenReplica parts = files.opened();
        return parts == null ? 0 : parts.log().lastIndex();
    }

    /** The high watermark as known to the primary; 0 for other replicas. */
    public long stableIndex() {
        Primary leader = replicaRole.primary();
        return leader == null ? 0 : leader.stableIndex();
    }

    /** The table's definition as last read; null before. */
    @Override
    @Nullable
    public TableMeta definition() {
        return meta;
    }

    /** Index of the versions in its log. */
    @Override
    public VersionIndex trail() {
        return trail;
    }

    /** Pins for named backups; null for other replicas than the primary. */
    public @Nullable SnapshotPins pins() {
        return closed ? null : replicaRole.primary();
    }

    /** Progress of the backup, for the primary. */
    public BackupProgress backup() {
        Primary leader = replicaRole.primary();
        return leader == null ? BackupProgress.NONE : leader.backupProgress();
    }

    /** Size of the log in bytes. */
    public long logBytes() {
        OpenReplica parts = files.opened();
        return parts == null ? 0 : parts.log().bytes();
    }

    /** The row of the map in the installed epoch; null before an epoch is installed. */
    public @Nullable ActorState current() {
        return replicaRole.state();
    }

    /** Hands over because the server drains: a primary gives up its role as soon as that loses nothing. */
    public void handOver() {
        Primary leader = replicaRole.primary();
        if (leader != null && !closed) {
            leader.handOver(now());
        }
    }

    /** Periodic work. Returns false if no work waits for the next tick. */
    public boolean tick() {
        long now = now();
        if (closed) {
            return false;
        }
        EngineApplier engine = files.engine();
        if (engine != null) {
            engine.tick(now);
        }
        if (desired != null && (replicaHealth.wantsTicks() || desired.epoch() > installed())) {
            evaluate();
        }
        OpenReplica parts = files.opened();
        if (parts != null) {
            parts.log().flush();
        }
        if (parts != null && !files.changing()) {
            marks.tick(now, parts);
            drops.tick(now, parts, replicaRole.retention(), applied());
        }
        files.tick(now);
        Primary leader = replicaRole.primary();
        if (leader != null) {
            leader.tick(now);
        }
        requestAdmission.look();
        replicaHealth.report(desired, engineReady(), !replicaRole.leads());
        return replicaHealth.wantsTicks()
                || parts != null && marks.wantsTicks(parts)
                || engine != null && engine.wantsTicks()
                || leader != null && leader.wantsTicks()
                || desired != null && desired.epoch() > installed()
                || requestAdmission.wantsTicks()
                || !pending.isEmpty();
    }

    /** Closes the replica and deletes its files. */
    public void destroy(Completion<Done> completion) {
        end(() -> host.env().disk().delete(key.toString(), completion));
    }

    /** Closes the replica, and runs the task when none of its calls is running. Files stay. */
    public void end(Runnable then) {
        close();
        this.files.close(then);
    }

    /** Stops acting; files stay. */
    public void close() {
        closed = true;
        replicaRole.close();
        pending.failAll(ErrorCode.NOT_PRIMARY, "the replica is closed on this server", installed());
        requestAdmission.close();
    }

    /** Closes the replica and moves its files to quarantine, because the coordinator has replaced their data. */
    public void setAside(Completion<Done> completion) {
        end(() -> ReplicaRestore.moveAside(host, key, completion));
    }

    private void cut(long after, boolean keep, Completion<Long> then) {
        OpenReplica parts = files.opened();
        EngineApplier engine = files.engine();
        if (parts == null || engine == null) {
            throw new UniserveException(ErrorCode.INTERNAL, key + ": truncation before open");
        }
        LOG.info("{}: truncates {} entries after index {}", key, parts.log().lastIndex() - after, after);
        cutting.run(parts, engine, after, keep, cut -> {
            host.wantTicks(key);
            trail.cut(parts.log().lastIndex());
            then.done(cut);
            evaluate();
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
        public long epochWanted() {
            return Replica.this.epochWanted();
        }

        @Override
        public void endPart(String why) {
            replicaRole.end(key, why);
        }

        @Override
        public void changed() {
            evaluate();
        }

        @Override
        public void wantTicks() {
            host.wantTicks(key);
        }
    }

    private final class LogEvents implements LogListener {
        @Override
        public void appended(LogEntry entry) {
            trail.appended(entry);
            if (VersionState.concerns(entry)) {
                host.wantTicks(key); // a decision may wait to be written
                host.gateChanged(key); // before anybody hears that it is here
            }
        }

        @Override
        public void durable(long index) {
            replicaHealth.logWorks();
            replicaRole.durable();
            files.durable();
            replicaRole.advance();
            host.wantTicks(key);
        }

        @Override
        public void appendFailed(long from, UniserveException error) {
            LOG.warn("{}: append failed at index {}: {}", key, from, error.getMessage());
            replicaHealth.logFailed(error);
            trail.cut(from - 1);
            replicaRole.appendFailed(from, error);
            files.appendFailed(from, error);
            pending.failFrom(from, error.code(), error.reason(), installed());
            host.wantTicks(key);
        }

        @Override
        public void damaged(UniserveException error) {
            if (replicaHealth.spoiled(error.reason(), epochWanted())) {
                LOG.warn("{}: log is damaged: {}", key, error.getMessage());
            }
        }

        @Override
        public void fatal(UniserveException error) {
            host.fatal(error);
        }
    }

    private final class EngineEvents implements EngineListener {
        @Override
        public void applied() {
            trail.applied(Replica.this.applied());
            if (engineReady() && replicaHealth.covered()) {
                evaluate();
            }
            replicaRole.advance();
            host.gateChanged(key);
        }

        @Override
        public void unfit(String reason) {
            replicaHealth.engineFailed(reason);
            host.gateChanged(key);
        }

        @Override
        public boolean rejected(LogEntry update, UniserveException error, boolean certain) {
            OpenReplica parts = files.opened();
            boolean mine = parts != null && !closed && rejectionLogger.rejected(parts.log(), update, error, certain);
            if (mine) {
                host.gateChanged(key);
                host.wantTicks(key);
            }
            return mine;
        }

        @Override
        public void lost(String reason) {
            replicaHealth.uncovered(reason, epochWanted());
        }
    }
}
