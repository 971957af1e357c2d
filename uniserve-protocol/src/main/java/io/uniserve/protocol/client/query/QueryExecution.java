package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.client.query.ReadCall.Kind;
import io.uniserve.protocol.client.routing.AttemptLog;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.HedgeDelay;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.WeightedRandomChooser;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * State machine of one query. It returns a complete answer or an error, never a partial answer, and counts each actor exactly once.
 *
 * <p>Each actor is a slot. A slot is <em>in flight</em> (in one request, or in two when hedged), <em>parked</em> or <em>resolved</em>. A
 * slot is parked if every live replica was tried in this round or the map is known to be outdated; it waits for a newer map or for some
 * time. Slots are grouped by the chosen replica, so a server gets one request with all its actors. If a request fails, only its own actors
 * go to other replicas. A request that takes longer than the 95th percentile is hedged: its unanswered actors are also requested from other
 * replicas, and the first answer counts.
 *
 * <p>Not thread-safe: the caller runs {@link #start}, {@link #cancel} and all callbacks one at a time. The completion is called exactly
 * once, at the earliest from inside {@link #start}.
 */
public final class QueryExecution {
    private static final long NEVER = Long.MAX_VALUE;
    /** Number of maps without an actor that the caller has chosen, before the query fails. */
    private static final int STALE_MAPS_MAX = 8;

    private final ClientContext env;
    private final ClientState state;
    private final Query query;
    private final Completion<QueryResult> completion;
    private final long startNanos;
    private final long queryHigh;
    private final long queryLow;
    private final ReplicaPicker picker;
    private final TableLookup tableLookup;
    private final HedgeDelay hedgeDelay;
    private final Optional<ReadSession> session;
    private final ChunkCoverage coverage;
    private final List<ReadReply.Part> parts = new ArrayList<>();
    private final List<ReadCall> calls = new ArrayList<>();
    private final AttemptLog attemptLog = new AttemptLog();
    private final TreeSet<ServerId> servers = new TreeSet<>();

    private QueryTargets slots = QueryTargets.NONE;
    private long tableId;
    private int parked;
    private int requests;
    private int retries;
    private int hedges;
    private boolean tableFound;
    private boolean finished;
    private boolean refreshing;
    private Timers.Cancel timer = () -> {};
    private long timerAtNanos = NEVER;
    private Timers.Cancel routingWatch = () -> {};
    private boolean watching;

    /** A query without a session. */
    public QueryExecution(ClientContext env, Query query, Completion<QueryResult> completion) {
        this(env, query, Optional.empty(), completion);
    }

    /** A query of a session. The session's queries must run one after the other. */
    public QueryExecution(
            ClientContext env, Query query, Optional<ReadSession> session, Completion<QueryResult> completion) {
        this.env = env;
        this.state = env.state();
        this.query = query;
        this.completion = completion;
        this.startNanos = env.clock().nanos();
        this.queryHigh = env.ids().next();
        this.queryLow = WeightedRandomChooser.mix(queryHigh);
        this.picker = new ReplicaPicker(state, queryLow);
        this.tableLookup = new TableLookup(env, query.table(), query.deadlineNanos(), this::onTable, this::fail);
        this.hedgeDelay = new HedgeDelay(state, query.operator());
        this.session = session;
        this.coverage = new ChunkCoverage(env, query, session.isPresent(), this::resolve);
    }

    /** Sends the first requests. */
    public void start() {
        tableLookup.start();
    }

    /** Cancels the query; the completion gets CANCELLED unless the query has ended. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the query was cancelled");
    }

    private void onTable(TableRoute route) {
        tableFound = true;
        tableId = route.meta().tableId();
        resolve();
    }

    /** Adds the actors that the newest map has for the query, and asks for them. */
    private void resolve() {
        Optional<TableRoute> route = currentRoute();
        if (route.isEmpty() || finished) {
            return;
        }
        List<QueryTarget> added;
        try {
            coverage.onMap(route.get());
            QueryTargets more = slots.withActors(query, route.get());
            added = more.all().stream().filter(slot -> !slots.has(slot)).toList();
            slots = more;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.STALE_EPOCH && coverage.rounds() < STALE_MAPS_MAX) {
                coverage.refresh(e.reason());
                armTimer();
            } else {
                fail(e.code(), e.reason());
            }
            return;
        }
        QueryTargets.setPreferences(
                added, query, state.replicaSeed(), env.routing().current());
        session.ifPresent(states -> added.forEach(slot -> slot.pin = states.pin(tableId, slot.actor)));
        if (slots.isComplete()) {
            succeed();
        } else {
            dispatch(added, Kind.FIRST);
        }
        armTimer();
    }

    /** The table in the newest map; the query fails if it is gone. */
    private Optional<TableRoute> currentRoute() {
        Optional<TableRoute> route = env.routing()
                .current()
                .table(query.table())
                .filter(table -> table.meta().tableId() == tableId);
        if (route.isEmpty()) {
            fail(ErrorCode.TABLE_NOT_FOUND, "table " + query.table() + " was dropped while the query ran");
        }
        return route;
    }

    private void dispatch(List<QueryTarget> wanting, Kind kind) {
        if (finished || wanting.isEmpty()) {
            return;
        }
        Optional<TableRoute> route = currentRoute();
        if (route.isEmpty()) {
            return;
        }
        RouteIndex index = env.routing().current();
        long now = env.clock().nanos();
        TableMap map = route.get().map();
        Map<ServerId, List<QueryTarget>> groups = new LinkedHashMap<>();
        for (QueryTarget slot : wanting) {
            if (skipIfExpired(route.get(), slot)) {
                continue;
            }
            ActorState actor = map.get(slot.actor);
            Optional<ServerId> server = picker.pick(index, actor, query.mode(), slot, now);
            if (slot.pin.isPresent() && slot.pin.get().isLost(index)) {
                failStateGone(slot);
                return;
            }
            if (server.isPresent()) {
                groups.computeIfAbsent(server.get(), id -> new ArrayList<>()).add(slot);
            } else if (!park(slot, index, actor, now)) {
                return;
            }
        }
        groups.forEach((server, group) -> send(index, map, server, group, kind));
        if (slots.isComplete()) {
            succeed();
        }
    }

    /** Leaves out an actor whose chunk has expired while the query ran: it has no rows any more. */
    private boolean skipIfExpired(TableRoute route, QueryTarget slot) {
        if (slot.isResolved() || !QueryActors.isExpired(route, slot.actor)) {
            return false;
        }
        parked -= slot.isParked() ? 1 : 0;
        slots.resolve(slot);
        return true;
    }

    private void send(RouteIndex index, TableMap map, ServerId server, List<QueryTarget> group, Kind kind) {
        long now = env.clock().nanos();
        long remaining = query.deadlineNanos() - now;
        if (finished || remaining <= 0) {
            return; // the deadline's timer is about to fire
        }
        List<ReadRequest.Target> targets = new ArrayList<>(group.size());
        for (QueryTarget slot : group) {
            slot.triedServers.add(server);
            slot.attempts++;
            slot.inFlight++;
            ActorState actor = map.get(slot.actor);
            targets.add(slot.toRequest(actor.epoch(), state.watermarks().watermark(tableId, actor)));
            session.ifPresent(states -> states.addContacted(server, query.table(), tableId, slot.actor));
        }
        ReadCall call = new ReadCall(server, group, now, kind);
        call.hedgeAtNanos = now + hedgeDelay.hedgeDelay();
        calls.add(call);
        servers.add(server);
        countRequest(kind);
        ReadRequest request = new ReadRequest(
                query.table(),
                tableId,
                targets,
                query.operator(),
                query.parameters(),
                queryHigh,
                queryLow,
                requests,
                remaining,
                query.mode(),
                slots.sample(queryLow, requests),
                session.map(states -> states.toSessionHold(now)),
                index.colocatedActors(tableId, query.colocated(), targets, state.watermarks()));
        state.health().onRequestSent(server);
        call.cancel =
                env.network().read(index.address(server).orElseThrow(), request, outcome -> onReply(call, outcome));
    }

    private void failStateGone(QueryTarget slot) {
        fail(
                ErrorCode.VERSION_GONE,
                "actor " + slot.actor + ": the session's state is no longer kept; open another session");
    }

    private void countRequest(Kind kind) {
        requests++;
        if (kind == Kind.HEDGE) {
            hedges++;
        } else {
            state.hedges().onRequest();
            if (kind == Kind.RETRY) {
                retries++;
            }
        }
    }

    private void onReply(ReadCall call, Outcome<ReadReply> outcome) {
        if (call.ended || finished) {
            return;
        }
        endCall(call);
        long now = env.clock().nanos();
        List<ActorFailure> failures;
        if (outcome instanceof Outcome.Ok<ReadReply> ok) {
            state.health().onReply(call.server, now);
            hedgeDelay.recordLatency(now - call.sentNanos);
            coverage.onReply(ok.value().generation());
            ReplyAccumulator reader = new ReplyAccumulator(slots, parts);
            int before = parts.size();
            failures = reader.accept(call, ok.value());
            if (session.isPresent() && !recordSessionStates(call, parts.subList(before, parts.size()))) {
                return;
            }
            if (reader.acceptedBytes() > Limits.RESULT_BYTES_PER_QUERY_MAX) {
                fail(ErrorCode.TOO_LARGE, ReplyAccumulator.tooLarge(query));
                return;
            }
            if (query.colocated().endsRead(parts.subList(before, parts.size()))) {
                succeed(); // other answers do not matter any more: their requests are cancelled
                return;
            }
        } else {
            UniserveException error = outcome.error();
            failures = failedCall(call, error, now);
        }
        if (slots.isComplete()) {
            succeed();
            return;
        }
        List<QueryTarget> again = new ArrayList<>();
        for (ActorFailure failure : failures) {
            slots.find(failure.actor()).ifPresent(slot -> onActorFailed(slot, failure, again));
        }
        if (!failures.isEmpty()) {
            ActorFailure first = failures.get(0);
            attemptLog.add(call.server, call.actors(), first.code(), first.message());
        }
        if (!failIfFatal(failures)) {
            cancelUnneeded(now);
            dispatch(again, Kind.RETRY);
            armTimer();
        }
    }

    private boolean recordSessionStates(ReadCall call, List<ReadReply.Part> accepted) {
        try {
            accepted.forEach(part -> session.orElseThrow().fixStates(call.server, tableId, part));
            return true;
        } catch (UniserveException e) {
            fail(e.code(), e.reason());
            return false;
        }
    }

    private List<ActorFailure> failedCall(ReadCall call, UniserveException error, long now) {
        if (error.code() == ErrorCode.UNAVAILABLE
                || error.code() == ErrorCode.DEADLINE_EXCEEDED && now - query.deadlineNanos() < 0) {
            state.health().onFailure(call.server, now);
        } else {
            state.health().onReply(call.server, now);
        }
        return call.failures(error);
    }

    /** Notes one actor's failure; the slot is sent again unless another request for it is under way. */
    private void onActorFailed(QueryTarget slot, ActorFailure failure, List<QueryTarget> again) {
        slot.recordFailure(failure.code(), failure.message());
        slot.preferPrimary |= failure.code() == ErrorCode.BEHIND;
        if (slot.inFlight > 0 || slot.isParked()) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ActorState> actor = index.table(query.table())
                .filter(table -> table.meta().tableId() == tableId)
                .map(table -> table.map().find(slot.actor));
        boolean oldMap = failure.code() == ErrorCode.STALE_EPOCH
                && actor.isPresent()
                && failure.epoch() > actor.get().epoch();
        boolean tableUnknown = failure.code() == ErrorCode.TABLE_NOT_FOUND;
        if (tableUnknown) {
            refresh();
        }
        if (oldMap && actor.isPresent()) {
            park(slot, index, actor.get(), env.clock().nanos());
        } else {
            again.add(slot);
        }
    }

    private boolean failIfFatal(List<ActorFailure> failures) {
        for (ActorFailure failure : failures) {
            if (ReadErrorAction.of(failure.code()) == ReadErrorAction.FATAL) {
                fail(failure.code(), failure.message());
            } else if (failure.code() == ErrorCode.UNAVAILABLE) {
                slots.find(failure.actor())
                        .filter(slot -> slot.pin.isPresent() && !slot.isResolved())
                        .ifPresent(this::failStateGone);
            }
        }
        return finished;
    }

    private void endCall(ReadCall call) {
        call.ended = true;
        calls.remove(call);
        state.health().onRequestEnded(call.server);
        for (QueryTarget slot : call.slots) {
            slot.inFlight--;
        }
    }

    /** Cancels requests that are no longer needed. If a server has sent no reply while others answered, this counts as its failure. */
    private void cancelUnneeded(long now) {
        for (ReadCall call : List.copyOf(calls)) {
            if (!call.isNeeded()) {
                hedgeDelay.recordSlowLoser(call.server, call.sentNanos, now);
                endCall(call);
                call.cancel.cancel();
            }
        }
    }

    /** Parks the slot until a newer map or the end of the back-off; false if the query has failed instead. */
    private boolean park(QueryTarget slot, RouteIndex index, ActorState actor, long now) {
        if (finished) {
            return false;
        }
        if (slot.attempts > 0 && slot.noRetryJustified && !slot.triedServers.isEmpty()) {
            fail(slot.lastCode, slot.lastMessage);
            return false;
        }
        if (slot.attempts >= Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX) {
            fail(
                    ErrorCode.UNAVAILABLE,
                    "actor " + slot.actor + " was tried " + slot.attempts + " times without an answer; the last error: "
                            + slot.lastCode + " " + slot.lastMessage);
            return false;
        }
        long pause = state.settings().queryBackoffNanos(slot.rounds++, slot.attempts, query.deadlineNanos() - now);
        slot.park(actor.epoch(), index.liveIsr(actor), now + pause);
        parked++;
        refresh();
        watch();
        return true;
    }

    private void refresh() {
        if (!refreshing) {
            refreshing = true;
            env.routing().refresh(outcome -> {
                refreshing = false;
                routingChanged();
            });
        }
    }

    private void watch() {
        if (!watching) {
            watching = true;
            routingWatch = env.routing().onChange(() -> {
                watching = false;
                routingChanged();
                if (parked > 0 && !finished) {
                    watch();
                }
            });
        }
    }

    private void routingChanged() {
        if (finished || !tableFound) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<TableRoute> route = currentRoute();
        if (route.isEmpty()) {
            return;
        }
        List<QueryTarget> again = new ArrayList<>();
        for (QueryTarget slot : parked == 0 ? List.<QueryTarget>of() : slots.unresolved()) {
            if (skipIfExpired(route.get(), slot)) {
                continue;
            }
            ActorState actor = route.get().map().get(slot.actor);
            if (slot.isParked()
                    && (actor.epoch() != slot.parkedEpoch
                            || !index.liveIsr(actor).equals(slot.parkedLive))) {
                slot.resetForNewMap();
                again.add(slot);
            }
        }
        if (slots.isComplete()) {
            succeed();
        } else {
            unpark(again);
        }
    }

    private void unpark(List<QueryTarget> again) {
        parked -= again.size();
        again.forEach(QueryTarget::startRound);
        dispatch(again, Kind.RETRY);
        armTimer();
    }

    /** Sets one timer for the next event: the deadline, the end of a back-off, or a hedge. */
    private void armTimer() {
        if (finished || !tableFound) {
            return;
        }
        long due = parked > 0 ? slots.nextRetry(query.deadlineNanos()) : query.deadlineNanos();
        for (ReadCall call : calls) {
            if (call.hedgeAtNanos - due < 0) {
                due = call.hedgeAtNanos;
            }
        }
        setTimer(due);
    }

    private void setTimer(long due) {
        if (timerAtNanos != NEVER && timerAtNanos - due <= 0) {
            return; // fires too early and is then set again
        }
        timer.cancel();
        timerAtNanos = due;
        timer = env.timers().after(Math.max(1, due - env.clock().nanos()), this::onTimer);
    }

    private void onTimer() {
        timerAtNanos = NEVER;
        if (finished) {
            return;
        }
        long now = env.clock().nanos();
        if (now - query.deadlineNanos() >= 0) {
            expire(now);
            return;
        }
        if (parked > 0) {
            unpark(slots.all().stream()
                    .filter(slot -> slot.isParked() && now - slot.retryAtNanos >= 0)
                    .toList());
        }
        hedge(now);
        armTimer();
    }

    private void hedge(long now) {
        if (finished) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<TableRoute> route =
                index.table(query.table()).filter(table -> table.meta().tableId() == tableId);
        if (route.isEmpty()) { // dropped: no replica to query, so check again later
            calls.forEach(call -> call.hedgeAtNanos = Math.max(call.hedgeAtNanos, now + hedgeDelay.silenceNanos()));
            return;
        }
        TableMap map = route.get().map();
        for (ReadCall call : List.copyOf(calls)) {
            if (!call.ended && now - call.hedgeAtNanos >= 0) {
                hedge(call, index, map, now);
            }
        }
    }

    private void hedge(ReadCall call, RouteIndex index, TableMap map, long now) {
        boolean pinned = call.slots.stream().allMatch(slot -> slot.isResolved() || slot.pin.isPresent());
        // A pinned read has only one replica, which may compute for long: silence does not mean failure.
        boolean silent = !pinned && hedgeDelay.recordIfSilent(call.server, call.sentNanos, now);
        Map<ServerId, List<QueryTarget>> groups = picker.pickSpares(call, index, map, query.mode(), now, silent);
        // Slots without a spare replica or hedge budget are checked again later, when the server may count as silent.
        long silence = hedgeDelay.silenceNanos();
        call.hedgeAtNanos = now - call.sentNanos < silence ? call.sentNanos + silence : now + silence;
        if (call.hasLostPin(index)) {
            fail(
                    ErrorCode.VERSION_GONE,
                    "server " + call.server + ", which holds the session's state, has left the cluster");
            return;
        }
        for (Map.Entry<ServerId, List<QueryTarget>> group : groups.entrySet()) {
            if (silent || state.hedges().tryTake()) {
                send(index, map, group.getKey(), group.getValue(), Kind.HEDGE);
            }
        }
    }

    private void expire(long now) {
        for (ReadCall call : calls) {
            hedgeDelay.recordSlowLoser(call.server, call.sentNanos, now);
            attemptLog.add(
                    call.server,
                    call.actors(),
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no answer after " + millis(now - call.sentNanos) + " ms");
        }
        fail(
                ErrorCode.DEADLINE_EXCEEDED,
                "query on table " + query.table() + " had no answer from " + slots.describeUnresolved() + " within "
                        + millis(now - startNanos) + " ms" + slots.lastFailure() + coverage.describe());
    }

    private void succeed() {
        if (!finished && (!slots.isComplete() || coverage.isProven())) {
            cancelUnneeded(env.clock().nanos());
            release();
            completion.done(Outcome.ok(QueryResult.of(
                    parts, new QueryResult.Stats(requests, retries, hedges, servers), coverage.seenGeneration())));
        }
    }

    private void fail(ErrorCode code, String message) {
        if (!finished) {
            release();
            completion.done(Outcome.err(new UniserveException(code, message, attemptLog.list(), null)));
        }
    }

    private void release() {
        finished = true;
        tableLookup.stop();
        coverage.stop();
        timer.cancel();
        routingWatch.cancel();
        for (ReadCall call : List.copyOf(calls)) {
            endCall(call);
            call.cancel.cancel();
        }
    }

    private static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}
