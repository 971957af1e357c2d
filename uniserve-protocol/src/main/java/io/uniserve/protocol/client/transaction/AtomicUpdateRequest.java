package io.uniserve.protocol.client.transaction;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateErrorAction;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.transaction.TransactionConfig;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One atomic update at its client. It sends the whole update to one server as transaction manager. After an error or a time-out it retries
 * at another server, under the same request id. It ends with the committed version, with a final error, or at the deadline with
 * OUTCOME_UNKNOWN. Rows of a large update are staged at the primaries of their actors before each attempt, and the manager gets their
 * hashes.
 *
 * <p>Servers forget old outcomes. A retry names the newest version that was committed before the first attempt. So it fails with
 * OUTCOME_EXPIRED only if an outcome since then may be forgotten. A client without a recent version of the table first requests one. This
 * takes one extra round trip, which later updates of the table do not need.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class AtomicUpdateRequest {
    private static final long PAUSE_NANOS = 50_000_000;
    private static final int PAUSE_DOUBLINGS_MAX = 4;
    private static final long ATTEMPT_NANOS_MAX = 5_000_000_000L;
    private static final long SNAPSHOT_TIMEOUT_NANOS = 2_000_000_000L;

    private final ClientContext env;
    private final ConsistentSnapshotClient consistentCuts;
    private final VersionWatermarks watermarks;
    private final Update update;
    private final RequestTracker.Ticket ticket;
    private final Completion<Long> completion;
    private final List<ActorRows> rows;
    private final long bytes;
    private final List<ServerId> triedServers = new ArrayList<>();
    private long stagingThresholdBytes = Limits.STAGED_FROM_BYTES;
    private long stagingMessageBytes = Limits.STAGED_MESSAGE_BYTES;
    private Timers.Cancel deadline = () -> {};
    private int attempts;
    private long committedBefore;
    /** The last results leave open whether some server still processes the update. A later error of another server does not exclude it. */
    private boolean mayBeAccepted;

    private Runnable stopStaging = () -> {};
    private boolean requestPending;
    private long requestSentNanos;
    private @Nullable ErrorCode lastCode;
    private String lastMessage = "";
    /** Number of errors in a row that a quick retry is not likely to change. */
    private int consecutiveRejections;
    /** The last error is a lack of resources or replicas; and the longest time that a server took to report one. */
    private boolean resourcesExhausted;

    private long resourcesExhaustedNanos;
    private boolean completed;

    /** @param completion called with the committed version or an error; OUTCOME_UNKNOWN if the update may be committed */
    public AtomicUpdateRequest(
            ClientContext env,
            ConsistentSnapshotClient cuts,
            VersionWatermarks floors,
            Update update,
            RequestTracker.Ticket ticket,
            Completion<Long> completion) {
        this.env = env;
        this.consistentCuts = cuts;
        this.watermarks = floors;
        this.update = update;
        this.ticket = ticket;
        this.completion = completion;
        this.rows = update.batches().stream()
                .map(batch -> new ActorRows(batch.actor(), 0, batch.rows()))
                .toList();
        this.bytes = rows.stream().mapToLong(ActorRows::bytes).sum();
    }

    /**
     * Replaces the limits for staged rows. Call it before the start.
     *
     * @param from size in bytes from which an update's rows are staged
     * @param message limit in bytes of a message with rows of several actors
     */
    public AtomicUpdateRequest stagingLimits(long from, long message) {
        stagingThresholdBytes = from;
        stagingMessageBytes = message;
        return this;
    }

    /** Sends the first request. */
    public void start() {
        watermarks.registerTable(update.table(), update.tableId());
        deadline = env.timers().after(Math.max(1, remainingNanos()), this::onDeadline);
        boolean chosen = ticket.lowWater() == 0; // may have been sent long ago: today's version is of no use
        if (chosen || watermarks.isRecent(update.tableId(), env.clock().nanos())) {
            startAttempts(chosen ? 0 : watermarks.watermark(update.tableId()));
        } else {
            requestNewestVersion();
        }
    }

    private void onDeadline() {
        if (attempts == 0) {
            fail(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no server could be reached in time: the update was not sent"
                            + (lastCode == null ? "" : "; the last answer: " + lastCode + " " + lastMessage));
        } else if (lastCode != null && isCertainlyRejected() && !requestPending) {
            fail(lastCode, lastMessage);
        } else {
            fail(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "no outcome in time: the update may have been applied, retry with the same id"
                            + (lastCode == null ? "" : "; the last answer: " + lastCode + " " + lastMessage));
        }
    }

    private void startAttempts(long committedBefore) {
        this.committedBefore = committedBefore;
        attempt();
    }

    /** Requests the table's newest version from the server that gets the update next. */
    private void requestNewestVersion() {
        if (completed) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ServerId> server = nextTransactionManager(index);
        if (server.isEmpty()) {
            triedServers.clear();
            env.routing().refresh(refreshed -> env.timers().after(PAUSE_NANOS, this::requestNewestVersion));
            return;
        }
        Address address = index.address(server.get()).orElseThrow();
        long timeout = Math.max(1, Math.min(remainingNanos(), SNAPSHOT_TIMEOUT_NANOS));
        consistentCuts.requestConsistentCut(
                address, List.of(update.table()), timeout, cut -> onNewestVersion(server.get(), cut));
    }

    private void onNewestVersion(ServerId server, Outcome<ConsistentSnapshot> outcome) {
        if (completed) {
            return;
        }
        if (outcome instanceof Outcome.Ok<ConsistentSnapshot> ok) {
            ok.value().tables().stream()
                    .filter(table -> table.tableId() == update.tableId())
                    .forEach(table -> watermarks.raise(
                            table.tableId(), table.version(), env.clock().nanos()));
            startAttempts(watermarks.watermark(update.tableId()));
            return;
        }
        ErrorCode code = outcome.error().code();
        if (code.retriable() || code == ErrorCode.DEADLINE_EXCEEDED) {
            triedServers.add(server);
            env.timers().after(PAUSE_NANOS, this::requestNewestVersion);
        } else {
            startAttempts(watermarks.watermark(
                    update.tableId())); // the transaction manager reports the error, if there is one
        }
    }

    /** Cancels the update. It ends with CANCELLED, or with OUTCOME_UNKNOWN if it may have been applied. */
    public void cancel() {
        if (attempts == 0) {
            fail(ErrorCode.CANCELLED, "the update was cancelled before it was sent");
        } else {
            fail(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the update was cancelled and may have been applied: retry with the same id to find out");
        }
    }

    /** Number of requests sent so far. */
    public int attempts() {
        return attempts;
    }

    private long remainingNanos() {
        return update.deadlineNanos() - env.clock().nanos();
    }

    private void fail(ErrorCode code, String message) {
        complete(Outcome.err(new UniserveException(code, message)));
    }

    private void complete(Outcome<Long> outcome) {
        if (!completed) {
            completed = true;
            deadline.cancel();
            stopStaging.run();
            completion.done(outcome);
        }
    }

    private static boolean isResourceExhaustion(ErrorCode code) {
        return code == ErrorCode.NOT_ENOUGH_REPLICAS || code == ErrorCode.RESOURCE_EXHAUSTED;
    }

    /** True if the lack of resources is the update's outcome: no attempt can have been accepted. */
    private boolean isCertainlyRejected() {
        return resourcesExhausted && !mayBeAccepted;
    }

    private void attempt() {
        if (completed) {
            return;
        }
        if (lastCode != null && isCertainlyRejected() && remainingNanos() < resourcesExhaustedNanos) {
            fail(lastCode, lastMessage); // another attempt would not end in time, and would leave the outcome open
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ServerId> manager = nextTransactionManager(index);
        if (manager.isEmpty()) {
            triedServers.clear();
            env.routing().refresh(refreshed -> env.timers().after(PAUSE_NANOS, this::attempt));
            return;
        }
        Optional<TableRoute> route = route(index);
        if (bytes < stagingThresholdBytes || route.filter(this::fitsOneServer).isPresent()) {
            send(index, manager.get(), rows);
        } else if (route.isPresent()) {
            stage(index, route.get(), manager.get());
        } else {
            env.routing().refresh(this::routeMissing);
        }
    }

    private Optional<TableRoute> route(RouteIndex index) {
        return index.table(update.table()).filter(table -> table.meta().tableId() == update.tableId());
    }

    private void routeMissing(Outcome<RouteIndex> refreshed) {
        RouteIndex index = env.routing().current();
        Optional<ServerId> manager = nextTransactionManager(index);
        if (completed) {
            return;
        }
        if (!(refreshed instanceof Outcome.Ok<RouteIndex> ok)
                || manager.isEmpty()
                || route(ok.value()).isPresent()) {
            env.timers().after(PAUSE_NANOS, this::attempt);
        } else if (bytes <= Limits.BATCH_BYTES_MAX) {
            send(index, manager.get(), rows); // the transaction manager reports the error, if there is one
        } else {
            onAttemptFailed(ErrorCode.TABLE_NOT_FOUND, "table " + update.table() + " is no longer in the map", false);
        }
    }

    /** True if all rows have the same primary and fit in one message. */
    private boolean fitsOneServer(TableRoute route) {
        return bytes <= Limits.BATCH_BYTES_MAX
                && update.batches().stream()
                                .map(batch -> route.map().find(batch.actor()))
                                .filter(Objects::nonNull)
                                .map(ActorState::primary)
                                .distinct()
                                .count()
                        == 1;
    }

    /** Stages the rows of a large update at their primaries, then sends their hashes to the transaction manager. */
    private void stage(RouteIndex index, TableRoute route, ServerId manager) {
        requestPending = true;
        requestSentNanos = env.clock().nanos();
        RowUploader stager = new RowUploader(env, some -> request(some, attemptTimeoutNanos(), true), staged -> {
            if (staged instanceof Outcome.Ok<List<ActorRows>> ok) {
                send(index, manager, ok.value());
            } else {
                UniserveException error = staged.error();
                onAttemptFailed(error.code(), error.reason(), false);
            }
        });
        stopStaging = stager::stop;
        stager.start(index, route, rows, stagingMessageBytes, attemptTimeoutNanos());
    }

    private long attemptTimeoutNanos() {
        return Math.max(1, Math.min(remainingNanos(), ATTEMPT_NANOS_MAX + TransactionConfig.transferNanos(bytes)));
    }

    private void send(RouteIndex index, ServerId manager, List<ActorRows> given) {
        triedServers.add(manager);
        attempts++;
        requestPending = true;
        requestSentNanos = env.clock().nanos();
        Address address = index.address(manager).orElseThrow();
        env.network().update(address, request(given, attemptTimeoutNanos(), false), attemptTimeoutNanos(), outcome -> {
            if (!completed) {
                onReply(outcome);
            }
        });
    }

    private UpdateRequest request(List<ActorRows> some, long remaining, boolean stages) {
        return new UpdateRequest(
                update.table(),
                update.tableId(),
                ticket.id(),
                committedBefore,
                stages ? attempts + 1 : attempts,
                AckLevel.ISR,
                update.function(),
                some,
                remaining,
                stages);
    }

    /**
     * The next transaction manager to try. First comes the primary of the table's first actor: updates of all clients are merged there, and
     * managers need not wait for each other. Then come the primaries of the other actors, then any live server.
     */
    private Optional<ServerId> nextTransactionManager(RouteIndex index) {
        Set<ServerId> candidates = new LinkedHashSet<>();
        Optional<TableRoute> route = index.table(update.table());
        route.ifPresent(table -> table.map().actors().forEach(actor -> candidates.add(actor.primary())));
        index.routing().servers().forEach(server -> candidates.add(server.id()));
        return candidates.stream()
                .filter(server ->
                        !triedServers.contains(server) && index.address(server).isPresent())
                .findFirst();
    }

    private void onReply(Outcome<UpdateReply> outcome) {
        if (outcome instanceof Outcome.Ok<UpdateReply> ok
                && ok.value().failures().isEmpty()) {
            long version = ok.value().acks().get(0).index();
            watermarks.raise(update.tableId(), version, env.clock().nanos());
            complete(Outcome.ok(version));
            return;
        }
        if (outcome instanceof Outcome.Ok<UpdateReply> ok) {
            ActorFailure failure = ok.value().failures().get(0);
            onAttemptFailed(failure.code(), failure.message(), true);
        } else {
            UniserveException error = outcome.error();
            onAttemptFailed(error.code(), error.reason(), true);
        }
    }

    /** @param driven false if this attempt has reached no transaction manager */
    private void onAttemptFailed(ErrorCode code, String message, boolean driven) {
        requestPending = false;
        lastCode = code;
        lastMessage = message;
        UpdateErrorAction verdict = UpdateErrorAction.of(code);
        if (code == ErrorCode.TABLE_NOT_FOUND && attempts == (driven ? 1 : 0)) {
            fail(code, message);
        } else if (code == ErrorCode.TABLE_NOT_FOUND) {
            // Dropped or restored since: the outcome of an earlier attempt cannot be found out any more.
            fail(ErrorCode.OUTCOME_UNKNOWN, message + ", and an earlier attempt may have been applied before");
        } else if (UpdateErrorAction.isFinal(code) || verdict == UpdateErrorAction.REFUSED && !mayBeAccepted) {
            fail(code, message);
        } else {
            mayBeAccepted |= driven && (verdict == UpdateErrorAction.UNKNOWN || verdict == UpdateErrorAction.RETRY_FEW);
            resourcesExhausted = isResourceExhaustion(code);
            boolean lasts = !driven
                    || resourcesExhausted
                    || verdict == UpdateErrorAction.REFUSED
                    || verdict == UpdateErrorAction.RETRY_FEW;
            consecutiveRejections = lasts ? consecutiveRejections + 1 : 0;
            resourcesExhaustedNanos = resourcesExhausted
                    ? Math.max(resourcesExhaustedNanos, env.clock().nanos() - requestSentNanos)
                    : 0;
            long pause = PAUSE_NANOS << Math.min(consecutiveRejections, PAUSE_DOUBLINGS_MAX);
            if (driven) {
                env.timers().after(pause, this::attempt);
            } else { // a primary may have moved
                env.routing().refresh(refreshed -> env.timers().after(pause, this::attempt));
            }
        }
    }
}
