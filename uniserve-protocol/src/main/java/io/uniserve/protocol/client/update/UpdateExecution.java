package io.uniserve.protocol.client.update;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.update.UpdateTarget.State;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * State machine of one eventual update. It ends when every actor has acknowledged or rejected its rows, or at the deadline.
 *
 * <p>Each actor is a slot and goes to its primary. A server has one message of this update at a time, with the rows of its actors up to
 * {@link Limits#BATCH_BYTES_MAX}. Every attempt has the same request id, so an actor that has the rows already acknowledges them without
 * applying them twice. Therefore an attempt with unknown outcome may be sent again, also to another primary. An outcome that is still
 * unknown at the deadline is reported as OUTCOME_UNKNOWN.
 *
 * <p>Not thread-safe: the caller runs {@link #start} and all callbacks one at a time. The completion is called exactly once, at the
 * earliest from inside {@link #start}. It gets a result unless the table does not exist.
 */
public final class UpdateExecution {
    private static final long NEVER = Long.MAX_VALUE;

    /** Number of failures in a row, for lack of room or by internal errors, after which the actor's rows fail. */
    private static final int FAILURES_IN_ROW_MAX = 4;

    private final ClientContext env;
    private final RequestSettings settings;
    private final Update update;
    private final RequestTracker.Ticket ticket;
    private final Completion<UpdateResult> completion;
    private final List<UpdateTarget> slots = new ArrayList<>();
    private final Map<Integer, UpdateTarget> byActor = new LinkedHashMap<>();
    private final Map<ServerId, UpdateCall> callsByServer = new LinkedHashMap<>();

    private int open;
    private int requests;
    private int retries;
    private boolean finished;
    private boolean refreshing;
    private Timers.Cancel timer = () -> {};
    private long timerAtNanos = NEVER;
    private Timers.Cancel routingWatch = () -> {};
    private boolean watching;

    public UpdateExecution(
            ClientContext env, Update update, RequestTracker.Ticket ticket, Completion<UpdateResult> completion) {
        this.env = env;
        this.settings = env.state().settings();
        this.update = update;
        this.ticket = ticket;
        this.completion = completion;
    }

    /** Sends the first requests. */
    public void start() {
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            onTableMissing();
            return;
        }
        TableMap map = route.get().map();
        for (Update.ActorBatch batch : update.batches()) {
            if (byActor.containsKey(batch.actor())) {
                finishWith(Outcome.err(UniserveException.invalid("actor " + batch.actor() + " appears twice")));
                return;
            }
            ActorState actor = map.find(batch.actor());
            if (actor == null) {
                finishWith(Outcome.err(absentActorError(route.get(), batch.actor())));
                return;
            }
            UpdateTarget slot = new UpdateTarget(batch, actor.primary());
            slots.add(slot);
            byActor.put(batch.actor(), slot);
        }
        slots.sort(Comparator.comparingInt(UpdateTarget::actor));
        open = slots.size();
        dispatch();
        armTimer();
    }

    private static UniserveException absentActorError(TableRoute route, int actor) {
        return route.meta().partitioner() instanceof Partitioner.Time time
                        && route.map().isExpired(time, actor)
                ? time.expired(time.ordinalOf(actor))
                : UniserveException.invalid("actor " + actor + " does not exist: the table has "
                        + route.map().describeNumbers());
    }

    /** Fails rows of a chunk that has expired meanwhile; true if the map lacks the actor. */
    private boolean failIfAbsent(TableRoute route, UpdateTarget slot) {
        if (route.map().has(slot.actor())) {
            return false;
        }
        UniserveException error = absentActorError(route, slot.actor());
        failActor(slot, error.code(), error.reason());
        return true;
    }

    /** Cancels the update: rows without an acknowledgement fail with CANCELLED, or with OUTCOME_UNKNOWN if they may have been applied. */
    public void cancel() {
        failOpenActors(ErrorCode.CANCELLED, "the update was cancelled");
    }

    private Optional<TableRoute> route() {
        return env.routing()
                .current()
                .table(update.table())
                .filter(table -> table.meta().tableId() == update.tableId());
    }

    // ---- sending ----

    private void dispatch() {
        if (finished) {
            return;
        }
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            onTableMissing();
            return;
        }
        RouteIndex index = env.routing().current();
        TableMap map = route.get().map();
        Map<ServerId, List<UpdateTarget>> groups = new LinkedHashMap<>();
        Map<ServerId, Integer> sizes = new LinkedHashMap<>();
        for (UpdateTarget slot : slots) {
            if (slot.state == State.READY && !failIfAbsent(route.get(), slot)) {
                ActorState actor = map.get(slot.actor());
                ServerId primary = actor.primary();
                if (!index.isLive(primary)) {
                    slot.recordFailure(primary, ErrorCode.UNAVAILABLE, "the actor's primary is not live");
                    park(slot, actor);
                } else if (!callsByServer.containsKey(primary)) {
                    int size =
                            sizes.getOrDefault(primary, 0) + slot.batch.rows().size();
                    if (size <= Limits.BATCH_BYTES_MAX || !groups.containsKey(primary)) {
                        sizes.put(primary, size);
                        groups.computeIfAbsent(primary, id -> new ArrayList<>()).add(slot);
                    }
                }
            }
        }
        groups.forEach((server, group) -> send(index, map, server, group));
    }

    private void send(RouteIndex index, TableMap map, ServerId server, List<UpdateTarget> group) {
        long now = env.clock().nanos();
        long remaining = update.deadlineNanos() - now;
        if (finished || remaining <= 0) {
            return; // the deadline's timer is about to fire
        }
        UpdateCall call = new UpdateCall(server, group, now);
        List<ActorRows> rows = new ArrayList<>(group.size());
        boolean again = false;
        int attempt = 0;
        for (UpdateTarget slot : group) {
            ActorState actor = map.get(slot.actor());
            slot.state = State.IN_FLIGHT;
            slot.call = Optional.of(call);
            slot.sentEpoch = actor.epoch();
            slot.sentServer = server;
            again |= slot.attempts > 0;
            slot.attempts++;
            attempt = Math.max(attempt, slot.attempts);
            rows.add(new ActorRows(slot.actor(), actor.epoch(), slot.batch.rows()));
        }
        requests++;
        retries += again ? 1 : 0;
        callsByServer.put(server, call);
        long timeout = Math.min(remaining, settings.updateAttemptNanos());
        UpdateRequest request = new UpdateRequest(
                update.table(),
                update.tableId(),
                ticket.id(),
                ticket.lowWater(),
                attempt,
                update.level(),
                update.function(),
                rows,
                timeout);
        env.state().health().onRequestSent(server);
        env.network().update(index.address(server).orElseThrow(), request, timeout, outcome -> onReply(call, outcome));
    }

    // ---- replies ----

    private void onReply(UpdateCall call, Outcome<UpdateReply> outcome) {
        env.state().health().onRequestEnded(call.server);
        if (finished) {
            return;
        }
        callsByServer.remove(call.server, call);
        if (outcome instanceof Outcome.Ok<UpdateReply> ok) {
            env.state().health().onReply(call.server, env.clock().nanos());
            ok.value().acks().forEach(this::onAck);
            ok.value().failures().forEach(failure -> onFailure(call, failure));
            for (UpdateTarget slot : call.slots) {
                onFailure(
                        call,
                        new ActorFailure(
                                slot.actor(), ErrorCode.OUTCOME_UNKNOWN, "the reply has no result of the actor", 0));
            }
        } else {
            UniserveException error = outcome.error();
            if (error.code() == ErrorCode.UNAVAILABLE) {
                env.state().health().onFailure(call.server, env.clock().nanos());
            }
            call.slots.forEach(
                    slot -> onFailure(call, new ActorFailure(slot.actor(), error.code(), error.reason(), 0)));
        }
        finishOrDispatch();
    }

    private void finishOrDispatch() {
        if (!finished && open == 0) {
            finish();
        } else {
            dispatch();
            if (!finished && open == 0) {
                finish();
            }
            armTimer();
        }
    }

    private void onAck(ActorAck ack) {
        UpdateTarget slot = byActor.get(ack.actor());
        if (slot != null && slot.state != State.DONE) {
            slot.acknowledge(ack);
            open--;
            if (update.level() == AckLevel.ISR) {
                route().ifPresent(route ->
                        env.state().watermarks().raise(update.tableId(), ack.actor(), ack.epoch(), ack.index()));
            }
        }
    }

    private void onFailure(UpdateCall call, ActorFailure failure) {
        UpdateTarget slot = byActor.get(failure.actor());
        if (slot == null
                || slot.state != State.IN_FLIGHT
                || slot.call.filter(call::equals).isEmpty()) {
            return; // settled, or sent again meanwhile: the failure of an old request does not count
        }
        slot.recordFailure(call.server, failure.code(), failure.message());
        UpdateErrorAction verdict = UpdateErrorAction.of(failure.code());
        slot.maybeApplied |= verdict == UpdateErrorAction.UNKNOWN;
        slot.failuresInRow = verdict == UpdateErrorAction.RETRY_FEW ? slot.failuresInRow + 1 : 0;
        if (verdict == UpdateErrorAction.REFUSED || slot.failuresInRow >= FAILURES_IN_ROW_MAX) {
            failActor(slot, failure.code(), failure.message());
        } else {
            route().ifPresentOrElse(
                            route -> {
                                if (!failIfAbsent(route, slot)) {
                                    park(slot, route.map().get(slot.actor()));
                                }
                            },
                            this::onTableMissing);
        }
    }

    private void failActor(UpdateTarget slot, ErrorCode code, String message) {
        if (slot.maybeApplied && !UpdateErrorAction.isFinal(code)) {
            slot.fail(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the rows may have been applied; retry with request id " + ticket.id()
                            + " to find out; the last answer: " + code + " " + message);
        } else {
            slot.fail(code, message);
        }
        open--;
    }

    // ---- waiting ----

    private void park(UpdateTarget slot, ActorState actor) {
        if (slot.attempts >= Limits.UPDATE_ATTEMPTS_PER_ACTOR_MAX) {
            failActor(
                    slot,
                    ErrorCode.UNAVAILABLE,
                    "sent " + slot.attempts + " times; the last answer: " + slot.lastCode + " " + slot.lastMessage);
            return;
        }
        boolean newer = actor.epoch() != slot.sentEpoch || !actor.primary().equals(slot.sentServer);
        slot.rounds++;
        slot.state = State.PARKED;
        slot.sentEpoch = actor.epoch();
        slot.sentServer = actor.primary();
        slot.retryAtNanos = env.clock().nanos()
                + (newer && slot.attempts > 0 ? 1 : settings.backoffNanos(Math.min(slot.rounds, 7)));
        refresh();
        watch();
    }

    private void refresh() {
        if (!refreshing && !finished) {
            refreshing = true;
            env.routing().refresh(outcome -> {
                refreshing = false;
                routingChanged();
            });
        }
    }

    private void watch() {
        if (!watching && !finished) {
            watching = true;
            routingWatch = env.routing().onChange(() -> {
                watching = false;
                routingChanged();
                watch();
            });
        }
    }

    /** Sends parked rows to a new primary at once, and also rows under way to a server that is no longer the primary. */
    private void routingChanged() {
        if (finished) {
            return;
        }
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            onTableMissing();
            return;
        }
        RouteIndex index = env.routing().current();
        for (UpdateTarget slot : slots) {
            if (slot.state == State.DONE || slot.state == State.PARKED && failIfAbsent(route.get(), slot)) {
                continue;
            }
            ActorState actor = route.get().map().find(slot.actor());
            if (actor == null) {
                continue; // its chunk has expired, and the request under way will have a reply
            }
            boolean moved = !actor.primary().equals(slot.sentServer);
            if (slot.state == State.PARKED
                    && index.isLive(actor.primary())
                    && (moved || actor.epoch() != slot.sentEpoch)) {
                slot.state = State.READY;
            } else if (slot.state == State.IN_FLIGHT && moved && slot.attempts < Limits.UPDATE_ATTEMPTS_PER_ACTOR_MAX) {
                slot.recordFailure(slot.sentServer, ErrorCode.NOT_PRIMARY, "no longer the primary; it sent no reply");
                slot.maybeApplied = true;
                slot.state = State.READY;
            }
        }
        finishOrDispatch();
    }

    private void armTimer() {
        if (finished) {
            return;
        }
        long due = update.deadlineNanos();
        for (UpdateTarget slot : slots) {
            if (slot.state == State.PARKED && slot.retryAtNanos - due < 0) {
                due = slot.retryAtNanos;
            }
        }
        for (UpdateCall call : callsByServer.values()) {
            if (!watching && call.sentNanos + settings.silenceNanos() - due < 0) {
                due = call.sentNanos + settings.silenceNanos();
            }
        }
        if (timerAtNanos == NEVER || due - timerAtNanos < 0) {
            timer.cancel();
            timerAtNanos = due;
            timer = env.timers().after(Math.max(1, due - env.clock().nanos()), this::onTimer);
        }
    }

    private void onTimer() {
        timerAtNanos = NEVER;
        if (finished) {
            return;
        }
        long now = env.clock().nanos();
        if (now - update.deadlineNanos() >= 0) {
            failOpenActors(ErrorCode.DEADLINE_EXCEEDED, "no acknowledgement before the deadline");
            return;
        }
        if (!callsByServer.isEmpty()) {
            watch(); // a reply takes long: the primary may be replaced meanwhile
        }
        for (UpdateTarget slot : slots) {
            if (slot.state == State.PARKED && now - slot.retryAtNanos >= 0) {
                slot.state = State.READY;
            }
        }
        finishOrDispatch();
    }

    // ---- ending ----

    private void onTableMissing() {
        if (slots.isEmpty() || slots.stream().allMatch(slot -> slot.attempts == 0)) {
            finishWith(Outcome.err(new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + update.table()
                            + " does not exist or was dropped; create it, or list the tables there are")));
        } else {
            failOpenActors(ErrorCode.TABLE_NOT_FOUND, "table " + update.table() + " was dropped meanwhile");
        }
    }

    private void failOpenActors(ErrorCode code, String reason) {
        if (finished) {
            return;
        }
        for (UpdateTarget slot : slots) {
            if (slot.state != State.DONE) {
                slot.maybeApplied |= slot.state == State.IN_FLIGHT;
                String last = slot.attemptLog.list().isEmpty()
                        ? slot.attempts == 0 ? "; " + slot.lastMessage : ""
                        : "; the last answer: " + slot.lastCode + " " + slot.lastMessage;
                failActor(slot, slot.lastCode == ErrorCode.NOT_ENOUGH_REPLICAS ? slot.lastCode : code, reason + last);
            }
        }
        finish();
    }

    private void finish() {
        List<ActorAck> acked = new ArrayList<>();
        List<UpdateResult.Failure> failed = new ArrayList<>();
        for (UpdateTarget slot : slots) {
            slot.ack.ifPresent(acked::add);
            slot.failure.ifPresent(error -> failed.add(new UpdateResult.Failure(slot.actor(), error)));
        }
        finishWith(Outcome.ok(new UpdateResult(ticket.id(), acked, failed, requests, retries)));
    }

    private void finishWith(Outcome<UpdateResult> outcome) {
        if (!finished) {
            finished = true;
            timer.cancel();
            routingWatch.cancel();
            ticket.finish();
            completion.done(outcome);
        }
    }
}
