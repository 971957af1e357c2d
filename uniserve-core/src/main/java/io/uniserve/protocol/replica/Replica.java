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

    private final ReplicaHost host;
    private final ReplicaKey key;
    private final TableName table;
    private final PendingUpdates pending;
    private final FencingWatch fencing;
    private @Nullable Opened opened;
    private @Nullable Applier applier;
    private @Nullable Primary primary;
    private @Nullable Follower follower;
    private @Nullable TableMeta meta;
    private @Nullable ActorState desired;
    private @Nullable ActorState current;
    private @Nullable String damage;
    private @Nullable String unfit;
    private boolean closed;
    private boolean cutting;
    private boolean changing;
    private long damagedEpoch;
    private long retryAt;
    private long reportAt;
    private @Nullable Takeover takeover;
    private int mapVersion;
    private long restoredEpoch;
    private long openedEpoch;
    private final OfferedLease lease;

    /** A replica of this table, whose files are not read before {@link #open}. */
    public Replica(ReplicaHost host, ReplicaKey key, TableName table) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.pending = new PendingUpdates(key.actor());
        this.fencing = new FencingWatch(host.config().fenceNanos());
        this.retryAt = now();
        this.reportAt = retryAt;
        this.lease = new OfferedLease(retryAt);
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
        return opened != null || damage != null;
    }

    /** True when the files are damaged and kept for a look. */
    public boolean isDamaged() {
        return damage != null;
    }

    /** Epoch of the takeover that made this replica's files worthless, 0 when there was none. */
    public long abandonedAt() {
        ActorState wanted = desired;
        return wanted != null && wanted.restoreEpoch() > openedEpoch && openedEpoch > 0 ? wanted.restoreEpoch() : 0;
    }

    /** True when nothing waits to be shipped to durable storage. */
    public boolean shipped() {
        return primary == null || primary.backupComplete();
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
        Opened.open(host.env().disk(), key, table, host.config().log(), new LogEvents(), outcome -> {
            if (closed) {
                return;
            }
            if (outcome instanceof Outcome.Ok<Opened> ok) {
                opened = ok.value();
                openedEpoch = installed();
                then.run();
                evaluate();
                return;
            }
            UniserveException error = ((Outcome.Err<Opened>) outcome).error();
            LOG.warn("{}: cannot be opened: {}", key, error.getMessage());
            if (error.code() == ErrorCode.CORRUPT) {
                damage = error.reason();
                host.wantTicks(this);
                then.run();
                evaluate();
            } else {
                host.env().timers().after(host.config().retryNanos() * 10, () -> open(then));
            }
        });
    }

    /** Takes a map that was read at this time. */
    public void assign(TableMeta newMeta, ActorState state, int newMapVersion, long readAtNanos) {
        mapVersion = newMapVersion;
        meta = newMeta;
        desired = state;
        fencing.assign(state, readAtNanos);
        if (damage != null && damagedEpoch == 0) {
            damagedEpoch = state.epoch();
        }
        evaluate();
    }

    /** Brings the replica one step nearer to what the map says. */
    private void evaluate() {
        ActorState wanted = desired;
        if (closed || wanted == null || changing || cutting) {
            return;
        }
        if (mustRestore(wanted)) {
            if (now() - retryAt >= 0) {
                restore(wanted);
            } else {
                host.wantTicks(this);
            }
        } else if (damage != null) {
            repair(wanted);
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

    /** True when the coordinator gave up on every copy but the one in durable storage, and this server is to restore it. */
    private boolean mustRestore(ActorState wanted) {
        return isOpen()
                && wanted.restoreEpoch() > installed()
                && wanted.restoreEpoch() > restoredEpoch
                && wanted.primary().equals(host.self())
                && (damage == null || wanted.restoreEpoch() > damagedEpoch);
    }

    private void restore(ActorState wanted) {
        LOG.info("{}: restores from durable storage for epoch {}", key, wanted.epoch());
        boolean keep = damage != null || installed() > 0;
        makeFromStorage(takeover(wanted.restoreEpoch()), keep);
    }

    /** A learner from whose log the primary cannot go on begins anew, where the primary's log begins. */
    private void startOver(long primaryBase) {
        ActorState at = current;
        boolean free = !changing && !cutting && !closed && now() - retryAt >= 0;
        if (at == null || !free || at.isr().contains(host.self())) {
            return;
        }
        LOG.info("{}: begins anew, the primary's log begins after {}", key, primaryBase);
        Takeover next = takeover(restoredEpoch);
        next.learn(primaryBase, installed());
        leaveRole(at);
        current = null;
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
            damage = null;
            applier = null;
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
            unfit = "restore from durable storage failed: " + err.error().reason();
            retryAt = now() + 10 * host.config().retryNanos();
            host.wantTicks(this);
            if (opened == null) {
                host.env().timers().after(10 * host.config().retryNanos(), () -> open(() -> {}));
                return;
            }
        } else {
            unfit = null;
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
            }
            evaluate();
        });
    }

    private void activate(Opened parts, ActorState state) {
        boolean sameEpoch = current != null && current.epoch() == state.epoch();
        current = state;
        startEngine(parts);
        if (sameEpoch) {
            if (primary != null) {
                primary.assign(state, mapVersion);
            }
            return;
        }
        leaveRole(state);
        if (state.primary().equals(host.self()) && meta != null) {
            Primary.Parts shared = new Primary.Parts(
                    pending, fencing, this::certify, parts.file().get().certified(), parts.checkpoints());
            Primary next = new Primary(this, host, key, meta, state, parts.log(), shared);
            primary = next;
            next.start(mapVersion);
        } else {
            follower = new Follower(parts.log(), new FollowerParts(), state.epoch());
        }
    }

    private void startEngine(Opened parts) {
        if (applier == null && meta != null) {
            applier = new Applier(
                    host.env(), host.config(), key, meta, parts.log(), parts.checkpoints(), new EngineEvents());
            applier.start();
            host.wantTicks(this);
        }
    }

    private void leaveRole(ActorState next) {
        if (follower != null) {
            follower.close();
            follower = null;
        }
        if (primary != null) {
            primary.close();
            primary = null;
            if (!next.primary().equals(host.self())) {
                pending.failAll(
                        ErrorCode.NOT_PRIMARY,
                        "the primary moved while the update was on its way: try again there",
                        next.epoch());
            }
        }
    }

    /** Damaged files stay until a newer epoch names this server a learner: nobody counts on what it had. */
    private void repair(ActorState wanted) {
        if (wanted.epoch() <= damagedEpoch || !wanted.learners().contains(host.self()) || now() - retryAt < 0) {
            host.wantTicks(this);
            return;
        }
        changing = true;
        host.env().disk().move(key.toString(), Takeover.asidePath(host, key), moved -> {
            changing = false;
            if (moved instanceof Outcome.Ok<Done>) {
                damage = null;
                open(() -> {});
            } else {
                retryAt = now() + 10 * host.config().retryNanos();
                host.wantTicks(this);
            }
        });
    }

    private void certify(ServerId learner, Consumer<Boolean> then) {
        Opened parts = opened;
        ActorState at = current;
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
        Follower member = follower;
        ActorState now = current;
        if (member != null
                && now != null
                && !closed
                && damage == null
                && request.epoch() == now.epoch()
                && now.epoch() == installed()
                && now.hosts(host.self())
                && request.primary().equals(now.primary())) {
            member.replicate(request, completion);
            return;
        }
        Replicated.Status status =
                request.epoch() == installed() ? Replicated.Status.NOT_READY : Replicated.Status.STALE_EPOCH;
        completion.done(Outcome.ok(new Replicated(status, installed(), 0, 0, 0)));
    }

    /** An update for this actor. */
    public void update(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        Primary leader = primary;
        Opened parts = opened;
        Applier engine = applier;
        if (rows.epoch() > installed()) {
            host.refresh(table);
        }
        if (leader == null || parts == null || engine == null || closed) {
            callback.failed(UpdateFlow.failure(
                    key, ErrorCode.NOT_PRIMARY, "this server is not the actor's primary", installed()));
        } else {
            new UpdateFlow(host, key, parts.log(), pending, engine::table, () -> primary)
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
        long leaseUntil = lease.until(installed());
        boolean installedNow = current != null && current.epoch() == installed();
        boolean serving = !closed
                && damage == null
                && installedNow
                && engineReady()
                && current != null
                && current.isr().contains(host.self());
        return new ReadGate(key.actor(), installed(), serving, leaseUntil, applied());
    }

    /** The part it plays, for reports. */
    public String role() {
        if (damage != null) {
            return "damaged";
        }
        if (current == null || closed) {
            return "opening";
        }
        if (primary != null) {
            return primary.accepting() ? PeerReply.ReplicaLoad.PRIMARY : "primary-starting";
        }
        return current.isr().contains(host.self())
                ? "follower"
                : current.learners().contains(host.self()) ? "learner" : "none";
    }

    /** Last log index, durable or not. */
    public long lastIndex() {
        return opened == null ? 0 : opened.log().lastIndex();
    }

    /** What the primary knows to be stable; 0 elsewhere. */
    public long stableIndex() {
        return primary == null ? 0 : primary.stableIndex();
    }

    /** How far the backup is, where this is the primary. */
    public BackupProgress backup() {
        return primary == null ? BackupProgress.NONE : primary.backupProgress();
    }

    /** Bytes of the log. */
    public long logBytes() {
        return opened == null ? 0 : opened.log().bytes();
    }

    /** The map's row that is in force here; null before one is installed. */
    public @Nullable ActorState current() {
        return current;
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
        if (desired != null && (damage != null || desired.epoch() > installed())) {
            evaluate();
        }
        if (primary != null) {
            primary.tick(now);
        }
        report(now);
        return damage != null
                || unfit != null
                || applier != null && applier.wantsTicks()
                || primary != null && primary.wantsTicks()
                || desired != null && desired.epoch() > installed()
                || !pending.isEmpty();
    }

    private void report(long now) {
        if (unfit != null && engineReady()) {
            unfit = null;
        }
        String reason = damage != null ? damage : unfit;
        ActorState wanted = desired;
        if (reason != null && wanted != null && wanted.hosts(host.self()) && now - reportAt >= 0) {
            reportAt = now + 5 * host.config().retryNanos();
            host.tellCoordinator(new PeerRequest.Unfit(key, wanted.epoch(), host.self(), reason));
        }
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
        if (primary != null) {
            primary.close();
        }
        if (follower != null) {
            follower.close();
        }
        pending.failAll(ErrorCode.NOT_PRIMARY, "the replica is closed here", installed());
    }

    /** Ends the replica and keeps its files aside: the coordinator gave up on what they hold. */
    public void setAside(Completion<Done> completion) {
        end(() -> host.env().disk().move(key.toString(), Takeover.asidePath(host, key), completion));
    }

    private void cut(long after, Completion<Long> then) {
        Opened parts = opened;
        Applier engine = applier;
        if (parts == null || engine == null) {
            throw new UniserveException(ErrorCode.INTERNAL, key + ": cut before open");
        }
        LOG.info("{}: cuts {} entries after {}", key, parts.log().lastIndex() - after, after);
        cutting = true;
        engine.suspend();
        parts.log().truncateAfter(after, cut -> {
            cutting = false;
            engine.resume(parts.log().lastIndex());
            host.wantTicks(this);
            if (cut instanceof Outcome.Ok<Long> ok && ok.value() > 0 && !closed) {
                parts.file().change(state -> state.rolledBack(ok.value()), done -> {});
            }
            then.done(cut);
            evaluate();
        });
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
            if (follower != null) {
                follower.durable();
            }
            if (takeover != null) {
                takeover.durable();
            }
            if (applier != null) {
                applier.pump();
            }
            if (primary != null) {
                primary.advance();
            }
            host.wantTicks(Replica.this);
        }

        @Override
        public void appendFailed(long from, UniserveException error) {
            LOG.warn("{}: entries from {} on cannot be written: {}", key, from, error.getMessage());
            if (follower != null) {
                follower.appendFailed(from, error);
            }
            if (takeover != null) {
                takeover.appendFailed(error);
            }
            pending.failFrom(from, error.code(), error.reason(), installed());
            host.wantTicks(Replica.this);
        }

        @Override
        public void fatal(UniserveException error) {
            host.fatal(error);
        }
    }

    private final class EngineEvents implements Applier.Listener {
        @Override
        public void applied() {
            if (primary != null) {
                primary.advance();
            }
            host.gateChanged(Replica.this);
        }

        @Override
        public void unfit(String reason) {
            unfit = reason;
            reportAt = now();
            host.gateChanged(Replica.this);
            host.wantTicks(Replica.this);
        }
    }
}
