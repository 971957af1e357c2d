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
 * Drives the atomic updates of one table that clients gave to this server (docs/protocol.md, section 3): what waits is merged into one
 * version, prepared by all its actors, and committed by one multi that checks the map in which they voted. Another server
 * may drive other updates of the table at the same time: the table's log lets one version be in flight. Whatever write is
 * not certainly done is followed by reading the log, never by a guess.
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

    /** Why this version must be aborted. */
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

    /** True for a version of this driver that it has disclosed to nobody, and nobody else to anybody. */
    boolean undisclosed(long version) {
        Transaction now = transaction;
        return now != null && now.undisclosed(version);
    }

    /**
     * A client's update; the reply has all its actors acknowledged or all failed.
     *
     * @param sha256 the hash of its content
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

    /** Somebody must see to this version, which nobody has decided for long. */
    void suspect(InFlight flight) {
        if (transaction == null && !busy) {
            foreign = flight.version();
            foreignSince = now() - config.timeoutNanos(flight.bytes());
            readThen(this::next);
        }
    }

    /** While this manager drives a version or waits for the registry it keeps its base, which the version depends on. */
    private void logChanged(TransactionLogState newest, int nodeVersion) {
        if (transaction == null && !busy) {
            log.dropBaseBefore(nodeVersion);
        }
    }

    /** Strikes off what is acknowledged, and gives back what was begun ahead, where no update does it by the way. */
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
                step(); // updates that came meanwhile
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

    /** Goes on with whatever is next. */
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

    /** What has waited too long and is not under way is given up: nothing was begun for it. */
    private void expire() {
        awaitingRemoteDurability.expire(now());
        Transaction now = transaction;
        for (QueuedUpdate update : waiting.all()) {
            boolean running = now != null && now.updates.contains(update) || attempted.contains(update.batch);
            if (!running && now() - update.deadlineNanos >= 0) {
                waiting.remove(update);
                update.failed(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "not decided in time: it may be applied later, retry with the same id");
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
                host.refresh(table); // which closes this driver where the table is gone
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

    /** Ends it, and everything that waits with this error; what may have been committed, with one that says so. */
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

    /** A known request gets its recorded outcome; one that was only aborted is tried again. */
    private void answerKnown(TransactionLogState known) {
        expire(); // what is late may be done elsewhere by now, and forgotten
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
                                + " may no longer be known: read to find out");
            } else if (last.isPresent()) {
                settle(update, last.get(), true);
            }
        }
    }

    /** It is in flight, or may be: what another driver has begun ahead may be for anything. */
    private boolean running(@Nullable InFlight flight, QueuedUpdate update) {
        return flight != null
                && !versionReservation.is(flight)
                && (flight.ahead() || flight.batches().contains(update.batch));
    }

    /** Answers what the decision ends; an update that was aborted without being refused goes on waiting. */
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
     * Another version is in flight: it is let be for its time, or shortly where its driver is gone. One of this server that it
     * does not know is over. One that another driver has begun ahead, perhaps for nothing, is not waited for at all: whatever
     * that driver does with it is undone, and tried again.
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
            LOG.debug("{}: aborts version {}, which {} has begun ahead", table, other.version(), other.driver());
            int actors = map.map().actors().size();
            end(TransactionLogTransitions.displace(known, actors, "another server drives updates too"), other);
        } else if (late && !other.ahead()) {
            LOG.info("{}: aborts version {} of {}, which nobody decides", table, other.version(), other.driver());
            end(TransactionLogTransitions.abort(known, List.of(), "nobody decided it in time"), other);
        } else {
            log.dropBase();
            tickLater();
        }
    }

    /** True where an update waits that could be begun now, if no version were in flight. */
    private boolean mayBegin(TransactionLogState known) {
        long now = now();
        return !TransactionLogTransitions.full(known)
                && waiting.all().stream().anyMatch(update -> !unavailableParticipants.concerns(update.request, now));
    }

    /** Writes the log in which a version that was in flight, and is not this driver's, is aborted. */
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

    /** Begins a version for what waits, or uses the one that is begun. */
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

    /** This server's version is in flight; {@code mine} where this very driver has certainly begun it. */
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
                apart = now.updates.size(); // one after the other: then it shows whose rows it is
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

    /** Brings the version one step nearer to its decision. */
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
     * It was decided so long ago that the log alone does not say how. What was committed is known until it is told that it is
     * forgotten; of what was aborted the updates are tried again.
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
                LOG.error("{}: version {} is neither in flight nor decided", table, ended.version);
                waiting.remove(update);
                update.failed(ErrorCode.OUTCOME_UNKNOWN, "the table's log does not know the update's version");
            }
        }
        step();
    }

    /** Commits what is prepared, and begins the next version where this driver is likely to have a use for it. */
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

    /** Not for good: its updates wait until their actors are likely to be there. */
    private void giveUp(Transaction now, TransactionLogState known) {
        boolean waited = now() - now.begunNanos >= now.absenceNanos();
        TreeMap<Integer, Transaction.Obstacle> obstacles = now.obstacles();
        unavailableParticipants.missed(waited ? now.absent() : obstacles.keySet(), obstacles, now());
        abort(now, known, new Refused(List.of(), "its actors did not prepare it in time"));
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
        } else if (decision.batches().isEmpty()) { // another driver has displaced it
            versionReservation.rest(now());
        }
        ended.updates.forEach(update -> settle(update, decision, false));
        telling = true;
        host.env() // after the answers, which clients wait for, and before the next version is prepared
                .timers()
                .post(() -> {
                    telling = false;
                    decisionSender.tell(decision.version(), decision.committed(), decision.unacked());
                    transactionLogPublisher.tellAll();
                    step();
                });
    }
}
