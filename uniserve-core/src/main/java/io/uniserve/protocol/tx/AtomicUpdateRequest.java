package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.RequestTracker;
import io.uniserve.protocol.reader.RouteIndex;
import io.uniserve.protocol.reader.Update;
import io.uniserve.protocol.reader.UpdateErrorAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private static final long TRY_NANOS_MAX = 5_000_000_000L;
    private static final long CUT_NANOS = 2_000_000_000L;

    private final ClientContext env;
    private final ConsistentCutClient cuts;
    private final VersionWatermarks floors;
    private final Update update;
    private final RequestTracker.Ticket ticket;
    private final Completion<Long> completion;
    private final List<ActorRows> rows;
    private final long bytes;
    private final List<ServerId> tried = new ArrayList<>();
    private long stagedFrom = Limits.STAGED_FROM_BYTES;
    private long stagedAtOnce = Limits.STAGED_MESSAGE_BYTES;
    private Timers.Cancel deadline = () -> {};
    private int attempts;
    private long sinceVersion;
    /** The last results leave open whether some server still processes the update. A later error of another server does not exclude it. */
    private boolean maybeTaken;

    private Runnable stopStaging = () -> {};
    private boolean asking;
    private long askedAt;
    private @Nullable ErrorCode lastCode;
    private String lastMessage = "";
    /** Number of errors in a row that a quick retry is not likely to change. */
    private int refusedInRow;
    /** The last error is a lack of resources or replicas; and the longest time that a server took to report one. */
    private boolean lacking;

    private long lackingNanos;
    private boolean over;

    /** @param completion called with the committed version or an error; OUTCOME_UNKNOWN if the update may be committed */
    public AtomicUpdateRequest(
            ClientContext env,
            ConsistentCutClient cuts,
            VersionWatermarks floors,
            Update update,
            RequestTracker.Ticket ticket,
            Completion<Long> completion) {
        this.env = env;
        this.cuts = cuts;
        this.floors = floors;
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
    public AtomicUpdateRequest staging(long from, long message) {
        stagedFrom = from;
        stagedAtOnce = message;
        return this;
    }

    /** Sends the first request. */
    public void start() {
        floors.uses(update.table(), update.tableId());
        deadline = env.timers().after(Math.max(1, left()), this::late);
        boolean chosen = ticket.lowWater() == 0; // may have been sent long ago: today's version is of no use
        if (chosen || floors.recent(update.tableId(), env.clock().nanos())) {
            begin(chosen ? 0 : floors.of(update.tableId()));
        } else {
            learn();
        }
    }

    private void late() {
        if (attempts == 0) {
            fail(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no server could be reached in time: the update was not sent"
                            + (lastCode == null ? "" : "; the last answer: " + lastCode + " " + lastMessage));
        } else if (lastCode != null && lacksForCertain() && !asking) {
            fail(lastCode, lastMessage);
        } else {
            fail(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "no outcome in time: the update may have been applied, retry with the same id"
                            + (lastCode == null ? "" : "; the last answer: " + lastCode + " " + lastMessage));
        }
    }

    private void begin(long committedBefore) {
        sinceVersion = committedBefore;
        attempt();
    }

    /** Requests the table's newest version from the server that gets the update next. */
    private void learn() {
        if (over) {
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ServerId> server = driver(index);
        if (server.isEmpty()) {
            tried.clear();
            env.routing().refresh(refreshed -> env.timers().after(PAUSE_NANOS, this::learn));
            return;
        }
        Address address = index.address(server.get()).orElseThrow();
        long timeout = Math.max(1, Math.min(left(), CUT_NANOS));
        cuts.cut(address, List.of(update.table()), timeout, cut -> learnt(server.get(), cut));
    }

    private void learnt(ServerId server, Outcome<ConsistentCut> outcome) {
        if (over) {
            return;
        }
        if (outcome instanceof Outcome.Ok<ConsistentCut> ok) {
            ok.value().tables().stream()
                    .filter(table -> table.tableId() == update.tableId())
                    .forEach(table -> floors.raise(
                            table.tableId(), table.version(), env.clock().nanos()));
            begin(floors.of(update.tableId()));
            return;
        }
        ErrorCode code = outcome.error().code();
        if (code.retriable() || code == ErrorCode.DEADLINE_EXCEEDED) {
            tried.add(server);
            env.timers().after(PAUSE_NANOS, this::learn);
        } else {
            begin(floors.of(update.tableId())); // the transaction manager reports the error, if there is one
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

    private long left() {
        return update.deadlineNanos() - env.clock().nanos();
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<Long> outcome) {
        if (!over) {
            over = true;
            deadline.cancel();
            stopStaging.run();
            completion.done(outcome);
        }
    }

    private static boolean lacking(ErrorCode code) {
        return code == ErrorCode.NOT_ENOUGH_REPLICAS || code == ErrorCode.RESOURCE_EXHAUSTED;
    }

    /** True if the lack of resources is the update's outcome: no attempt can have been accepted. */
    private boolean lacksForCertain() {
        return lacking && !maybeTaken;
    }

    private void attempt() {
        if (over) {
            return;
        }
        if (lastCode != null && lacksForCertain() && left() < lackingNanos) {
            fail(lastCode, lastMessage); // another attempt would not end in time, and would leave the outcome open
            return;
        }
        RouteIndex index = env.routing().current();
        Optional<ServerId> driver = driver(index);
        if (driver.isEmpty()) {
            tried.clear();
            env.routing().refresh(refreshed -> env.timers().after(PAUSE_NANOS, this::attempt));
            return;
        }
        Optional<TableRoute> route = route(index);
        if (bytes < stagedFrom || route.filter(this::onOneServer).isPresent()) {
            send(index, driver.get(), rows);
        } else if (route.isPresent()) {
            stage(index, route.get(), driver.get());
        } else {
            env.routing().refresh(this::routeMissing);
        }
    }

    private Optional<TableRoute> route(RouteIndex index) {
        return index.table(update.table()).filter(table -> table.meta().tableId() == update.tableId());
    }

    private void routeMissing(Outcome<RouteIndex> refreshed) {
        RouteIndex index = env.routing().current();
        Optional<ServerId> driver = driver(index);
        if (over) {
            return;
        }
        if (!(refreshed instanceof Outcome.Ok<RouteIndex> ok)
                || driver.isEmpty()
                || route(ok.value()).isPresent()) {
            env.timers().after(PAUSE_NANOS, this::attempt);
        } else if (bytes <= Limits.BATCH_BYTES_MAX) {
            send(index, driver.get(), rows); // the transaction manager reports the error, if there is one
        } else {
            heard(ErrorCode.TABLE_NOT_FOUND, "table " + update.table() + " is no longer in the map", false);
        }
    }

    /** True if all rows have the same primary and fit in one message. */
    private boolean onOneServer(TableRoute route) {
        List<ActorState> actors = route.map().actors();
        return bytes <= Limits.BATCH_BYTES_MAX
                && update.batches().stream()
                                .filter(batch -> batch.actor() < actors.size())
                                .map(batch -> actors.get(batch.actor()).primary())
                                .distinct()
                                .count()
                        == 1;
    }

    /** Stages the rows of a large update at their primaries, then sends their hashes to the transaction manager. */
    private void stage(RouteIndex index, TableRoute route, ServerId driver) {
        asking = true;
        askedAt = env.clock().nanos();
        RowUploader stager = new RowUploader(env, some -> request(some, patience(), true), staged -> {
            if (staged instanceof Outcome.Ok<List<ActorRows>> ok) {
                send(index, driver, ok.value());
            } else {
                UniserveException error = staged.error();
                heard(error.code(), error.reason(), false);
            }
        });
        stopStaging = stager::stop;
        stager.start(index, route, rows, stagedAtOnce, patience());
    }

    private long patience() {
        return Math.max(1, Math.min(left(), TRY_NANOS_MAX + TransactionConfig.nanosFor(bytes)));
    }

    private void send(RouteIndex index, ServerId driver, List<ActorRows> given) {
        tried.add(driver);
        attempts++;
        asking = true;
        askedAt = env.clock().nanos();
        Address address = index.address(driver).orElseThrow();
        env.network().update(address, request(given, patience(), false), patience(), outcome -> {
            if (!over) {
                heard(outcome);
            }
        });
    }

    private UpdateRequest request(List<ActorRows> some, long remaining, boolean stages) {
        return new UpdateRequest(
                update.table(),
                update.tableId(),
                ticket.id(),
                sinceVersion,
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
        if (outcome instanceof Outcome.Ok<UpdateReply> ok
                && ok.value().failures().isEmpty()) {
            long version = ok.value().acks().get(0).index();
            floors.raise(update.tableId(), version, env.clock().nanos());
            end(Outcome.ok(version));
            return;
        }
        if (outcome instanceof Outcome.Ok<UpdateReply> ok) {
            ActorFailure failure = ok.value().failures().get(0);
            heard(failure.code(), failure.message(), true);
        } else {
            UniserveException error = outcome.error();
            heard(error.code(), error.reason(), true);
        }
    }

    /** @param driven false if this attempt has reached no transaction manager */
    private void heard(ErrorCode code, String message, boolean driven) {
        asking = false;
        lastCode = code;
        lastMessage = message;
        UpdateErrorAction verdict = UpdateErrorAction.of(code);
        if (code == ErrorCode.TABLE_NOT_FOUND && attempts == (driven ? 1 : 0)) {
            fail(code, message);
        } else if (code == ErrorCode.TABLE_NOT_FOUND) {
            // Dropped or restored since: the outcome of an earlier attempt cannot be found out any more.
            fail(ErrorCode.OUTCOME_UNKNOWN, message + ", and an earlier attempt may have been applied before");
        } else if (UpdateErrorAction.settles(code) || verdict == UpdateErrorAction.REFUSED && !maybeTaken) {
            fail(code, message);
        } else {
            maybeTaken |= driven && (verdict == UpdateErrorAction.UNKNOWN || verdict == UpdateErrorAction.RETRY_FEW);
            lacking = lacking(code);
            boolean lasts = !driven
                    || lacking
                    || verdict == UpdateErrorAction.REFUSED
                    || verdict == UpdateErrorAction.RETRY_FEW;
            refusedInRow = lasts ? refusedInRow + 1 : 0;
            lackingNanos = lacking ? Math.max(lackingNanos, env.clock().nanos() - askedAt) : 0;
            long pause = PAUSE_NANOS << Math.min(refusedInRow, PAUSE_DOUBLINGS_MAX);
            if (driven) {
                env.timers().after(pause, this::attempt);
            } else { // a primary may have moved
                env.routing().refresh(refreshed -> env.timers().after(pause, this::attempt));
            }
        }
    }
}
