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
 * One replica on this server. Opens what is on disk, installs each epoch durably before acting in it, and is then the
 * epoch's primary or a follower. A replica whose log is damaged keeps its files, serves nothing and says that it is unfit,
 * until a newer epoch names it a learner: then it starts anew.
 */
public final class Replica {
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

    /** A replica of this table, whose files are not read before {@link #open}. */
    public Replica(ReplicaContext host, ReplicaKey key, TableName table) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.pending = new PendingUpdates(key.actor());
        this.fencing = new FencedReplicas(host.config().fenceNanos());
        this.replicaRole = new ReplicaRole(host.self(), pending);
        this.replicaHealth = new ReplicaHealth(host, key, () -> host.wantTicks(this));
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

    /** True once the files were read, whole or damaged, and while no call into the engine takes long, for which an end would wait. */
    public boolean mayEnd() {
        return (files.opened() != null || replicaHealth.isDamaged()) && !files.engineHangs();
    }

    /** True when the files are damaged and kept for a look. */
    public boolean isDamaged() {
        return replicaHealth.isDamaged();
    }

    /**
     * The installed epoch of a replica that has what it had in sync, 0 for one that never had anything; -1 while that is not
     * known or not so.
     */
    public long wholeSince() {
        return files.whole() && !closed && !replicaHealth.isDamaged() ? installed() : -1;
    }

    /** Epoch of the takeover that made this replica's files worthless, 0 when there was none. */
    public long abandonedAt() {
        ActorState wanted = desired;
        return wanted != null && files.beforeTakeover(wanted) ? wanted.restoreEpoch() : 0;
    }

    /** True when nothing waits to be shipped to durable storage. */
    public boolean shipped() {
        Primary leader = replicaRole.primary();
        return leader == null || leader.backupComplete();
    }

    /** Last index applied to the engine. */
    public long applied() {
        EngineApplier engine = files.engine();
        return engine == null ? 0 : engine.applied();
    }

    /** Its part in proving that copies are equal. */
    public CopyCheck copies() {
        return copies;
    }

    boolean engineReady() {
        EngineApplier engine = files.engine();
        return engine != null && engine.ready();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** Reads the files. The completion runs whether they are whole or damaged; other errors are tried again first. */
    public void open(Runnable then) {
        files.open(then);
    }

    private long epochWanted() {
        return desired == null ? 0 : desired.epoch();
    }

    /** Takes a map that was read at this time. */
    public void assign(TableMeta newMeta, ActorState state, int newMapVersion, long readAtNanos) {
        mapVersion = newMapVersion;
        meta = newMeta;
        desired = state;
        fencing.assign(state, readAtNanos);
        replicaHealth.seen(state.epoch());
        evaluate();
    }

    /** Brings the replica one step nearer to what the map says. */
    private void evaluate() {
        ActorState wanted = desired;
        if (closed || wanted == null || files.changing() || cutting.running()) {
            return;
        }
        OpenReplica openReplica = files.opened();
        if (replicaHealth.mayReturn(wanted, files)) {
            if (replicaRole.state() != null) {
                replicaRole.end(key, "is being taken over by another server");
            }
        } else if (replicaHealth.mustRestore(wanted, files)) {
            whenDue(() -> files.restore(wanted));
        } else if (replicaHealth.mayStartAnew(wanted)) {
            whenDue(files::startAnew);
        } else if (replicaHealth.isDamaged() || openReplica != null && replicaHealth.emptied(wanted, installed())) {
            host.wantTicks(this);
        } else if (openReplica != null && wanted.epoch() > installed()) {
            whenDue(() -> files.install(openReplica, wanted.epoch()));
        } else if (openReplica != null && wanted.epoch() == installed()) {
            activate(openReplica, wanted);
        }
        requestAdmission.look();
        host.gateChanged(this);
    }

    private void whenDue(Runnable step) {
        if (files.mayTry()) {
            step.run();
        } else {
            host.wantTicks(this);
        }
    }

    private void activate(OpenReplica parts, ActorState state) {
        if (meta != null && files.startEngine(parts, meta, new EngineEvents())) {
            trail.cut(parts.log().lastIndex());
            host.wantTicks(this);
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

    /** A message from the primary; one of an epoch that is being installed here waits until it is. */
    public void replicate(Replicate request, Completion<PeerReply> completion) {
        if (request.epoch() > epochWanted() && request.epoch() > installed()) {
            host.refresh(table);
        }
        requestAdmission.replicate(request, completion);
        host.wantTicks(this);
    }

    /** An update for this actor. */
    public void update(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        if (rows.epoch() > installed()) {
            host.refresh(table);
        }
        requestAdmission.update(request, rows, callback);
        host.wantTicks(this);
    }

    /** The primary is further than it was. */
    void advanced() {
        requestAdmission.look();
    }

    /** The primary's part in an atomic update. */
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

    /** What became of an atomic update, as the table's log says; answered when every in-sync replica has it. */
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

    /** The version that is prepared in the engine and whose outcome was not carried out there; 0 for none. */
    public long undecided() {
        EngineApplier engine = files.engine();
        return engine == null || closed ? 0 : engine.undecided();
    }

    /** The table's log says this of a version: it is carried out at once, though the actor's log may not say it yet. */
    public void foretell(long version, boolean commit) {
        EngineApplier engine = files.engine();
        if (engine != null && !closed) {
            engine.foretell(version, commit);
        }
    }

    /** True when this replica is its actor's primary and may log. */
    public boolean leads() {
        Primary leader = replicaRole.primary();
        return leader != null && !closed && leader.mayDecide();
    }

    /** The version that this primary's log has prepared and not decided; 0 for none, and elsewhere. */
    public long openVersion() {
        return atomic() == null ? 0 : trail.end().open();
    }

    /** A lease on a map in which this actor had the epoch. */
    public void renewLease(long epochInMap, long untilNanos) {
        lease.offer(epochInMap, untilNanos);
        host.gateChanged(this);
    }

    /** What readers may have. */
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

    /** The part it plays, for reports. */
    public String role() {
        return replicaHealth.isDamaged() ? "damaged" : closed ? "opening" : replicaRole.name();
    }

    /** Last log index, durable or not. */
    public long lastIndex() {
        OpenReplica parts = files.opened();
        return parts == null ? 0 : parts.log().lastIndex();
    }

    /** What the primary knows to be stable; 0 elsewhere. */
    public long stableIndex() {
        Primary leader = replicaRole.primary();
        return leader == null ? 0 : leader.stableIndex();
    }

    /** The table's definition as last read; null before. */
    @Nullable
    TableMeta definition() {
        return meta;
    }

    /** What its log says about versions. */
    VersionIndex trail() {
        return trail;
    }

    /** Its part in backups of the table; null where it does not lead. */
    public @Nullable SnapshotPins pins() {
        return closed ? null : replicaRole.primary();
    }

    /** How far the backup is, where this is the primary. */
    public BackupProgress backup() {
        Primary leader = replicaRole.primary();
        return leader == null ? BackupProgress.NONE : leader.backupProgress();
    }

    /** Bytes of the log. */
    public long logBytes() {
        OpenReplica parts = files.opened();
        return parts == null ? 0 : parts.log().bytes();
    }

    /** The map's row that is in force here; null before one is installed. */
    public @Nullable ActorState current() {
        return replicaRole.state();
    }

    /** The server drains: a primary hands over as soon as it can do so without a loss. */
    public void handOver() {
        Primary leader = replicaRole.primary();
        if (leader != null && !closed) {
            leader.handOver(now());
        }
    }

    /** Time passes. False when nothing waits for it any more. */
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

    /** Ends the replica and removes its files. */
    public void destroy(Completion<Done> completion) {
        end(() -> host.env().disk().delete(key.toString(), completion));
    }

    /** Ends the replica and runs the task when nothing of it is under way any more; files stay. */
    public void end(Runnable then) {
        close();
        this.files.close(then);
    }

    /** Stops acting; files stay. */
    public void close() {
        closed = true;
        replicaRole.close();
        pending.failAll(ErrorCode.NOT_PRIMARY, "the replica is closed here", installed());
        requestAdmission.close();
    }

    /** Ends the replica and keeps its files aside: the coordinator gave up on what they hold. */
    public void setAside(Completion<Done> completion) {
        end(() -> ReplicaRestore.moveAside(host, key, completion));
    }

    private void cut(long after, boolean keep, Completion<Long> then) {
        OpenReplica parts = files.opened();
        EngineApplier engine = files.engine();
        if (parts == null || engine == null) {
            throw new UniserveException(ErrorCode.INTERNAL, key + ": cut before open");
        }
        LOG.info("{}: cuts {} entries after {}", key, parts.log().lastIndex() - after, after);
        cutting.run(parts, engine, after, keep, cut -> {
            host.wantTicks(this);
            trail.cut(parts.log().lastIndex());
            then.done(cut);
            evaluate();
        });
    }

    /** Why the log cannot be written now; null when it can. */
    @Nullable
    UniserveException logError() {
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
            host.wantTicks(Replica.this);
        }
    }

    private final class LogEvents implements LogListener {
        @Override
        public void appended(LogEntry entry) {
            trail.appended(entry);
            if (VersionState.concerns(entry)) {
                host.wantTicks(Replica.this); // a decision may wait to be written
                host.gateChanged(Replica.this); // before anybody hears that it is here
            }
        }

        @Override
        public void durable(long index) {
            replicaHealth.logWorks();
            replicaRole.durable();
            files.durable();
            replicaRole.advance();
            host.wantTicks(Replica.this);
        }

        @Override
        public void appendFailed(long from, UniserveException error) {
            LOG.warn("{}: entries from {} on cannot be written: {}", key, from, error.getMessage());
            replicaHealth.logFailed(error);
            trail.cut(from - 1);
            replicaRole.appendFailed(from, error);
            files.appendFailed(from, error);
            pending.failFrom(from, error.code(), error.reason(), installed());
            host.wantTicks(Replica.this);
        }

        @Override
        public void damaged(UniserveException error) {
            if (replicaHealth.spoiled(error.reason(), epochWanted())) {
                LOG.warn("{}: its log is damaged: {}", key, error.getMessage());
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
            host.gateChanged(Replica.this);
        }

        @Override
        public void unfit(String reason) {
            replicaHealth.engineFailed(reason);
            host.gateChanged(Replica.this);
        }

        @Override
        public boolean rejected(LogEntry update, UniserveException error, boolean certain) {
            OpenReplica parts = files.opened();
            boolean mine = parts != null && !closed && rejectionLogger.rejected(parts.log(), update, error, certain);
            if (mine) {
                host.gateChanged(Replica.this);
                host.wantTicks(Replica.this);
            }
            return mine;
        }

        @Override
        public void lost(String reason) {
            replicaHealth.uncovered(reason, epochWanted());
        }
    }
}
