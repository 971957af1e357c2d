package io.uniserve.client;

import io.uniserve.client.operation.Operation;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.RequestTracker.Ticket;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateResult.Failure;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.List;
import java.util.Optional;

/** Atomic update under one request id. Methods run on the operation's serial executor. */
final class AtomicUpdateOperation {
    private static final long TICKET_RETRY_NANOS = 5_000_000;

    private final ClientContext environment;
    private final RequestTracker tracker;
    private final ConsistentSnapshotClient cuts;
    private final VersionWatermarks versionWatermarks;
    private final Update update;
    private final Optional<RequestId> chosenId;
    private final Operation<UpdateOutcome> operation;
    private Optional<AtomicUpdateRequest> machine = Optional.empty();
    private boolean cancelled;

    AtomicUpdateOperation(
            ClientContext environment,
            RequestTracker tracker,
            ConsistentSnapshotClient cuts,
            VersionWatermarks floors,
            Update update,
            Optional<RequestId> chosenId,
            Operation<UpdateOutcome> operation) {
        this.environment = environment;
        this.tracker = tracker;
        this.cuts = cuts;
        this.versionWatermarks = floors;
        this.update = update;
        this.chosenId = chosenId;
        this.operation = operation;
    }

    void start() {
        if (update.batches().isEmpty()) {
            operation.end(Outcome.ok(new UpdateOutcome(List.of(), List.of(), List.of(), 0, 0)));
            return;
        }
        if (cancelled || update.deadlineNanos() - environment.clock().nanos() <= 0) {
            operation.end(Outcome.err(new UniserveException(
                    cancelled ? ErrorCode.CANCELLED : ErrorCode.DEADLINE_EXCEEDED, "the update was not sent")));
            return;
        }
        Optional<Ticket> ticket = chosenId.map(Ticket::withId).or(tracker::nextRequest);
        if (ticket.isEmpty()) {
            environment.timers().after(TICKET_RETRY_NANOS, this::start);
            return;
        }
        Ticket used = ticket.get();
        AtomicUpdateRequest started = new AtomicUpdateRequest(
                environment, cuts, versionWatermarks, update, used, outcome -> onEnd(used, outcome));
        machine = Optional.of(started);
        started.start();
    }

    void cancel() {
        cancelled = true;
        machine.ifPresent(AtomicUpdateRequest::cancel);
    }

    private void onEnd(Ticket ticket, Outcome<Long> outcome) {
        ticket.finish();
        int requests = machine.map(AtomicUpdateRequest::attempts).orElse(0);
        List<ActorAck> acked = List.of();
        List<Failure> failed = List.of();
        if (outcome instanceof Outcome.Ok<Long> version) {
            acked = update.batches().stream()
                    .map(batch -> new ActorAck(batch.actor(), 0, version.value(), false))
                    .toList();
        } else {
            UniserveException error = outcome.error();
            failed = update.batches().stream()
                    .map(batch -> new Failure(batch.actor(), error))
                    .toList();
        }
        operation.end(Outcome.ok(
                new UpdateOutcome(List.of(ticket.id()), acked, failed, requests, Math.max(0, requests - 1))));
    }
}
