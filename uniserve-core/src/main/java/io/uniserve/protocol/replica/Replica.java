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
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
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

    private final ReplicaHost host;
    private final ReplicaKey key;
    private final TableName table;
    private final PendingUpdates pending;
    private final FencingWatch fencing;
    private final Part part;
    private final Fitness fitness;
    private final SyncedMark marks;
    private final TailCut cutting;
    private final OfferedLease lease;
    private final StallWatch stalls = new StallWatch();
    private final RestoreBackoff restores = new RestoreBackoff();
    private @Nullable Opened opened;
    private @Nullable Applier applier;
    private @Nullable TableMeta meta;
    private @Nullable ActorState desired;
    private boolean closed;
    private boolean opening;
    private boolean changing;
    private long retryAt;
    private @Nullable Takeover takeover;
    private int mapVersion;
    private long restoredEpoch;
    private long openedEpoch;

    /** A replica of this table, whose files are not read before {@link #open}. */
    public Replica(ReplicaHost host, ReplicaKey key, TableName table) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.pending = new PendingUpdates(key.actor());
        this.fencing = new FencingWatch(host.config().fenceNanos());
        this.part = new Part(host.self(), pending);
        this.fitness = new Fitness(host, key, () -> host.wantTicks(this));
        this.marks = new SyncedMark(host.config(), now());
        this.cutting = new TailCut(fitness, marks);
        this.lease = new OfferedLease(now());
        this.retryAt = now();
    }

    public ReplicaKey key() {
        return key;
    }

    public TableName table() {
        return table;
    }

    /** The installed epoch, 0 for none. */
    public long installed() {
        return opened == null ? 0 : opened.file().get().installed();
    }

    /** True once the files were read, whole or damaged. */
    public boolean isOpen() {
        return opened != null || fitness.isDamaged();
    }

    /** True when the files are damaged and kept for a look. */
    public boolean isDamaged() {
        return fitness.isDamaged();
    }

    /**
     * The installed epoch of a replica that has what it had in sync, 0 for one that never had anything; -1 while that is not
     * known or not so.
     */
    public long wholeSince() {
        boolean whole = opened != null && takeover == null && !closed && !fitness.isDamaged();
        return whole ? installed() : -1;
    }

    /** Epoch of the takeover that made this replica's files worthless, 0 when there was none. */
    public long abandonedAt() {
        ActorState wanted = desired;
        return wanted != null && wanted.restoreEpoch() > openedEpoch && openedEpoch > 0 ? wanted.restoreEpoch() : 0;
    }

    /** True when nothing waits to be shipped to durable storage. */
    public boolean shipped() {
        Primary leader = part.primary();
        return leader == null || leader.backupComplete();
    }

    /** Last index applied to the engine. */
    public long applied() {
        return applier == null ? 0 : applier.applied();
    }

    boolean engineReady() {
        return applier != null && applier.ready();
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** Reads the files. The completion runs whether they are whole or damaged; other errors are tried again first. */
    public void open(Runnable then) {
        if (closed || opening || opened != null) {
            return;
        }
        opening = true;
        Opened.open(host.env().disk(), key, table, host.config().log(), new LogEvents(), outcome -> {
            opening = false;
            if (closed) {
                return;
            }
            if (outcome instanceof Outcome.Ok<Opened> ok) {
                fitness.fresh();
                opened = ok.value();
                openedEpoch = installed();
                then.run();
                evaluate();
                return;
            }
            UniserveException error = ((Outcome.Err<Opened>) outcome).error();
            LOG.warn("{}: cannot be opened: {}", key, error.getMessage());
            if (error.code() == ErrorCode.CORRUPT) {
                fitness.damaged(error.reason(), epochWanted());
                then.run();
            } else {
                fitness.unreadable(error, epochWanted());
                openLater(then);
            }
            evaluate();
        });
    }

    private void openLater(Runnable then) {
        host.env().timers().after(host.config().retryNanos() * 10, () -> {
            if (!changing && !fitness.isDamaged()) {
                open(then);
            }
        });
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
        fitness.seen(state.epoch());
        evaluate();
    }

    /** Brings the replica one step nearer to what the map says. */
    private void evaluate() {
        ActorState wanted = desired;
        if (closed || wanted == null || changing || cutting.running()) {
            return;
        }
        Standing standing = standing(wanted);
        if (standing.mayReturn()) {
            if (part.state() != null) {
                part.end(key, "is being taken over by another server");
            }
        } else if (standing.mustRestore(restoredEpoch)) {
            if (now() - retryAt >= 0) {
                restore(wanted);
            } else {
                host.wantTicks(this);
            }
        } else if (fitness.mayStartAnew(wanted)) {
            startAnew();
        } else if (fitness.isDamaged() || opened != null && fitness.emptied(wanted, installed())) {
            host.wantTicks(this);
        } else if (opened != null && wanted.epoch() > installed()) {
            if (now() - retryAt >= 0) {
                install(opened, wanted.epoch());
            } else {
                host.wantTicks(this);
            }
        } else if (opened != null && wanted.epoch() == installed()) {
            activate(opened, wanted);
        }
        host.gateChanged(this);
    }

    private Standing standing(ActorState wanted) {
        return new Standing(host.self(), wanted, installed(), opened != null, takeover != null, fitness);
    }

    private void restore(ActorState wanted) {
        LOG.info("{}: restores from durable storage for epoch {}", key, wanted.epoch());
        boolean keep = fitness.isDamaged() || installed() > 0;
        makeFromStorage(takeover(wanted.restoreEpoch()), keep);
    }

    /** A learner from whose log the primary cannot go on begins anew, where the primary's log begins. */
    private void startOver(long primaryBase) {
        ActorState at = part.state();
        boolean free = !changing && !cutting.running() && !closed && now() - retryAt >= 0;
        if (at == null || !free || at.isr().contains(host.self())) {
            return;
        }
        LOG.info("{}: begins anew, the primary's log begins after {}", key, primaryBase);
        Takeover next = takeover(restoredEpoch);
        next.learn(primaryBase, installed());
        part.end(key, "starts anew here");
        makeFromStorage(next, lastIndex() > 0);
    }

    private Takeover takeover(long restoreEpoch) {
        return new Takeover(
                host, key, table, new LogEvents(), parts -> opened = parts, outcome -> restored(restoreEpoch, outcome));
    }

    private void makeFromStorage(Takeover next, boolean keepOldFiles) {
        changing = true;
        takeover = next;
        Opened.close(opened, applier, () -> {
            opened = null;
            applier = null;
            fitness.fresh();
            next.run(keepOldFiles);
        });
    }

    private void restored(long restoreEpoch, Outcome<Done> outcome) {
        takeover = null;
        changing = false;
        if (closed) {
            return;
        }
        if (outcome instanceof Outcome.Err<Done> err) {
            LOG.warn("{}: cannot be restored: {}", key, err.error().getMessage());
            fitness.restoreFailed(
                    "restore from durable storage failed: " + err.error().reason());
            retryAt = now() + restores.failed(err.error());
            host.wantTicks(this);
            if (opened == null) {
                openLater(() -> {});
                return;
            }
        } else {
            fitness.restored();
            restores.worked();
            restoredEpoch = restoreEpoch;
        }
        evaluate();
    }

    private void install(Opened parts, long epoch) {
        changing = true;
        parts.file().change(state -> state.install(epoch), done -> {
            changing = false;
            if (done instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "{}: epoch {} cannot be installed: {}",
                        key,
                        epoch,
                        err.error().getMessage());
                retryAt = now() + 5 * host.config().retryNanos();
                fitness.filesFailed(err.error());
            } else {
                fitness.filesWork();
            }
            evaluate();
        });
    }

    private void activate(Opened parts, ActorState state) {
        startEngine(parts);
        part.play(state, mapVersion, meta, new Part.Maker() {
            @Override
            public Primary primary(TableMeta table, ActorState row) {
                Primary.Parts shared = new Primary.Parts(
                        pending,
                        fencing,
                        Replica.this::certify,
                        parts.file().get().certified(),
                        parts.checkpoints());
                return new Primary(Replica.this, host, key, table, row, parts.log(), shared);
            }

            @Override
            public Follower follower(ActorState row) {
                return new Follower(parts.log(), new FollowerParts(), row.epoch());
            }
        });
    }

    private void startEngine(Opened parts) {
        if (applier == null && meta != null) {
            applier = parts.applier(host, key, meta, new EngineEvents());
            applier.start();
            host.wantTicks(this);
        }
    }

    /** A newer epoch names this server a learner: nobody counts on what it had, which is kept aside for a look. */
    private void startAnew() {
        if (opening || now() - retryAt < 0) {
            host.wantTicks(this);
            return;
        }
        changing = true;
        part.end(key, "starts anew here");
        Opened.close(opened, applier, () -> {
            opened = null;
            applier = null;
            Takeover.moveAside(host, key, moved -> {
                changing = false;
                if (moved instanceof Outcome.Err<Done> err) {
                    LOG.warn(
                            "{}: bad files cannot be moved aside: {}",
                            key,
                            err.error().getMessage());
                    retryAt = now() + 10 * host.config().retryNanos();
                    fitness.filesFailed(err.error());
                } else if (!closed) {
                    open(() -> {});
                }
                host.wantTicks(this);
            });
        });
    }

    private void certify(ServerId learner, Consumer<Boolean> then) {
        Opened parts = opened;
        ActorState at = part.state();
        if (parts == null || at == null || at.epoch() != installed() || changing) {
            then.accept(false);
            return;
        }
        parts.file().certify(at.epoch(), learner, then);
    }

    /** A message from the primary. */
    public void replicate(Replicate request, Completion<PeerReply> completion) {
        if (request.epoch() > Math.max(installed(), desired == null ? 0 : desired.epoch())) {
            host.refresh(table);
        }
        if (!closed && !fitness.isDamaged() && part.replicate(request, installed(), completion)) {
            host.wantTicks(this);
            return;
        }
        Replicated.Status status =
                request.epoch() == installed() ? Replicated.Status.NOT_READY : Replicated.Status.STALE_EPOCH;
        completion.done(Outcome.ok(new Replicated(status, installed(), 0, 0, 0)));
    }

    /** An update for this actor. */
    public void update(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        Primary leader = part.primary();
        Opened parts = opened;
        Applier engine = applier;
        if (rows.epoch() > installed()) {
            host.refresh(table);
        }
        if (leader == null || parts == null || engine == null || closed) {
            callback.failed(UpdateFlow.failure(
                    key, ErrorCode.NOT_PRIMARY, "this server is not the actor's primary", installed()));
        } else {
            new UpdateFlow(host, key, parts.log(), pending, engine::table, part::primary)
                    .admit(request, rows, callback);
        }
    }

    /** A lease on a map in which this actor had the epoch. */
    public void renewLease(long epochInMap, long untilNanos) {
        lease.offer(epochInMap, untilNanos);
        host.gateChanged(this);
    }

    /** What readers may have. */
    public ReadGate gate() {
        boolean serving = !closed && !fitness.isDamaged() && engineReady() && part.inSync(installed());
        return new ReadGate(key.actor(), installed(), serving, lease.until(installed()), applied());
    }

    /** The part it plays, for reports. */
    public String role() {
        return fitness.isDamaged() ? "damaged" : closed ? "opening" : part.name();
    }

    /** Last log index, durable or not. */
    public long lastIndex() {
        return opened == null ? 0 : opened.log().lastIndex();
    }

    /** What the primary knows to be stable; 0 elsewhere. */
    public long stableIndex() {
        Primary leader = part.primary();
        return leader == null ? 0 : leader.stableIndex();
    }

    /** How far the backup is, where this is the primary. */
    public BackupProgress backup() {
        Primary leader = part.primary();
        return leader == null ? BackupProgress.NONE : leader.backupProgress();
    }

    /** Bytes of the log. */
    public long logBytes() {
        return opened == null ? 0 : opened.log().bytes();
    }

    /** The map's row that is in force here; null before one is installed. */
    public @Nullable ActorState current() {
        return part.state();
    }

    /** The server drains: a primary hands over as soon as it can do so without a loss. */
    public void handOver() {
        Primary leader = part.primary();
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
        if (applier != null) {
            applier.tick(now);
        }
        if (desired != null && (fitness.wantsTicks() || desired.epoch() > installed())) {
            evaluate();
        }
        Opened parts = opened;
        if (parts != null && !changing) {
            marks.tick(now, parts);
            fitness.logStalls(stalls.tick(now, parts.log()));
        }
        Primary leader = part.primary();
        if (leader != null) {
            leader.tick(now);
        }
        fitness.report(desired, engineReady(), !part.leads());
        return fitness.wantsTicks()
                || parts != null && marks.wantsTicks(parts)
                || applier != null && applier.wantsTicks()
                || leader != null && leader.wantsTicks()
                || desired != null && desired.epoch() > installed()
                || !pending.isEmpty();
    }

    /** Ends the replica and removes its files. */
    public void destroy(Completion<Done> completion) {
        end(() -> host.env().disk().delete(key.toString(), completion));
    }

    private void end(Runnable files) {
        close();
        Opened.close(opened, applier, files);
    }

    /** Stops acting; files stay. */
    public void close() {
        closed = true;
        part.close();
        pending.failAll(ErrorCode.NOT_PRIMARY, "the replica is closed here", installed());
    }

    /** Ends the replica and keeps its files aside: the coordinator gave up on what they hold. */
    public void setAside(Completion<Done> completion) {
        end(() -> Takeover.moveAside(host, key, completion));
    }

    private void cut(long after, Completion<Long> then) {
        Opened parts = opened;
        Applier engine = applier;
        if (parts == null || engine == null) {
            throw new UniserveException(ErrorCode.INTERNAL, key + ": cut before open");
        }
        LOG.info("{}: cuts {} entries after {}", key, parts.log().lastIndex() - after, after);
        cutting.run(parts, engine, after, cut -> {
            host.wantTicks(this);
            then.done(cut);
            evaluate();
        });
    }

    /** Why the log cannot be written now; null when it can. */
    @Nullable
    UniserveException logError() {
        return fitness.logError();
    }

    private final class FollowerParts implements Follower.Parts {
        @Override
        public long applied() {
            return Replica.this.applied();
        }

        @Override
        public void cut(long after, Completion<Long> then) {
            Replica.this.cut(after, then);
        }

        @Override
        public void startOver(long primaryBase) {
            Replica.this.startOver(primaryBase);
        }
    }

    private final class LogEvents implements LogListener {
        @Override
        public void durable(long index) {
            fitness.logWorks();
            part.durable();
            if (takeover != null) {
                takeover.durable();
            }
            if (applier != null) {
                applier.pump();
            }
            part.advance();
            host.wantTicks(Replica.this);
        }

        @Override
        public void appendFailed(long from, UniserveException error) {
            LOG.warn("{}: entries from {} on cannot be written: {}", key, from, error.getMessage());
            fitness.logFailed(error);
            part.appendFailed(from, error);
            if (takeover != null) {
                takeover.appendFailed(error);
            }
            pending.failFrom(from, error.code(), error.reason(), installed());
            host.wantTicks(Replica.this);
        }

        @Override
        public void damaged(UniserveException error) {
            if (fitness.spoiled(error.reason(), epochWanted())) {
                LOG.warn("{}: its log is damaged: {}", key, error.getMessage());
            }
        }

        @Override
        public void fatal(UniserveException error) {
            host.fatal(error);
        }
    }

    private final class EngineEvents implements Applier.Listener {
        @Override
        public void applied() {
            if (engineReady() && fitness.covered()) {
                evaluate();
            }
            part.advance();
            host.gateChanged(Replica.this);
        }

        @Override
        public void unfit(String reason) {
            fitness.engineFailed(reason);
            host.gateChanged(Replica.this);
        }

        @Override
        public void lost(String reason) {
            fitness.uncovered(reason, epochWanted());
        }
    }
}
