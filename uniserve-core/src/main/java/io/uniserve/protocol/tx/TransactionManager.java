package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Batch;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.tx.TransactionLogView.Written;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transaction manager of one table on this server (docs/protocol.md, section 3). It merges waiting client updates into one version and lets
 * the participants prepare it. It commits the version by one multi that checks the map of their votes. Other servers may manage other
 * updates of the table at the same time: the transaction log permits one version in flight. After a write without a certain result the
 * manager reads the transaction log. It never assumes a result.
 */
final class TransactionManager {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionManager.class);

    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final TransactionLogView log;
    private final TransactionLogPublisher transactionLogPublisher;
    private final DecisionSender decisionSender;
    private final UnavailableParticipants unavailableParticipants;
    private final AwaitingRemoteDurability awaitingRemoteDurability;
    private final VersionReservation versionReservation;
    private final UpdateQueue waiting = new UpdateQueue();
    private List<Batch> attempted = List.of();
    private @Nullable Transaction transaction;
    private @Nullable Refused refused;
    private long foreign;
    private long foreignSince;
    private int badMap = -2;
    private int apart;
    private boolean busy;
    private boolean telling;
    private boolean ticking;
    private boolean closed;

    /** The reason for which this version must be aborted. */
    private record Refused(List<RequestId> requests, String reason) {}

    TransactionManager(TransactionContext host, TransactionConfig config, TableName table, TransactionLogView log) {
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = log.tableId();
        this.log = log;
        this.unavailableParticipants = new UnavailableParticipants(config.absenceNanos());
        this.transactionLogPublisher = new TransactionLogPublisher(host, config, table, tableId, log::baseSnapshot);
        this.decisionSender = new DecisionSender(host, config, table, tableId, transactionLogPublisher);
        this.awaitingRemoteDurability = new AwaitingRemoteDurability(decisionSender);
        this.versionReservation = new VersionReservation(config, host.self());
        log.listen(this::logChanged);
    }

    long tableId() {
        return tableId;
    }

    DecisionSender teller() {
        return decisionSender;
    }

    /** True if this manager can claim "not visible" for the version; see {@link Transaction#undisclosed}. */
    boolean undisclosed(long version) {
        Transaction now = transaction;
        return now != null && now.undisclosed(version);
    }

    /**
     * Queues a client's update. The reply acknowledges all its actors, or has an error for all.
     *
     * @param sha256 hash of the request's content
     */
    void submit(UpdateRequest request, String sha256, Completion<UpdateReply> completion) {
        long deadline = now() + request.remainingNanos();
        QueuedUpdate known = waiting.get(request.request());
        QueuedUpdate update = new QueuedUpdate(request, sha256, deadline);
        UniserveException full = known == null
                ? waiting.refusal(table, update, awaitingRemoteDurability.size(), awaitingRemoteDurability.bytes())
                : null;
        if (full != null) {
            completion.done(Outcome.err(full));
            return;
        }
        if (known != null && !known.batch.equals(update.batch)) {
            completion.done(Outcome.err(otherContent()));
            return;
        }
        QueuedUpdate kept = known == null ? update : known;
        kept.join(completion, request.attempt(), deadline);
        waiting.put(kept);
        step();
    }

    /** Called when this version has been in flight for too long: reads the transaction log, and aborts the version if it is undecided. */
    void suspect(InFlight flight) {
        if (transaction == null && !busy) {
            foreign = flight.version();
            foreignSince = now() - config.timeoutNanos(flight.bytes());
            readThen(this::next);
        }
    }

    /** Called when this server has seen a transaction log with this znode version, written by any server. */
    private void logChanged(TransactionLogState newest, int nodeVersion) {
        if (transaction == null && !busy) {
            log.dropBaseBefore(nodeVersion);
        }
    }

    /**
     * Writes acknowledgements to the transaction log, and releases a version that was started ahead. Does nothing while updates wait: their
     * writes include the acknowledgements.
     */
    void flush() {
        TransactionLogState known = log.base();
        if (transaction != null
                || busy
                || !waiting.isEmpty()
                || !versionReservation.idle(now())
                || !versionReservation.held() && !decisionSender.hasAcks()) {
            return;
        }
        if (known == null) {
            readThen(() -> {
                flush();
                step(); // updates may have arrived meanwhile
            });
            return;
        }
        versionReservation.missed(known.inFlight(), now());
        boolean held = versionReservation.begunHere(known.inFlight());
        if (held) {
            versionReservation.give();
        }
        TransactionLogState next = decisionSender.struck(held ? TransactionLogTransitions.release(known) : known);
        if (next.equals(known)) {
            decisionSender.written(known);
            return;
        }
        write(next, null, written -> {
            if (written == Written.DONE) {
                versionReservation.done();
                decisionSender.written(next);
            }
            step();
        });
    }

    private long now() {
        return host.env().clock().nanos();
    }

    private static UniserveException otherContent() {
        return UniserveException.invalid("this request id was used with other content: use a new id");
    }

    /** Performs the next step that is possible now. */
    private void step() {
        tickLater();
        if (busy || telling) {
            return;
        }
        if (transaction == null && waiting.isEmpty()) {
            return;
        }
        if (log.base() == null) {
            readThen(this::next);
        } else {
            next();
        }
    }

    private void tickLater() {
        if (!ticking) {
            ticking = true;
            host.env().timers().after(config.retryNanos(), () -> {
                ticking = false;
                expire();
                Transaction now = transaction;
                if (now != null) {
                    now.ask(now());
                }
                if (transaction != null || !waiting.isEmpty()) {
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
        for (QueuedUpdate update : waiting.all()) {
            boolean running = now != null && now.updates.contains(update) || attempted.contains(update.batch);
            if (!running && now() - update.deadlineNanos >= 0) {
                waiting.remove(update);
                update.failed(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "not decided before the deadline: the update may still be applied, retry with the same id");
            }
        }
    }

    private void readThen(Runnable then) {
        busy = true;
        log.read(read -> {
            busy = false;
            if (closed) {
                return;
            }
            if (read instanceof Outcome.Ok<TransactionLogState>) {
                then.run();
            } else {
                host.refresh(table); // if the table is dropped, this closes the manager
                tickLater();
            }
        });
    }

    private void write(TransactionLogState next, @Nullable Integer mapVersion, Consumer<Written> then) {
        busy = true;
        log.write(next, mapVersion, written -> {
            busy = false;
            if (closed) {
                return;
            }
            if (written == Written.DONE) {
                host.wroteLog(table);
            }
            then.accept(written);
        });
    }

    private void next() {
        TransactionLogState known = log.base();
        if (known == null || busy || telling) {
            return;
        }
        if (transaction != null) {
            proceed(transaction, known);
        } else {
            answerKnown(known);
            InFlight other = known.inFlight();
            versionReservation.missed(other, now());
            if (other != null && !versionReservation.is(other)) {
                meet(known, other);
            } else if (!waiting.isEmpty()) {
                begin(known);
            }
        }
    }

    /**
     * Closes this manager and fails all waiting updates with this error. Updates that may have been committed fail with OUTCOME_UNKNOWN.
     */
    void close(ErrorCode code, String message) {
        closed = true;
        List<QueuedUpdate> committing = List.of();
        if (transaction != null) {
            committing = transaction.isCommitting() ? transaction.updates : List.of();
            transaction.end();
            transaction = null;
        }
        String unknown = message + ": the update may have been committed before";
        for (QueuedUpdate update : waiting.clear()) {
            boolean maybe = committing.contains(update);
            update.failed(maybe ? ErrorCode.OUTCOME_UNKNOWN : code, maybe ? unknown : message);
        }
        awaitingRemoteDurability.close(ErrorCode.OUTCOME_UNKNOWN, unknown);
    }

    /** Completes requests that have a recorded outcome. Requests with no outcome but aborts stay in the queue and are tried again. */
    private void answerKnown(TransactionLogState known) {
        expire(); // a late update may have been committed elsewhere, and its outcome forgotten
        for (QueuedUpdate update : waiting.all()) {
            Optional<Decision> last = log.lastDecision(update.batch.request());
            boolean other = last.isPresent() && !last.get().batches().contains(update.batch);
            boolean expired = last.isEmpty() && update.attempt > 1 && known.forgotten() > update.request.lowWater();
            if (other) {
                waiting.remove(update);
                update.failed(ErrorCode.INVALID_ARGUMENT, otherContent().reason());
            } else if (expired && !running(known.inFlight(), update)) {
                waiting.remove(update);
                update.failed(
                        ErrorCode.OUTCOME_EXPIRED,
                        "the outcome of request " + update.batch.request()
                                + " may be forgotten: read the rows to find out");
            } else if (last.isPresent()) {
                settle(update, last.get(), true);
            }
        }
    }

    /** True if the update may be in flight: another manager can use a version that it started ahead for any request. */
    private boolean running(@Nullable InFlight flight, QueuedUpdate update) {
        return flight != null
                && !versionReservation.is(flight)
                && (flight.ahead() || flight.batches().contains(update.batch));
    }

    /** Completes an update by this decision. An update that was aborted without a refusal of its own keeps waiting. */
    private void settle(QueuedUpdate tried, Decision decision, boolean duplicate) {
        QueuedUpdate update = waiting.now(tried);
        if (decision.committed()) {
            waiting.remove(update);
            TransactionContext.Table known = host.table(table);
            if (known != null && known.meta().remote()) {
                awaitingRemoteDurability.await(update, decision, duplicate);
                tickLater();
            } else {
                update.committed(decision.version(), duplicate);
            }
        } else if (decision.refused().contains(update.batch.request())) {
            waiting.remove(update);
            update.failed(decision.code(), decision.reason());
        }
    }

    /**
     * Handles a version in flight that is not this manager's current one. It gets its full time-out, or a short time if its manager is not
     * alive. A version of this server that this manager does not know is aborted at once. So is a version that another manager has started
     * ahead, if an update waits here: that manager then has to try its updates again.
     */
    private void meet(TransactionLogState known, InFlight other) {
        boolean mine = other.driver().equals(host.self());
        if (mine && !attempted.isEmpty() && other.batches().equals(attempted) && waiting.holds(attempted)) {
            start(known, other.version(), false);
            return;
        }
        if (foreign != other.version()) {
            foreign = other.version();
            foreignSince = now();
        }
        boolean gone = host.addressOf(other.driver()) == null && now() - foreignSince >= config.goneNanos();
        boolean late = mine || gone || now() - foreignSince >= config.timeoutNanos(other.bytes());
        TransactionContext.Table map = host.table(table);
        if (other.ahead() && (late || mayBegin(known)) && map != null) {
            if (!mine) {
                versionReservation.rest(now());
            }
            LOG.debug("table {}: aborting version {}, which {} started ahead", table, other.version(), other.driver());
            int actors = map.map().actors().size();
            end(TransactionLogTransitions.displace(known, actors, "another manager has updates too"), other);
        } else if (late && !other.ahead()) {
            LOG.info("table {}: aborting version {} of {}: decision overdue", table, other.version(), other.driver());
            end(TransactionLogTransitions.abort(known, List.of(), "it was not decided in time"), other);
        } else {
            log.dropBase();
            tickLater();
        }
    }

    /** True if a waiting update could start now if no version were in flight. */
    private boolean mayBegin(TransactionLogState known) {
        long now = now();
        return !TransactionLogTransitions.full(known)
                && waiting.all().stream().anyMatch(update -> !unavailableParticipants.concerns(update.request, now));
    }

    /** Writes the log in which a version that is not this manager's is aborted. */
    private void end(TransactionLogState aborted, InFlight other) {
        TransactionLogState next = decisionSender.struck(aborted);
        List<Integer> actors = TransactionLogTransitions.decision(aborted, other.version())
                .map(Decision::unacked)
                .orElse(List.of());
        write(next, null, written -> {
            if (written == Written.DONE) {
                decisionSender.written(next);
                decisionSender.tell(other.version(), false, actors);
                transactionLogPublisher.tellAll();
            }
            step();
        });
    }

    /** Starts a version for waiting updates, or uses the one that was started ahead. */
    private void begin(TransactionLogState known) {
        waiting.failEach(update -> unavailableParticipants.obstacle(update.request, now()));
        InFlight flight = known.inFlight();
        boolean begun = versionReservation.is(flight);
        long now = now();
        List<QueuedUpdate> merged = waiting.merged(
                apart > 0 ? 1 : Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                update -> unavailableParticipants.concerns(update.request, now));
        long bytes = merged.stream().mapToLong(update -> update.bytes).sum();
        if (merged.isEmpty() || !begun && TransactionLogTransitions.full(known)) {
            tickLater();
            return;
        }
        apart = Math.max(0, apart - 1);
        attempted = merged.stream().map(update -> update.batch).toList();
        TreeSet<Integer> participants = new TreeSet<>();
        merged.forEach(update -> update.request.actors().forEach(rows -> participants.add(rows.actor())));
        long version = begun && flight != null ? flight.version() : known.next();
        versionReservation.done();
        if (begun && bytes <= Limits.AHEAD_BYTES_MAX) {
            start(known, version, true);
            return;
        }
        TransactionLogState struck = decisionSender.struck(known);
        TransactionLogState next = begun
                ? TransactionLogTransitions.name(struck, List.copyOf(participants), attempted, bytes)
                : TransactionLogTransitions.begin(struck, host.self(), List.copyOf(participants), attempted, bytes);
        write(next, null, written -> {
            if (written == Written.DONE) {
                decisionSender.written(next);
                start(known, version, true);
            }
            step();
        });
    }

    /**
     * Sends PREPARE for a version of this server that is in flight.
     *
     * @param mine true if this manager has certainly started the version itself
     */
    private void start(TransactionLogState known, long version, boolean mine) {
        List<QueuedUpdate> updates =
                attempted.stream().map(batch -> waiting.get(batch.request())).toList();
        attempted = List.of();
        refused = null;
        badMap = -2;
        Transaction begun = new Transaction(
                host, config, table, tableId, version, known.version(), updates, transactionLogPublisher, new Votes());
        begun.begun(mine);
        transaction = begun;
        begun.ask(now());
        transactionLogPublisher.tellReplicas(begun.participants());
        tickLater();
    }

    private final class Votes implements Transaction.Listener {
        @Override
        public void voted() {
            step();
        }

        @Override
        public void refused(@Nullable RequestId request, String reason) {
            Transaction now = transaction;
            if (now == null || refused != null) {
                return;
            }
            boolean single = now.updates.size() == 1;
            RequestId culprit = single ? now.updates.get(0).batch.request() : request;
            if (culprit == null) {
                apart = now.updates.size(); // try the updates one by one, to find the one with the rejected rows
            }
            refused = new Refused(culprit == null ? List.of() : List.of(culprit), reason);
            step();
        }

        @Override
        public void obstructed() {
            step();
        }

        @Override
        public void gone(List<RequestId> requests) {
            waiting.fail(requests, ErrorCode.UNAVAILABLE, "rows that were staged are gone: stage them again");
            refused = refused == null ? new Refused(List.of(), "staged rows are gone") : refused;
            step();
        }

        @Override
        public void decidedElsewhere() {
            if (!busy) {
                readThen(TransactionManager.this::next);
            }
        }
    }

    /** Performs the next step of the current version towards its decision. */
    private void proceed(Transaction now, TransactionLogState known) {
        Optional<Decision> decision = TransactionLogTransitions.decision(known, now.version);
        if (decision.isPresent()) {
            decided(now, decision.get());
        } else if (!TransactionLogTransitions.inFlight(known, now.version)) {
            over(now, known.forgotten());
        } else if (refused != null) {
            abort(now, known, refused);
        } else if (now() - now.deadlineNanos >= 0 || now.full()) {
            giveUp(now, known);
        } else {
            TransactionContext.Table map = now.prepared();
            if (map != null && map.mapVersion() != badMap) {
                commit(now, known, map);
            } else if (now() - now.begunNanos >= now.absenceNanos()
                    && !now.absent().isEmpty()) {
                giveUp(now, known);
            }
        }
    }

    /**
     * Handles a version with a decision that has left the log. Committed requests stay in the outcomes until the log marks them as
     * forgotten. Updates of an aborted version are tried again.
     */
    private void over(Transaction ended, long forgotten) {
        ended.end();
        transaction = null;
        for (QueuedUpdate tried : ended.updates) {
            QueuedUpdate update = waiting.now(tried);
            Optional<Decision> last =
                    log.lastDecision(update.batch.request()).filter(decision -> decision.version() == ended.version);
            if (last.isPresent()) {
                settle(update, last.get(), false);
            } else if (ended.version <= forgotten) {
                LOG.error("table {}: version {} is neither in flight nor decided", table, ended.version);
                waiting.remove(update);
                update.failed(ErrorCode.OUTCOME_UNKNOWN, "the transaction log does not have the update's version");
            }
        }
        step();
    }

    /** Commits the prepared version, and starts the next one ahead if this manager will probably use it. */
    private void commit(Transaction now, TransactionLogState known, TransactionContext.Table map) {
        now.committing(now());
        TransactionLogState committed = decisionSender.struck(TransactionLogTransitions.commit(now.named(known)));
        boolean more = now.mine()
                && versionReservation.may(committed, map.map().actors().size(), now());
        versionReservation.sent(more ? committed.next() : 0, now());
        TransactionLogState next = more ? TransactionLogTransitions.beginAhead(committed, host.self()) : committed;
        write(next, map.mapVersion(), written -> {
            if (written == Written.OTHER_MAP) {
                badMap = map.mapVersion();
                host.refresh(table);
                tickLater();
            } else {
                if (written == Written.DONE) {
                    decisionSender.written(next);
                }
                step();
            }
        });
    }

    /** Aborts the version for now. Its updates wait until their participants are likely to be available. */
    private void giveUp(Transaction now, TransactionLogState known) {
        boolean waited = now() - now.begunNanos >= now.absenceNanos();
        TreeMap<Integer, Transaction.Obstacle> obstacles = now.obstacles();
        unavailableParticipants.missed(waited ? now.absent() : obstacles.keySet(), obstacles, now());
        abort(now, known, new Refused(List.of(), "its participants did not vote yes in time"));
    }

    private void abort(Transaction now, TransactionLogState known, Refused why) {
        write(TransactionLogTransitions.abort(now.named(known), why.requests(), why.reason()), null, written -> step());
    }

    private void decided(Transaction ended, Decision decision) {
        ended.end();
        transaction = null;
        unavailableParticipants.seen(ended.present());
        if (decision.committed()) {
            host.known(tableId, decision.version());
        } else if (decision.batches().isEmpty()) { // another manager has aborted it
            versionReservation.rest(now());
        }
        ended.updates.forEach(update -> settle(update, decision, false));
        telling = true;
        host.env() // after the replies, which clients wait for, and before the next PREPARE
                .timers()
                .post(() -> {
                    telling = false;
                    decisionSender.tell(decision.version(), decision.committed(), decision.unacked());
                    transactionLogPublisher.tellAll();
                    step();
                });
    }
}
