package io.uniserve.client;

import io.uniserve.client.operation.Operation;
import io.uniserve.client.operation.UpdatePlan;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.RequestTracker.Ticket;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import io.uniserve.protocol.client.update.UpdateExecution;
import io.uniserve.protocol.client.update.UpdateResult;
import io.uniserve.protocol.client.update.UpdateResult.Failure;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Update in steps, one after the other. Each step has its own request id, so an actor applies its rows in order. An actor that fails
 * in one step gets no more rows. Methods run on the operation's serial executor.
 */
final class UpdateOperation {
    private static final long TICKET_RETRY_NANOS = 5_000_000;

    private final ClientContext environment;
    private final RequestTracker tracker;
    private final UpdatePlan plan;
    private final Operation<UpdateOutcome> operation;
    private final List<RequestId> ids = new ArrayList<>();
    private final Map<Integer, ActorAck> acked = new TreeMap<>();
    private final Map<Integer, Failure> failed = new TreeMap<>();
    private Optional<UpdateExecution> current = Optional.empty();
    private boolean cancelled;
    private int step;
    private int requests;
    private int retries;

    UpdateOperation(
            ClientContext environment, RequestTracker tracker, UpdatePlan plan, Operation<UpdateOutcome> operation) {
        this.environment = environment;
        this.tracker = tracker;
        this.plan = plan;
        this.operation = operation;
    }

    void runNextStep() {
        if (step == plan.steps().size()) {
            end();
            return;
        }
        List<ActorBatch> batches = plan.steps().get(step).stream()
                .filter(batch -> !failed.containsKey(batch.actor()))
                .toList();
        if (batches.isEmpty()) {
            step++;
            runNextStep();
            return;
        }
        if (cancelled || plan.deadlineNanos() - environment.clock().nanos() <= 0) {
            failRemaining(new UniserveException(
                    cancelled ? ErrorCode.CANCELLED : ErrorCode.DEADLINE_EXCEEDED,
                    "step " + (step + 1) + " of " + plan.steps().size() + " was not sent"));
            return;
        }
        Optional<Ticket> ticket = plan.chosenId().map(Ticket::withId).or(tracker::nextRequest);
        if (ticket.isEmpty()) {
            environment.timers().after(TICKET_RETRY_NANOS, this::runNextStep);
            return;
        }
        ids.add(ticket.get().id());
        Update update =
                new Update(plan.table(), plan.tableId(), plan.function(), plan.level(), batches, plan.deadlineNanos());
        UpdateExecution machine = new UpdateExecution(environment, update, ticket.get(), this::onStepEnd);
        current = Optional.of(machine);
        machine.start();
    }

    void cancel() {
        cancelled = true;
        current.ifPresent(UpdateExecution::cancel);
    }

    private void onStepEnd(Outcome<UpdateResult> outcome) {
        if (outcome instanceof Outcome.Ok<UpdateResult> ok) {
            UpdateResult result = ok.value();
            requests += result.requests();
            retries += result.retries();
            result.acked().forEach(ack -> acked.put(ack.actor(), ack));
            result.failed().forEach(this::fail);
            step++;
            runNextStep();
        } else {
            UniserveException error = outcome.error();
            if (step == 0) {
                operation.end(Outcome.err(error));
            } else {
                failRemaining(error);
            }
        }
    }

    private void fail(Failure failure) {
        acked.remove(failure.actor());
        failed.put(failure.actor(), failure);
    }

    private void failRemaining(UniserveException error) {
        for (; step < plan.steps().size(); step++) {
            for (ActorBatch batch : plan.steps().get(step)) {
                if (!failed.containsKey(batch.actor())) {
                    fail(new Failure(batch.actor(), error));
                }
            }
        }
        end();
    }

    private void end() {
        operation.end(Outcome.ok(
                new UpdateOutcome(ids, List.copyOf(acked.values()), List.copyOf(failed.values()), requests, retries)));
    }
}
