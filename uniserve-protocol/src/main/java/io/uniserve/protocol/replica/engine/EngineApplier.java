package io.uniserve.protocol.replica.engine;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.replica.state.Rejection;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import io.uniserve.protocol.replica.storage.CheckpointSource;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applier of a replica's log to its engine. It restores the engine from the newest checkpoint that belongs to the log, and then applies
 * durable entries in order, one call at a time. If its contents may be wrong (a failed call, a truncation of applied entries), the engine
 * is rebuilt. While a call hangs, the replica is out of service.
 */
public final class EngineApplier {
    /** Time after which a call counts as slow; most calls take less. */
    private static final long AWAITED_NANOS = 1_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(EngineApplier.class);

    private final Environment env;
    private final ReplicaConfig config;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final EngineListener listener;
    private final CheckpointStore checkpoints;
    private final EngineRecovery recovery;
    private final EarlyApplyWindow earlyApply;
    private Phase phase = Phase.DOWN;
    private RequestOutcomeTable table = new RequestOutcomeTable();
    private long appliedIndex;
    private long builtNanos;
    private long readyIndex;
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
    private final DigestBarrier digestStop = new DigestBarrier();
    private boolean digesting;
    private long entriesSinceCheckpoint;
    private long bytesSinceCheckpoint;

    /** State of the engine. */
    private enum Phase {
        DOWN,
        STARTING,
        READY,
        FAILED,
        CLOSED
    }

    public EngineApplier(
            Environment env,
            ReplicaConfig config,
            ReplicaKey key,
            TableMeta meta,
            ReplicaLog log,
            CheckpointStore checkpoints,
            CheckpointSource storage,
            EngineListener listener) {
        this.env = env;
        this.config = config;
        this.key = key;
        this.log = log;
        this.listener = listener;
        this.checkpoints = checkpoints;
        this.earlyApply = new EarlyApplyWindow(log);
        this.recovery = new EngineRecovery(env, key, meta, log, checkpoints, storage, listener, new Built());
    }

    /** True when the engine is healthy and has applied at least the log as of its build. */
    public boolean isReady() {
        return phase == Phase.READY && !restartWanted && !hung && appliedIndex >= readyIndex;
    }

    /** True when a call has run for so long that readers should not wait for it. The time-out for giving up is much longer. */
    public boolean isCallSlow() {
        return busy && !recovery.isFetching() && env.clock().nanos() - busySince > AWAITED_NANOS;
    }

    public long appliedIndex() {
        return appliedIndex;
    }

    public long builtNanos() {
        return builtNanos;
    }

    public RequestOutcomeTable requestTable() {
        return table;
    }

    /** Decisions that were carried out here ahead of the log. */
    public EarlyApplyWindow early() {
        return earlyApply;
    }

    /** The version that is prepared in the engine without an applied outcome; 0 for none. */
    public long undecidedVersion() {
        long open = phase == Phase.READY ? table.versions().open() : 0;
        return open == earlyApply.decided() ? 0 : open;
    }

    /** Applies an outcome from the transaction log before the actor's log has it. */
    public void applyEarlyDecision(long version, boolean commit) {
        if (undecidedVersion() == version) {
            earlyApply.decide(version, commit);
            applyNext();
        }
    }

    public boolean wantsTicks() {
        return busy
                || digestStop.isPending()
                || phase == Phase.FAILED
                || restartWanted
                || unpublishedUpdates.hasAny()
                || checkpoints.isRequested();
    }

    /** Takes the digest of the contents at this index; UNAVAILABLE if the engine is past it, or has not reached it in time. */
    public void takeDigest(long index, long untilNanos, Completion<Bytes> completion) {
        digestStop.requestDigest(index, untilNanos, completion);
        applyNext();
    }

    private boolean takeDueDigest() {
        Completion<Bytes> wanted = digestStop.takeDue(appliedIndex, !isUnsettled());
        if (wanted == null) {
            return false;
        }
        beginCall();
        digesting = true;
        env.engine().digest(key, taken -> {
            busy = false;
            digesting = false;
            hung = false;
            wanted.done(taken);
            if (!isObsolete()) {
                listener.onApplied();
                applyNext();
            }
        });
        return true;
    }

    /** Builds the engine, unless that is done or running. */
    public void start() {
        if (suspended) {
            restartWanted = true;
        } else if (phase == Phase.DOWN) {
            phase = Phase.STARTING;
            restartWanted = false;
            readyIndex = log.durableIndex();
            recovery.run();
        }
    }

    /** Permits the engine to get a PREPARE while it is being written to disk. */
    public void permitEarlyApply(long index) {
        earlyApply.allow(index);
        applyNext();
    }

    /** Handles a failed write of entries from this index on. If the engine may have one of them, it is rebuilt, and the result is true. */
    public boolean onAppendFailed(long from) {
        if (from > earlyApply.allowed()) {
            return false;
        }
        withdrawEarlyApply();
        appliedIndex = Math.min(appliedIndex, from - 1);
        rebuild();
        return true;
    }

    /** Drops a failed step that waits for its entry to be on disk; the engine is rebuilt instead. */
    private void withdrawEarlyApply() {
        if (earlyApply.cancelEntries()) {
            busy = false;
            restartWanted = true;
        }
    }

    /** Pauses the engine during a truncation of the log. */
    public void suspend() {
        suspended = true;
        withdrawEarlyApply();
    }

    /** Continues after the log was truncated after this index. */
    public void resume(long cutAfter) {
        suspended = false;
        if (restartWanted || appliedIndex > cutAfter || phase == Phase.STARTING || busy) {
            rebuild();
        } else {
            applyNext();
        }
    }

    private void rebuild() {
        restartWanted = true;
        restartOrApply();
    }

    /** Continues with the next step if the engine is idle. */
    private void restartOrApply() {
        if (busy || suspended || phase == Phase.CLOSED) {
            return;
        }
        if (restartWanted) {
            phase = Phase.DOWN;
            start();
        } else {
            applyNext();
        }
    }

    private void onBuilt(long index, RequestOutcomeTable saved) {
        if (isObsolete()) {
            return;
        }
        table = saved;
        appliedIndex = index;
        builtNanos = env.clock().nanos();
        entriesSinceCheckpoint = 0;
        bytesSinceCheckpoint = 0;
        unpublishedUpdates.clear();
        earlyApply.forgetDecision();
        hung = false;
        phase = Phase.READY;
        listener.onApplied();
        applyNext();
    }

    /** True when the result of a step is obsolete. */
    private boolean isObsolete() {
        if (phase == Phase.CLOSED) {
            finishClose();
            return true;
        }
        if (restartWanted || suspended) {
            restartWanted = true;
            restartOrApply();
            return true;
        }
        return false;
    }

    /** Applies durable entries, and at a primary also entries that are being written. */
    public void applyNext() {
        Runnable waited = earlyApply.takeDurable();
        if (waited != null) {
            waited.run();
        }
        if (phase != Phase.READY || busy || suspended || restartWanted) {
            return;
        }
        if (takeDueDigest()) {
            return;
        }
        long open = table.versions().open();
        if (earlyApply.decisionDue(open)) {
            beginCall();
            env.engine().decide(key, open, earlyApply.commits(), this::onEarlyDecisionApplied);
            return;
        }
        if (appliedIndex >= log.durableIndex()) {
            boolean mayGoOn =
                    !checkpointDue() && !checkpoints.isRequested(); // else a stream of updates prevents checkpoints
            List<LogEntry> next = mayGoOn ? earlyApply.entry(appliedIndex + 1) : null;
            if (next != null) {
                beginCall();
                apply(next);
            }
            return;
        }
        int most = digestStop.maxEntries(appliedIndex, poisonEntryDetector.batchSize(appliedIndex + 1));
        List<LogEntry> cached = log.cached(appliedIndex + 1, most, Limits.REPLICATE_BYTES_MAX);
        beginCall();
        if (cached != null) {
            apply(cached);
            return;
        }
        log.load(appliedIndex + 1, most, Limits.REPLICATE_BYTES_MAX, loaded -> {
            busy = false;
            if (isObsolete()) {
                return;
            }
            if (loaded instanceof Outcome.Ok<List<LogEntry>> ok) {
                beginCall();
                apply(ok.value());
            } else {
                onEngineFailed(loaded.error());
            }
        });
    }

    private void apply(List<LogEntry> loaded) {
        List<LogEntry> entries = TransactionEntryApplier.nextCall(loaded);
        LogEntry first = entries.get(0);
        if (first.type() == LogEntry.Type.DECIDE && first.version() == earlyApply.decided()) {
            busy = false;
            if (first.isCommit() == earlyApply.commits()) {
                recordApplied(entries);
            } else {
                onEngineFailed(
                        new UniserveException(ErrorCode.INTERNAL, "version " + first.version() + " has two outcomes"));
            }
            return;
        }
        if (TransactionEntryApplier.isTransactional(first)) {
            TransactionEntryApplier.call(env.engine(), key, first, done -> onStepDone(entries, done));
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
            recordApplied(entries);
            return;
        }
        env.engine().apply(key, updates, unpublishedUpdates.mustPublishNow(appliedIndex), done -> {
            busy = false;
            if (isObsolete()) {
                return;
            }
            if (done instanceof Outcome.Err<Done> err) {
                onApplyFailed(entries, updates, err.error());
            } else {
                recordApplied(entries);
            }
        });
    }

    /** Handles the end of a prepare or decide call. */
    private void onStepDone(List<LogEntry> entries, Outcome<Done> done) {
        busy = false;
        if (isObsolete()) {
            return;
        }
        if (done instanceof Outcome.Err<Done> && entries.get(0).index() > log.durableIndex()) {
            beginCall(); // the entry may still be removed from the log, which decides the next step
            earlyApply.awaitDisk(entries.get(0).index(), () -> onStepDone(entries, done));
        } else if (done instanceof Outcome.Err<Done> err && entries.get(0).type() == LogEntry.Type.PREPARE) {
            onApplyFailed(entries, List.of(TransactionEntryApplier.toUpdate(entries.get(0))), err.error());
        } else if (done instanceof Outcome.Err<Done> err) {
            onEngineFailed(err.error());
        } else {
            recordApplied(entries);
        }
    }

    private void onEarlyDecisionApplied(Outcome<Done> done) {
        busy = false;
        hung = false;
        if (isObsolete()) {
            return;
        }
        if (done instanceof Outcome.Err<Done> err) {
            onEngineFailed(err.error());
        } else {
            earlyApply.decisionCarriedOut();
            listener.onApplied();
            applyNext();
        }
    }

    private void onApplyFailed(List<LogEntry> entries, List<EngineHost.Update> updates, UniserveException error) {
        long first = updates.get(0).index();
        boolean rows = Rejection.isRowError(error.code());
        LogEntry update = entries.get((int) (first - entries.get(0).index()));
        long last = updates.get(updates.size() - 1).index();
        boolean certain = rows
                && poisonEntryDetector.onFailure(
                        first, last, TransactionEntryApplier.attemptsBeforeRefusal(update, error.code()));
        LOG.warn("{}: update {} fails in the engine: {}", key, first, error.getMessage());
        markFailed();
        if (!rows || !listener.onRejected(update, error, certain)) {
            listener.onUnhealthy(error.reason());
        } else if (certain) {
            restartAt = env.clock().nanos();
        }
    }

    private void recordApplied(List<LogEntry> entries) {
        for (LogEntry entry : entries) {
            table.record(entry);
            bytesSinceCheckpoint += entry.rows().size();
            if (entry.type() == LogEntry.Type.UPDATE) {
                unpublishedUpdates.add(entry.rows().size());
            }
        }
        entriesSinceCheckpoint += entries.size();
        appliedIndex = entries.get(entries.size() - 1).index();
        failures = appliedIndex > failedAt ? 0 : failures;
        hung = false;
        poisonEntryDetector.onApplied(appliedIndex);
        unpublishedUpdates.onApplied(env.clock().nanos());
        listener.onApplied();
        if (!isUnsettled() && (checkpointDue() || checkpoints.takeRequest())) {
            checkpoint();
        } else if (unpublishedUpdates.isOverLimit()) {
            publish();
        } else {
            applyNext();
        }
    }

    private boolean checkpointDue() {
        return entriesSinceCheckpoint >= config.checkpointEntries() || bytesSinceCheckpoint >= config.checkpointBytes();
    }

    /** True while the state is unfit for a checkpoint: a version is prepared and undecided, or an applied entry is not on disk. */
    private boolean isUnsettled() {
        return table.versions().open() != 0 || appliedIndex > log.durableIndex();
    }

    /** Publishes updates that no reader has requested yet. The next reader need not wait, and a failure shows early. */
    private void publish() {
        beginCall();
        env.engine().publish(key, published -> {
            busy = false;
            hung = false;
            if (isObsolete()) {
                return;
            }
            if (published instanceof Outcome.Err<Done> err) {
                onEngineFailed(err.error());
                return;
            }
            unpublishedUpdates.clear();
            listener.onApplied();
            applyNext();
        });
    }

    private void checkpoint() {
        CheckpointStore.Name name = new CheckpointStore.Name(appliedIndex, log.epochAt(appliedIndex));
        entriesSinceCheckpoint = 0;
        bytesSinceCheckpoint = 0;
        beginCall();
        checkpoints.delete(
                name,
                deleted -> env.engine().checkpoint(key, checkpoints.dataPath(name), written -> {
                    if (written instanceof Outcome.Err<Done> err) {
                        LOG.warn("{}: checkpoint failed: {}", key, err.error().reason());
                        onCheckpointDone(name, written);
                    } else {
                        checkpoints.complete(name, table, made -> onCheckpointDone(name, made));
                    }
                }));
    }

    private void onCheckpointDone(CheckpointStore.Name name, Outcome<Done> outcome) {
        busy = false;
        hung = false;
        if (outcome instanceof Outcome.Err<Done>) {
            checkpoints.delete(name);
        } else {
            unpublishedUpdates.clear();
        }
        if (!isObsolete()) {
            listener.onApplied();
            applyNext();
        }
    }

    private void beginCall() {
        busy = true;
        busySince = env.clock().nanos();
    }

    private void onEngineFailed(UniserveException error) {
        if (phase == Phase.CLOSED) {
            finishClose();
            return;
        }
        LOG.warn("{}: engine failed: {}", key, error.getMessage());
        markFailed();
        listener.onUnhealthy(error.reason());
    }

    /** Rebuilds the engine, which has lost the contents. */
    public void onContentsLost(UniserveException error) {
        if (phase == Phase.READY) {
            onEngineFailed(error);
        }
    }

    private void markFailed() {
        digestStop.fail("the engine failed");
        phase = Phase.FAILED;
        failedAt = Math.max(failedAt, appliedIndex);
        unpublishedUpdates.onEngineFailed(appliedIndex);
        failures++;
        restartAt = env.clock().nanos() + config.retryNanos() * (1L << Math.min(failures, 8));
    }

    /** Periodic check: detects a hanging call, and retries a failed engine. */
    public void tick(long now) {
        digestStop.tick(now, appliedIndex);
        long patience = digesting ? config.digestTimeoutNanos() : config.engineTimeoutNanos();
        if (busy && !recovery.isFetching() && !hung && now - busySince > patience) {
            hung = true;
            LOG.warn("{}: an engine call hangs at applied index {}", key, appliedIndex);
            listener.onUnhealthy("an engine call hangs");
        }
        if (phase == Phase.FAILED && !busy && now - restartAt >= 0) {
            rebuild();
        }
        boolean rests =
                phase == Phase.READY && !busy && !suspended && !restartWanted && appliedIndex > 0 && !isUnsettled();
        if (rests && checkpoints.takeRequest()) {
            CheckpointStore.Name newest = checkpoints.newest();
            if (newest == null || newest.index() < appliedIndex) {
                checkpoint();
                return;
            }
        }
        if (rests && unpublishedUpdates.isQuiet(now)) {
            publish();
        }
    }

    /** Destroys the engine's actor once no call is running. No call follows. */
    public void close(Completion<Done> completion) {
        digestStop.fail("the replica is closed");
        withdrawEarlyApply();
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
        public void onCallStarted() {
            EngineApplier.this.beginCall();
        }

        @Override
        public void onCallEnded() {
            busy = false;
        }

        @Override
        public boolean isObsolete() {
            return EngineApplier.this.isObsolete();
        }

        @Override
        public void onBuilt(long index, RequestOutcomeTable saved) {
            EngineApplier.this.onBuilt(index, saved);
        }

        @Override
        public void onBuildFailed(UniserveException error) {
            EngineApplier.this.onEngineFailed(error);
        }
    }
}
