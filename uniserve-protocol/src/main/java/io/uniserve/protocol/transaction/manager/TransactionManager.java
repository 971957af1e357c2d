package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.protocol.transaction.TransactionLogView;
import io.uniserve.protocol.transaction.TransactionLogView.Written;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transaction manager of one table on this server (docs/protocol.md, section 3). It merges waiting client updates into one version and lets
 * the participants prepare it. It commits the version by one multi that checks the map of their votes. Other servers may manage other
 * updates of the table at the same time: the transaction log permits one version in flight. After a write without a certain result the
 * manager reads the transaction log. It never assumes a result.
 */
public final class TransactionManager {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionManager.class);

    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final TransactionLogView log;
    private final TransactionLogAccess logAccess;
    private final TransactionLogPublisher transactionLogPublisher;
    private final DecisionSender decisionSender;
    private final UnavailableParticipantTracker unavailableParticipants;
    private final RemoteDurabilityQueue awaitingRemoteDurability;
    private final VersionReservation versionReservation;
    private final ChunkAvailability chunks;
    private final ForeignVersionTimer foreignVersion;
    private final UpdateQueue queue = new UpdateQueue();
    private List<Batch> attemptedBatches = List.of();
    private @Nullable Transaction transaction;
    private @Nullable AbortReason abortReason;
    private int conflictingMapVersion = -2;
    private int singleUpdatesLeft;
    private boolean decisionSendPending;
    private boolean tickScheduled;

    /** The reason why this version must be aborted. */
    private record AbortReason(List<RequestId> requests, String reason) {}

    public TransactionManager(
            TransactionContext host, TransactionConfig config, TableName table, TransactionLogView log) {
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = log.tableId();
        this.log = log;
        this.chunks = new ChunkAvailability(host, table, tableId);
        this.logAccess = new TransactionLogAccess(host, table, log, chunks);
        this.foreignVersion = new ForeignVersionTimer(host, config);
        this.unavailableParticipants = new UnavailableParticipantTracker(chunks, config.absenceNanos());
        this.transactionLogPublisher = new TransactionLogPublisher(host, config, table, tableId, log::baseSnapshot);
        this.decisionSender = new DecisionSender(host, config, table, tableId, transactionLogPublisher);
        this.awaitingRemoteDurability = new RemoteDurabilityQueue(decisionSender);
        this.versionReservation = new VersionReservation(config, host.self());
        log.listen(this::logChanged);
    }

    public long tableId() {
        return tableId;
    }

    public DecisionSender decisionSender() {
        return decisionSender;
    }

    /** Phase of the current transaction; empty while there is none. */
    public Optional<TransactionPhase> phase() {
        return Optional.ofNullable(transaction).map(Transaction::phase);
    }

    /** True if this manager can claim "not visible" for the version; see {@link Transaction#canClaimInvisible}. */
    public boolean canClaimInvisible(long version) {
        Transaction now = transaction;
        return now != null && now.canClaimInvisible(version);
    }

    /**
     * Queues a client's update. The reply acknowledges all its actors, or has an error for all.
     *
     * @param sha256 hash of the request's content
     */
    public void submit(UpdateRequest request, String sha256, Completion<UpdateReply> completion) {
        long deadline = now() + request.remainingNanos();
        QueuedUpdate known = queue.get(request.request());
        QueuedUpdate update = new QueuedUpdate(request, sha256, deadline);
        UniserveException full = known == null
                ? queue.capacityError(table, update, awaitingRemoteDurability.size(), awaitingRemoteDurability.bytes())
                : null;
        if (full != null) {
            completion.done(Outcome.err(full));
            return;
        }
        if (known != null && !known.batch.equals(update.batch)) {
            completion.done(Outcome.err(QueuedUpdate.otherContentError()));
            return;
        }
        QueuedUpdate kept = known == null ? update : known;
        kept.addCaller(completion, request.attempt(), deadline);
        queue.put(kept);
        step();
    }

    /** Called when this version has been in flight for too long: reads the transaction log, and aborts the version if it is undecided. */
    public void abortIfUndecided(InFlight flight) {
        if (transaction == null && !logAccess.isPending()) {
            foreignVersion.expire(flight, now());
            readThen(this::next);
        }
    }

    /** Called when this server has seen a transaction log with this znode version, written by any server. */
    private void logChanged(TransactionLogState newest, int nodeVersion) {
        if (transaction == null && !logAccess.isPending()) {
            log.dropBaseBefore(nodeVersion);
        }
    }

    /**
     * Writes acknowledgements to the transaction log, and releases a version that was started ahead. Does nothing while updates wait: their
     * writes include the acknowledgements.
     */
    public void flushAcks() {
        TransactionLogState known = log.base();
        if (transaction != null
                || logAccess.isPending()
                || !queue.isEmpty()
                || !versionReservation.isIdle(now())
                || !versionReservation.isHeld() && !decisionSender.hasAcks()) {
            return;
        }
        if (known == null) {
            readThen(() -> {
                flushAcks();
                step(); // updates may have arrived meanwhile
            });
            return;
        }
        versionReservation.onInFlight(known.inFlight(), now());
        boolean held = versionReservation.isOwn(known.inFlight());
        if (held) {
            versionReservation.onReleaseSent();
        }
        TransactionLogState next =
                decisionSender.withoutAckedParticipants(held ? TransactionLogTransitions.release(known) : known);
        if (next.equals(known)) {
            decisionSender.onLogWritten(known);
            return;
        }
        logAccess.write(next, null, written -> {
            if (written == Written.DONE) {
                versionReservation.clear();
                decisionSender.onLogWritten(next);
            }
            step();
        });
    }

    private long now() {
        return host.env().clock().nanos();
    }

    /** Performs the next step that is possible now. */
    private void step() {
        tickLater();
        if (logAccess.isPending() || decisionSendPending) {
            return;
        }
        if (transaction == null && queue.isEmpty()) {
            return;
        }
        if (log.base() == null) {
            readThen(this::next);
        } else {
            next();
        }
    }

    private void tickLater() {
        if (!tickScheduled) {
            tickScheduled = true;
            host.env().timers().after(config.retryNanos(), () -> {
                tickScheduled = false;
                expire();
                Transaction now = transaction;
                if (now != null) {
                    now.sendPrepares(now());
                }
                if (transaction != null || !queue.isEmpty()) {
                    step();
                } else if (!awaitingRemoteDurability.isEmpty()) {
                    tickLater();
                }
            });
        }
    }

    /** Fails waiting updates that are past their deadline and in no version. */
    private void expire() {
        awaitingRemoteDurability.expire(now());
        Transaction now = transaction;
        queue.failExpired(
                now(),
                update -> now != null && now.updates.contains(update) || attemptedBatches.contains(update.batch));
    }

    private void readThen(Runnable then) {
        logAccess.read(then, this::tickLater);
    }

    private void next() {
        TransactionLogState known = log.base();
        if (known == null || logAccess.isPending() || decisionSendPending) {
            return;
        }
        if (transaction != null) {
            advance(transaction, known);
        } else {
            completeDecided(known);
            InFlight other = known.inFlight();
            versionReservation.onInFlight(other, now());
            if (other != null && !versionReservation.isUsable(other)) {
                handleForeignVersion(known, other);
            } else if (!queue.isEmpty()) {
                startVersion(known);
            }
        }
    }

    /**
     * Closes this manager and fails all waiting updates with this error. Updates that may have been committed fail with OUTCOME_UNKNOWN.
     */
    public void close(ErrorCode code, String message) {
        logAccess.close();
        List<QueuedUpdate> committing = List.of();
        if (transaction != null) {
            committing = transaction.phase() == TransactionPhase.COMMITTING ? transaction.updates : List.of();
            transaction.end();
            transaction = null;
        }
        String unknown = message + ": the update may have been committed before";
        for (QueuedUpdate update : queue.clear()) {
            boolean maybe = committing.contains(update);
            update.fail(maybe ? ErrorCode.OUTCOME_UNKNOWN : code, maybe ? unknown : message);
        }
        awaitingRemoteDurability.close(ErrorCode.OUTCOME_UNKNOWN, unknown);
    }

    /** Completes requests that have a recorded outcome. Requests that were only aborted stay in the queue and are tried again. */
    private void completeDecided(TransactionLogState known) {
        expire(); // a late update may have been committed elsewhere, and its outcome forgotten
        for (QueuedUpdate update : queue.all()) {
            Optional<Decision> last = log.lastDecision(update.batch.request());
            boolean other = last.isPresent() && !last.get().batches().contains(update.batch);
            boolean expired =
                    last.isEmpty() && update.attempt > 1 && known.newestForgottenVersion() > update.request.lowWater();
            if (other) {
                queue.remove(update);
                update.fail(
                        ErrorCode.INVALID_ARGUMENT,
                        QueuedUpdate.otherContentError().reason());
            } else if (expired && !versionReservation.mayBeInFlight(known.inFlight(), update.batch)) {
                queue.remove(update);
                update.fail(
                        ErrorCode.OUTCOME_EXPIRED,
                        "the outcome of request " + update.batch.request()
                                + " may be forgotten: read the rows to find out");
            } else if (last.isPresent()) {
                applyDecision(update, last.get(), true);
            }
        }
    }

    /** Completes an update by this decision. An update that was aborted without a refusal of its own keeps waiting. */
    private void applyDecision(QueuedUpdate tried, Decision decision, boolean duplicate) {
        QueuedUpdate update = queue.current(tried);
        if (decision.committed()) {
            queue.remove(update);
            TransactionContext.Table known = host.table(table);
            if (known != null && known.meta().needsDurableStorage()) {
                awaitingRemoteDurability.awaitAcks(update, decision, duplicate);
                tickLater();
            } else {
                update.completeCommitted(decision.version(), duplicate);
            }
        } else if (decision.refusedRequests().contains(update.batch.request())) {
            queue.remove(update);
            update.fail(decision.errorCode(), decision.reason());
        }
    }

    /**
     * Handles a version in flight that is not this manager's current one. It gets its full time-out, or a short time if its manager is not
     * alive. A version of this server that this manager does not know is aborted at once. So is a version that another manager has started
     * ahead, if an update waits here: that manager then has to try its updates again.
     */
    private void handleForeignVersion(TransactionLogState known, InFlight other) {
        boolean mine = other.manager().equals(host.self());
        if (mine
                && !attemptedBatches.isEmpty()
                && other.batches().equals(attemptedBatches)
                && queue.containsAll(attemptedBatches)) {
            prepareVersion(known, other.version(), false);
            return;
        }
        foreignVersion.observe(other, now());
        boolean late = mine || foreignVersion.isLate(other, now());
        TransactionContext.Table map = host.table(table);
        if (other.isStartedAhead() && (late || canStartUpdate(known)) && map != null) {
            if (!mine) {
                versionReservation.pauseReserving(now());
            }
            LOG.debug("table {}: aborting version {}, which {} started ahead", table, other.version(), other.manager());
            TransactionLogState aborted = TransactionLogTransitions.abortReserved(
                    known, map.map().numbers(), "another manager has updates too");
            abortForeignVersion(aborted, other, map.versionIfChunked());
        } else if (late && !other.isStartedAhead()) {
            LOG.info("table {}: aborting version {} of {}: decision overdue", table, other.version(), other.manager());
            abortForeignVersion(
                    TransactionLogTransitions.abort(known, List.of(), "it was not decided in time"), other, null);
        } else {
            log.dropBase();
            tickLater();
        }
    }

    /** True if a waiting update could start now if no version were in flight. */
    private boolean canStartUpdate(TransactionLogState known) {
        long now = now();
        return !TransactionLogTransitions.isFull(known)
                && queue.all().stream().anyMatch(update -> !unavailableParticipants.mustWait(update.request, now));
    }

    /** Writes the log in which a version that is not this manager's is aborted; with a map version only while the map has it. */
    private void abortForeignVersion(TransactionLogState aborted, InFlight other, @Nullable Integer mapVersion) {
        TransactionLogState next = decisionSender.withoutAckedParticipants(aborted);
        List<Integer> actors = TransactionLogTransitions.decision(aborted, other.version())
                .map(Decision::unackedParticipants)
                .orElse(List.of());
        logAccess.write(next, mapVersion, written -> {
            if (written == Written.OTHER_MAP) {
                host.refresh(table);
                tickLater();
                return;
            }
            if (written == Written.DONE) {
                decisionSender.onLogWritten(next);
                decisionSender.send(other.version(), false, actors);
                transactionLogPublisher.publishToAll();
            }
            step();
        });
    }

    /** Starts a version for waiting updates, or uses the one that was started ahead. */
    private void startVersion(TransactionLogState known) {
        if (chunks.needsNewerLog(queue.all())) {
            readThen(this::next);
            return;
        }
        queue.failRejected(update -> unavailableParticipants.errorFor(update.request, now()));
        InFlight flight = known.inFlight();
        boolean isReserved = versionReservation.isUsable(flight);
        long now = now();
        List<QueuedUpdate> merged = queue.mergeNext(
                singleUpdatesLeft > 0 ? 1 : Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                update -> unavailableParticipants.mustWait(update.request, now));
        long bytes = merged.stream().mapToLong(update -> update.bytes).sum();
        if (merged.isEmpty() || !isReserved && TransactionLogTransitions.isFull(known)) {
            tickLater();
            return;
        }
        singleUpdatesLeft = Math.max(0, singleUpdatesLeft - 1);
        attemptedBatches = merged.stream().map(update -> update.batch).toList();
        TreeSet<Integer> participants = new TreeSet<>();
        merged.forEach(update -> update.request.actors().forEach(rows -> participants.add(rows.actor())));
        long version = isReserved && flight != null ? flight.version() : known.nextVersion();
        versionReservation.clear();
        if (isReserved && bytes <= Limits.AHEAD_BYTES_MAX) {
            prepareVersion(known, version, true);
            return;
        }
        TransactionLogState struck = decisionSender.withoutAckedParticipants(known);
        TransactionLogState next = isReserved
                ? TransactionLogTransitions.addParticipants(struck, List.copyOf(participants), attemptedBatches, bytes)
                : TransactionLogTransitions.begin(
                        struck, host.self(), List.copyOf(participants), attemptedBatches, bytes);
        logAccess.write(next, null, written -> {
            if (written == Written.DONE) {
                decisionSender.onLogWritten(next);
                prepareVersion(known, version, true);
            }
            step();
        });
    }

    /**
     * Sends PREPARE for a version of this server that is in flight.
     *
     * @param mine true if this manager has certainly started the version itself
     */
    private void prepareVersion(TransactionLogState known, long version, boolean mine) {
        List<QueuedUpdate> updates = attemptedBatches.stream()
                .map(batch -> queue.get(batch.request()))
                .toList();
        attemptedBatches = List.of();
        abortReason = null;
        conflictingMapVersion = -2;
        Transaction started = new Transaction(
                host, config, table, tableId, version, known, updates, transactionLogPublisher, new Votes());
        started.setStartedHere(mine);
        transaction = started;
        started.sendPrepares(now());
        transactionLogPublisher.publishToReplicas(started.participants());
        tickLater();
    }

    private final class Votes implements Transaction.Listener {
        @Override
        public void onVote() {
            step();
        }

        @Override
        public void onRejected(@Nullable RequestId request, String reason) {
            Transaction now = transaction;
            if (now == null || abortReason != null) {
                return;
            }
            boolean single = now.updates.size() == 1;
            RequestId culprit = single ? now.updates.get(0).batch.request() : request;
            if (culprit == null) {
                singleUpdatesLeft =
                        now.updates.size(); // try the updates one by one, to find the one with the rejected rows
            }
            abortReason = new AbortReason(culprit == null ? List.of() : List.of(culprit), reason);
            step();
        }

        @Override
        public void onParticipantFull() {
            step();
        }

        @Override
        public void onStagedRowsMissing(List<RequestId> requests) {
            queue.fail(requests, ErrorCode.UNAVAILABLE, "rows that were staged are gone: stage them again");
            abortReason = abortReason == null ? new AbortReason(List.of(), "staged rows are gone") : abortReason;
            step();
        }

        @Override
        public void onAlreadyDecided() {
            if (!logAccess.isPending()) {
                readThen(TransactionManager.this::next);
            }
        }
    }

    /** Performs the next step of the current version towards its decision. */
    private void advance(Transaction now, TransactionLogState known) {
        Optional<Decision> decision = TransactionLogTransitions.decision(known, now.version);
        if (decision.isPresent()) {
            onDecided(now, decision.get());
        } else if (!TransactionLogTransitions.isInFlight(known, now.version)) {
            onDecisionMissing(now, known.newestForgottenVersion());
        } else if (abortReason != null) {
            abort(now, known, abortReason);
        } else if (now.hasExpiredParticipant()) {
            abort(now, known, new AbortReason(List.of(), "a chunk with its rows is expired"));
        } else if (now() - now.deadlineNanos >= 0 || now.hasFullLog()) {
            abortForRetry(now, known);
        } else {
            TransactionContext.Table map = now.preparedMap();
            if (map != null && map.mapVersion() != conflictingMapVersion) {
                commit(now, known, map);
            } else if (now() - now.startedNanos >= now.absenceNanos()
                    && !now.absentParticipants().isEmpty()) {
                abortForRetry(now, known);
            }
        }
    }

    /**
     * Handles a version with a decision that has left the log. Committed requests stay in the outcomes until the log marks them as
     * forgotten. Updates of an aborted version are tried again.
     */
    private void onDecisionMissing(Transaction ended, long forgotten) {
        ended.end();
        transaction = null;
        for (QueuedUpdate tried : ended.updates) {
            QueuedUpdate update = queue.current(tried);
            Optional<Decision> last =
                    log.lastDecision(update.batch.request()).filter(decision -> decision.version() == ended.version);
            if (last.isPresent()) {
                applyDecision(update, last.get(), false);
            } else if (ended.version <= forgotten) {
                LOG.error("table {}: version {} is neither in flight nor decided", table, ended.version);
                queue.remove(update);
                update.fail(ErrorCode.OUTCOME_UNKNOWN, "the transaction log does not have the update's version");
            }
        }
        step();
    }

    /** Commits the prepared version, and starts the next one ahead if this manager will probably use it. */
    private void commit(Transaction now, TransactionLogState known, TransactionContext.Table map) {
        now.onCommitSent(now());
        TransactionLogState committed = decisionSender.withoutAckedParticipants(TransactionLogTransitions.commit(
                now.withParticipants(known), map.meta().partitioner(), map.map().expiredBefore()));
        boolean more = now.isStartedHere()
                && versionReservation.mayReserve(committed, map.map().actors().size(), now());
        versionReservation.onReserveSent(more ? committed.nextVersion() : 0, now());
        TransactionLogState next = more ? TransactionLogTransitions.reserve(committed, host.self()) : committed;
        logAccess.write(next, map.mapVersion(), written -> {
            if (written == Written.OTHER_MAP) {
                conflictingMapVersion = map.mapVersion();
                host.refresh(table);
                tickLater();
            } else {
                if (written == Written.DONE) {
                    decisionSender.onLogWritten(next);
                }
                step();
            }
        });
    }

    /** Aborts the version for now. Its updates wait until their participants are likely to be available. */
    private void abortForRetry(Transaction now, TransactionLogState known) {
        boolean waited = now() - now.startedNanos >= now.absenceNanos();
        TreeMap<Integer, Transaction.ParticipantError> obstacles = now.participantErrors();
        unavailableParticipants.markUnavailable(
                waited ? now.absentParticipants() : obstacles.keySet(), obstacles, now());
        abort(now, known, new AbortReason(List.of(), "its participants did not vote yes in time"));
    }

    private void abort(Transaction now, TransactionLogState known, AbortReason why) {
        logAccess.write(
                TransactionLogTransitions.abort(now.withParticipants(known), why.requests(), why.reason()),
                null,
                written -> step());
    }

    private void onDecided(Transaction ended, Decision decision) {
        ended.end();
        transaction = null;
        unavailableParticipants.markAvailable(ended.yesVoters());
        if (decision.committed()) {
            host.publishDecidedVersion(tableId, decision.version());
        } else if (decision.batches().isEmpty()) { // another manager has aborted it
            versionReservation.pauseReserving(now());
        }
        ended.updates.forEach(update -> applyDecision(update, decision, false));
        decisionSendPending = true;
        host.env() // after the replies, which clients wait for, and before the next PREPARE
                .timers()
                .post(() -> {
                    decisionSendPending = false;
                    decisionSender.send(decision.version(), decision.committed(), decision.unackedParticipants());
                    transactionLogPublisher.publishToAll();
                    step();
                });
    }
}
