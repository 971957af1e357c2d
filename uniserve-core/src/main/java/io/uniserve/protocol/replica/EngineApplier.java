package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Driver of the replica's engine. It restores the engine from the newest checkpoint that belongs to the log, and then applies durable
 * entries in order, one call at a time. If its contents may be wrong (a failed call, a truncation of applied entries), the engine is
 * rebuilt. While a call hangs, the replica is out of service.
 */
final class EngineApplier {
    /** Time after which a call counts as slow; most calls take less. */
    private static final long AWAITED_NANOS = 1_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(EngineApplier.class);

    private final Environment env;
    private final ReplicaConfig config;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final EngineListener listener;
    private final Checkpoints checkpoints;
    private final EngineRecovery build;
    private final EarlyApply early;
    private Phase phase = Phase.DOWN;
    private RequestTable table = new RequestTable();
    private long applied;
    private long built;
    private long target;
    private long busySince;
    private long restartAt;
    private int failures;
    private boolean restartWanted;
    private boolean suspended;
    private boolean hung;
    private boolean busy;
    private @Nullable Completion<Done> closing;
    /** Index at the last failure. The failure count restarts once the engine has got further. */
    private long failedAt;

    private final PoisonEntryDetector poisonEntryDetector = new PoisonEntryDetector();
    private final UnpublishedUpdates unpublishedUpdates = new UnpublishedUpdates();
    private final DigestStop digests = new DigestStop();
    private boolean digesting;
    private long sinceEntries;
    private long sinceBytes;

    /** State of the engine. */
    private enum Phase {
        DOWN,
        STARTING,
        READY,
        FAILED,
        CLOSED
    }

    EngineApplier(
            Environment env,
            ReplicaConfig config,
            ReplicaKey key,
            TableMeta meta,
            ReplicaLog log,
            Checkpoints checkpoints,
            CheckpointSource storage,
            EngineListener listener) {
        this.env = env;
        this.config = config;
        this.key = key;
        this.log = log;
        this.listener = listener;
        this.checkpoints = checkpoints;
        this.early = new EarlyApply(log);
        this.build = new EngineRecovery(env, key, meta, log, checkpoints, storage, listener, new Built());
    }

    /** True when the engine is healthy and has applied at least the log as of its build. */
    boolean ready() {
        return phase == Phase.READY && !restartWanted && !hung && applied >= target;
    }

    /** True when a call has run for so long that readers should not wait for it. The time-out for giving up is much longer. */
    boolean hangs() {
        return busy && !build.fetching() && env.clock().nanos() - busySince > AWAITED_NANOS;
    }

    long applied() {
        return applied;
    }

    long built() {
        return built;
    }

    RequestTable table() {
        return table;
    }

    /** Decisions that were carried out here ahead of the log. */
    EarlyApply early() {
        return early;
    }

    /** The version that is prepared in the engine without an applied outcome; 0 for none. */
    long undecided() {
        long open = phase == Phase.READY ? table.versions().open() : 0;
        return open == early.decided() ? 0 : open;
    }

    /** Applies an outcome from the transaction log before the actor's log has it. */
    void foretell(long version, boolean commit) {
        if (undecided() == version) {
            early.decide(version, commit);
            pump();
        }
    }

    boolean wantsTicks() {
        return busy
                || digests.any()
                || phase == Phase.FAILED
                || restartWanted
                || unpublishedUpdates.any()
                || checkpoints.wanted();
    }

    /** Takes the digest of the contents at this index; UNAVAILABLE if the engine is past it, or has not reached it in time. */
    void digest(long index, long untilNanos, Completion<Bytes> completion) {
        digests.want(index, untilNanos, completion);
        pump();
    }

    private boolean digestTaken() {
        Completion<Bytes> wanted = digests.due(applied, !unsettled());
        if (wanted == null) {
            return false;
        }
        begin();
        digesting = true;
        env.engine().digest(key, taken -> {
            busy = false;
            digesting = false;
            hung = false;
            wanted.done(taken);
            if (!interrupted()) {
                listener.applied();
                pump();
            }
        });
        return true;
    }

    /** Builds the engine, unless that is done or running. */
    void start() {
        if (suspended) {
            restartWanted = true;
        } else if (phase == Phase.DOWN) {
            phase = Phase.STARTING;
            restartWanted = false;
            target = log.durableIndex();
            build.run();
        }
    }

    /** Permits the engine to get a PREPARE while it is being written to disk. */
    void runAhead(long index) {
        early.allow(index);
        pump();
    }

    /** Handles a failed write of entries from this index on. If the engine may have one of them, it is rebuilt, and the result is true. */
    boolean appendFailed(long from) {
        if (from > early.allowed()) {
            return false;
        }
        letGo();
        applied = Math.min(applied, from - 1);
        rebuild();
        return true;
    }

    /** Drops a failed step that waits for its entry to be on disk; the engine is rebuilt instead. */
    private void letGo() {
        if (early.cancelEntries()) {
            busy = false;
            restartWanted = true;
        }
    }

    /** Pauses the engine during a truncation of the log. */
    void suspend() {
        suspended = true;
        letGo();
    }

    /** Continues after the log was truncated after this index. */
    void resume(long cutAfter) {
        suspended = false;
        if (restartWanted || applied > cutAfter || phase == Phase.STARTING || busy) {
            rebuild();
        } else {
            pump();
        }
    }

    private void rebuild() {
        restartWanted = true;
        settle();
    }

    /** Continues with the next step if the engine is idle. */
    private void settle() {
        if (busy || suspended || phase == Phase.CLOSED) {
            return;
        }
        if (restartWanted) {
            phase = Phase.DOWN;
            start();
        } else {
            pump();
        }
    }

    private void up(long index, RequestTable saved) {
        if (interrupted()) {
            return;
        }
        table = saved;
        applied = index;
        built = env.clock().nanos();
        sinceEntries = 0;
        sinceBytes = 0;
        unpublishedUpdates.none();
        early.forgetDecision();
        hung = false;
        phase = Phase.READY;
        listener.applied();
        pump();
    }

    /** True when the result of a step is obsolete. */
    private boolean interrupted() {
        if (phase == Phase.CLOSED) {
            finishClose();
            return true;
        }
        if (restartWanted || suspended) {
            restartWanted = true;
            settle();
            return true;
        }
        return false;
    }

    /** Applies durable entries, and at a primary also entries that are being written. */
    void pump() {
        Runnable waited = early.takeDurable();
        if (waited != null) {
            waited.run();
        }
        if (phase != Phase.READY || busy || suspended || restartWanted) {
            return;
        }
        if (digestTaken()) {
            return;
        }
        long open = table.versions().open();
        if (early.decisionDue(open)) {
            begin();
            env.engine().decide(key, open, early.commits(), this::carriedOut);
            return;
        }
        if (applied >= log.durableIndex()) {
            boolean mayGoOn =
                    !checkpointDue() && !checkpoints.wanted(); // else a stream of updates prevents checkpoints
            List<LogEntry> next = mayGoOn ? early.entry(applied + 1) : null;
            if (next != null) {
                begin();
                apply(next);
            }
            return;
        }
        int most = digests.most(applied, poisonEntryDetector.batch(applied + 1));
        List<LogEntry> cached = log.cached(applied + 1, most, Limits.REPLICATE_BYTES_MAX);
        begin();
        if (cached != null) {
            apply(cached);
            return;
        }
        log.load(applied + 1, most, Limits.REPLICATE_BYTES_MAX, loaded -> {
            busy = false;
            if (interrupted()) {
                return;
            }
            if (loaded instanceof Outcome.Ok<List<LogEntry>> ok) {
                begin();
                apply(ok.value());
            } else {
                failed(loaded.error());
            }
        });
    }

    private void apply(List<LogEntry> loaded) {
        List<LogEntry> entries = TransactionSteps.run(loaded);
        LogEntry first = entries.get(0);
        if (first.type() == LogEntry.Type.DECIDE && first.version() == early.decided()) {
            busy = false;
            if (first.commits() == early.commits()) {
                advance(entries);
            } else {
                failed(new UniserveException(ErrorCode.INTERNAL, "version " + first.version() + " has two outcomes"));
            }
            return;
        }
        if (TransactionSteps.isFor(first)) {
            TransactionSteps.call(env.engine(), key, first, done -> stepped(entries, done));
            return;
        }
        List<EngineHost.Update> updates = new ArrayList<>();
        for (LogEntry entry : entries) {
            if (entry.type() == LogEntry.Type.UPDATE) {
                updates.add(new EngineHost.Update(entry.index(), entry.function(), entry.rows()));
            }
        }
        if (updates.isEmpty()) {
            busy = false;
            advance(entries);
            return;
        }
        env.engine().apply(key, updates, unpublishedUpdates.doubtful(applied), done -> {
            busy = false;
            if (interrupted()) {
                return;
            }
            if (done instanceof Outcome.Err<Done> err) {
                notApplied(entries, updates, err.error());
            } else {
                advance(entries);
            }
        });
    }

    /** Handles the end of a prepare or decide call. */
    private void stepped(List<LogEntry> entries, Outcome<Done> done) {
        busy = false;
        if (interrupted()) {
            return;
        }
        if (done instanceof Outcome.Err<Done> && entries.get(0).index() > log.durableIndex()) {
            begin(); // the entry may still be removed from the log, which decides the next step
            early.awaitDisk(entries.get(0).index(), () -> stepped(entries, done));
        } else if (done instanceof Outcome.Err<Done> err && entries.get(0).type() == LogEntry.Type.PREPARE) {
            notApplied(entries, List.of(TransactionSteps.whole(entries.get(0))), err.error());
        } else if (done instanceof Outcome.Err<Done> err) {
            failed(err.error());
        } else {
            advance(entries);
        }
    }

    private void carriedOut(Outcome<Done> done) {
        busy = false;
        hung = false;
        if (interrupted()) {
            return;
        }
        if (done instanceof Outcome.Err<Done> err) {
            failed(err.error());
        } else {
            early.decisionCarriedOut();
            listener.applied();
            pump();
        }
    }

    private void notApplied(List<LogEntry> entries, List<EngineHost.Update> updates, UniserveException error) {
        long first = updates.get(0).index();
        boolean rows = Rejection.isFor(error.code());
        LogEntry update = entries.get((int) (first - entries.get(0).index()));
        long last = updates.get(updates.size() - 1).index();
        boolean certain =
                rows && poisonEntryDetector.failed(first, last, TransactionSteps.attempts(update, error.code()));
        LOG.warn("{}: update {} fails in the engine: {}", key, first, error.getMessage());
        down();
        if (!rows || !listener.rejected(update, error, certain)) {
            listener.unfit(error.reason());
        } else if (certain) {
            restartAt = env.clock().nanos();
        }
    }

    private void advance(List<LogEntry> entries) {
        for (LogEntry entry : entries) {
            table.record(entry);
            sinceBytes += entry.rows().size();
            if (entry.type() == LogEntry.Type.UPDATE) {
                unpublishedUpdates.add(entry.rows().size());
            }
        }
        sinceEntries += entries.size();
        applied = entries.get(entries.size() - 1).index();
        failures = applied > failedAt ? 0 : failures;
        hung = false;
        poisonEntryDetector.applied(applied);
        unpublishedUpdates.appliedAt(env.clock().nanos());
        listener.applied();
        if (!unsettled() && (checkpointDue() || checkpoints.takeWanted())) {
            checkpoint();
        } else if (unpublishedUpdates.tooMany()) {
            publish();
        } else {
            pump();
        }
    }

    private boolean checkpointDue() {
        return sinceEntries >= config.checkpointEntries() || sinceBytes >= config.checkpointBytes();
    }

    /** True while the state is unfit for a checkpoint: a version is prepared and undecided, or an applied entry is not on disk. */
    private boolean unsettled() {
        return table.versions().open() != 0 || applied > log.durableIndex();
    }

    /** Publishes updates that no reader has requested yet. The next reader need not wait, and a failure shows early. */
    private void publish() {
        begin();
        env.engine().publish(key, published -> {
            busy = false;
            hung = false;
            if (interrupted()) {
                return;
            }
            if (published instanceof Outcome.Err<Done> err) {
                failed(err.error());
                return;
            }
            unpublishedUpdates.none();
            listener.applied();
            pump();
        });
    }

    private void checkpoint() {
        Checkpoints.Name name = new Checkpoints.Name(applied, log.epochAt(applied));
        sinceEntries = 0;
        sinceBytes = 0;
        begin();
        checkpoints.delete(
                name,
                deleted -> env.engine().checkpoint(key, checkpoints.dataPath(name), written -> {
                    if (written instanceof Outcome.Err<Done> err) {
                        LOG.warn("{}: checkpoint failed: {}", key, err.error().reason());
                        checkpointed(name, written);
                    } else {
                        checkpoints.seal(name, table, made -> checkpointed(name, made));
                    }
                }));
    }

    private void checkpointed(Checkpoints.Name name, Outcome<Done> outcome) {
        busy = false;
        hung = false;
        if (outcome instanceof Outcome.Err<Done>) {
            checkpoints.delete(name);
        } else {
            unpublishedUpdates.none();
        }
        if (!interrupted()) {
            listener.applied();
            pump();
        }
    }

    private void begin() {
        busy = true;
        busySince = env.clock().nanos();
    }

    private void failed(UniserveException error) {
        if (phase == Phase.CLOSED) {
            finishClose();
            return;
        }
        LOG.warn("{}: engine failed: {}", key, error.getMessage());
        down();
        listener.unfit(error.reason());
    }

    private void down() {
        digests.fail("the engine failed");
        phase = Phase.FAILED;
        failedAt = Math.max(failedAt, applied);
        unpublishedUpdates.lost(applied);
        failures++;
        restartAt = env.clock().nanos() + config.retryNanos() * (1L << Math.min(failures, 8));
    }

    /** Periodic check: detects a hanging call, and retries a failed engine. */
    void tick(long now) {
        digests.tick(now, applied);
        long patience = digesting ? config.digestTimeoutNanos() : config.engineTimeoutNanos();
        if (busy && !build.fetching() && !hung && now - busySince > patience) {
            hung = true;
            LOG.warn("{}: an engine call hangs at applied index {}", key, applied);
            listener.unfit("an engine call hangs");
        }
        if (phase == Phase.FAILED && !busy && now - restartAt >= 0) {
            rebuild();
        }
        boolean rests = phase == Phase.READY && !busy && !suspended && !restartWanted && applied > 0 && !unsettled();
        if (rests && checkpoints.takeWanted()) {
            Checkpoints.Name newest = checkpoints.newest();
            if (newest == null || newest.index() < applied) {
                checkpoint();
                return;
            }
        }
        if (rests && unpublishedUpdates.rested(now)) {
            publish();
        }
    }

    /** Destroys the engine's actor once no call is running. No call follows. */
    void close(Completion<Done> completion) {
        digests.fail("the replica is closed");
        letGo();
        phase = Phase.CLOSED;
        closing = completion;
        finishClose();
    }

    private void finishClose() {
        Completion<Done> completion = closing;
        if (completion != null && !busy) {
            closing = null;
            env.engine().destroy(key, completion);
        }
    }

    /** Receiver of events of the engine's build. */
    private final class Built implements EngineRecovery.Owner {
        @Override
        public void begin() {
            EngineApplier.this.begin();
        }

        @Override
        public void end() {
            busy = false;
        }

        @Override
        public boolean interrupted() {
            return EngineApplier.this.interrupted();
        }

        @Override
        public void up(long index, RequestTable saved) {
            EngineApplier.this.up(index, saved);
        }

        @Override
        public void failed(UniserveException error) {
            EngineApplier.this.failed(error);
        }
    }
}
