package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.reader.ReaderEnvironment;
import io.uniserve.protocol.reader.RequestTracker;
import io.uniserve.protocol.reader.RouteIndex;
import io.uniserve.protocol.reader.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One atomic update at its client: gives it whole to a server that drives it, and to another one, under the same request id,
 * when that does not answer or cannot. Its outcome is the version that has it, a refusal for good, or, at the deadline,
 * unknown.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class AtomicUpdateMachine {
    private static final long PAUSE_NANOS = 50_000_000;
    private static final long TRY_NANOS_MAX = 5_000_000_000L;

    private final ReaderEnvironment env;
    private final VersionFloors floors;
    private final Update update;
    private final RequestTracker.Ticket ticket;
    private final Completion<Long> completion;
    private final List<ServerId> tried = new ArrayList<>();
    private Timers.Cancel deadline = () -> {};
    private int attempts;
    private long sinceVersion;
    private boolean over;

    /** @param completion hears the version, or why there is none; OUTCOME_UNKNOWN where there may be one */
    public AtomicUpdateMachine(
            ReaderEnvironment env,
            VersionFloors floors,
            Update update,
            RequestTracker.Ticket ticket,
            Completion<Long> completion) {
        this.env = env;
        this.floors = floors;
        this.update = update;
        this.ticket = ticket;
        this.completion = completion;
    }

    /** Sends the first request. */
    public void start() {
        // an id that the application chose may have been sent long before
        sinceVersion = ticket.lowWater() == 0 ? 0 : floors.of(update.tableId());
        deadline = env.timers()
                .after(
                        Math.max(1, left()),
                        () -> fail(
                                ErrorCode.OUTCOME_UNKNOWN,
                                "no outcome in time: the update may have been applied, retry with the same id"));
        attempt();
    }

    /** Gives up: CANCELLED, or OUTCOME_UNKNOWN where it may have been applied. */
    public void cancel() {
        if (attempts == 0) {
            fail(ErrorCode.CANCELLED, "the update was cancelled before it was sent");
        } else {
            fail(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the update was cancelled and may have been applied: retry with the same id to find out");
        }
    }

    /** Requests sent so far. */
    public int attempts() {
        return attempts;
    }

    private long left() {
        return update.deadlineNanos() - env.clock().nanos();
    }

    private long bytes() {
        return update.batches().stream().mapToLong(batch -> batch.rows().size()).sum();
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<Long> outcome) {
        if (!over) {
            over = true;
            deadline.cancel();
            completion.done(outcome);
        }
    }

    private void attempt() {
        if (over) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ServerId> driver = driver(index);
        if (driver.isEmpty()) {
            tried.clear();
            env.routing().refresh(refreshed -> env.timers().after(PAUSE_NANOS, this::attempt));
            return;
        }
        tried.add(driver.get());
        Address address = index.address(driver.get()).orElseThrow();
        attempts++;
        long remaining = Math.max(1, Math.min(left(), TRY_NANOS_MAX + AtomicConfig.nanosFor(bytes())));
        List<ActorRows> rows = update.batches().stream()
                .map(batch -> new ActorRows(batch.actor(), 0, batch.rows()))
                .toList();
        UpdateRequest request = new UpdateRequest(
                update.table(),
                update.tableId(),
                ticket.id(),
                sinceVersion,
                attempts,
                AckLevel.ISR,
                update.function(),
                rows,
                remaining);
        env.network().update(address, request, remaining, this::heard);
    }

    /**
     * First whoever leads the table's first actor: what all clients give to one driver is merged, and drivers need not wait
     * for each other. Then the next actors', then any live server.
     */
    private Optional<ServerId> driver(RouteIndex index) {
        List<ServerId> candidates = new ArrayList<>();
        Optional<TableRoute> route = index.table(update.table());
        route.ifPresent(table -> table.map().actors().forEach(actor -> candidates.add(actor.primary())));
        index.routing().servers().forEach(server -> candidates.add(server.id()));
        return candidates.stream()
                .filter(server ->
                        !tried.contains(server) && index.address(server).isPresent())
                .findFirst();
    }

    private void heard(Outcome<UpdateReply> outcome) {
        if (over) {
            return;
        }
        ErrorCode code;
        String message;
        if (outcome instanceof Outcome.Ok<UpdateReply> ok
                && ok.value().failures().isEmpty()) {
            long version = ok.value().acks().get(0).index();
            floors.raise(update.tableId(), version);
            end(Outcome.ok(version));
            return;
        }
        if (outcome instanceof Outcome.Ok<UpdateReply> ok) {
            ActorFailure failure = ok.value().failures().get(0);
            code = failure.code();
            message = failure.message();
        } else {
            UniserveException error = ((Outcome.Err<UpdateReply>) outcome).error();
            code = error.code();
            message = error.reason();
        }
        boolean again = code.retriable() || code == ErrorCode.DEADLINE_EXCEEDED;
        if (again) {
            env.timers().after(PAUSE_NANOS, this::attempt);
        } else {
            fail(code, message);
        }
    }
}
