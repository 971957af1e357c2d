package io.uniserve.protocol.client.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.AttemptLog;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.HedgeDelay;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.RoutingPolicy.Candidate;
import io.uniserve.protocol.client.routing.WeightedRandomChooser;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * State machine of one query in the engine's language. Any server with the port can plan, distribute and merge it. Another server is tried
 * after an error. If the first one is slower than the 95th percentile or silent, a second one is queried too, and the first answer counts.
 *
 * <p>Not thread-safe: the caller runs {@link #start}, {@link #cancel} and all callbacks one at a time. The completion is called exactly
 * once, at the earliest from inside {@link #start}.
 */
public final class PlannedQueryExecution {
    /**
     * Number of servers that must report that the table does not exist. A planning server reads ZooKeeper before it does. A second one is
     * tried because the table may have been dropped and created again.
     */
    private static final int ABSENCES_MAX = 2;

    private final ClientContext env;
    private final ClientState state;
    private final PlannedQueryNetwork network;
    private final QueryText query;
    private final long deadlineNanos;
    private final Completion<PlannedQueryResult> completion;
    private final HedgeDelay hedgeDelay;
    private final Optional<ReadSession> session;
    private ReadMode mode = ReadMode.LINEARIZABLE;
    private boolean explain;
    private Optional<Function<TableRoute, List<Integer>>> choice = Optional.empty();
    private final AttemptLog attemptLog = new AttemptLog();
    private final List<TextCall> calls = new ArrayList<>();
    private final List<ServerId> triedServers = new ArrayList<>();
    private final TreeSet<ServerId> servers = new TreeSet<>();

    private long random;
    private int requests;
    private int retries;
    private int hedges;
    private int rounds;
    private int absences;
    private boolean noRetryJustified = true;
    private Optional<UniserveException> lastError = Optional.empty();
    private boolean finished;
    private boolean refreshed;
    private Timers.Cancel retry = () -> {};
    private Timers.Cancel deadline = () -> {};

    public PlannedQueryExecution(
            ClientContext env,
            PlannedQueryNetwork network,
            QueryText query,
            long deadlineNanos,
            Completion<PlannedQueryResult> completion) {
        this(env, network, query, Optional.empty(), deadlineNanos, completion);
    }

    /** A query of a session that has a state of every actor of the query. */
    public PlannedQueryExecution(
            ClientContext env,
            PlannedQueryNetwork network,
            QueryText query,
            Optional<ReadSession> session,
            long deadlineNanos,
            Completion<PlannedQueryResult> completion) {
        this.env = env;
        this.state = env.state();
        this.network = network;
        this.query = query;
        this.deadlineNanos = deadlineNanos;
        this.completion = completion;
        this.hedgeDelay = new HedgeDelay(state, "text " + query.table());
        this.session = session;
        this.random = env.ids().next();
    }

    /** Sets the freshness of the answer; the default is LINEARIZABLE. Call it before the start. */
    public PlannedQueryExecution mode(ReadMode readMode) {
        mode = readMode;
        return this;
    }

    /** Requests the executed plan as the answer; the default is false. Call it before the start. */
    public PlannedQueryExecution explain(boolean explained) {
        explain = explained;
        return this;
    }

    /**
     * Sets the choice of the actors, which replaces those of the query. Each request has the choice by the newest map. Call it before the
     * start.
     */
    public PlannedQueryExecution choice(Optional<Function<TableRoute, List<Integer>>> function) {
        choice = function;
        return this;
    }

    /** Sends the first request. */
    public void start() {
        deadline = env.timers().after(Math.max(1, deadlineNanos - env.clock().nanos()), this::expire);
        sendNext(false);
    }

    /** Cancels the query; the completion gets CANCELLED unless the query has ended. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the query was cancelled");
    }

    private void sendNext(boolean again) {
        if (finished) {
            return;
        }
        Optional<TableRoute> route = env.routing().current().table(query.table());
        if (route.isEmpty()) {
            findTable();
            return;
        }
        Optional<ServerId> server = pick(route.get(), false);
        if (server.isPresent()) {
            retries += again ? 1 : 0;
            send(server.get());
        } else if (!triedServers.isEmpty() && noRetryJustified && lastError.isPresent()) {
            fail(lastError.get().code(), lastError.get().reason());
        } else if (requests >= Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX) {
            fail(ErrorCode.UNAVAILABLE, requests + " attempts failed" + lastFailure());
        } else {
            backOff();
        }
    }

    private void findTable() {
        if (refreshed) {
            fail(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + query.table() + " does not exist; create it, or list the tables there are");
            return;
        }
        env.routing().refresh(outcome -> {
            refreshed = outcome instanceof Outcome.Ok<RouteIndex>;
            if (outcome instanceof Outcome.Err<RouteIndex> err
                    && !err.error().code().retriable()) {
                fail(err.error().code(), err.error().reason());
            } else if (refreshed) {
                sendNext(false);
            } else {
                backOff();
            }
        });
    }

    /** Starts a new round over all servers after a wait. */
    private void backOff() {
        long remaining = deadlineNanos - env.clock().nanos();
        long wait = state.settings().queryBackoffNanos(rounds++, requests, remaining);
        triedServers.clear();
        noRetryJustified = true;
        env.routing().refresh(outcome -> {});
        retry = env.timers().after(Math.max(1, wait), () -> sendNext(requests > 0));
    }

    private Optional<ServerId> pick(TableRoute route, boolean healthyOnly) {
        long now = env.clock().nanos();
        List<Candidate> healthy = new ArrayList<>();
        List<Candidate> avoided = new ArrayList<>();
        for (ServerId server : env.routing().current().serversWith(route.meta().port())) {
            if (!triedServers.contains(server)) {
                double share = state.health().loadShare(server, now);
                int outstanding = state.health().outstanding(server);
                (share > 0 ? healthy : avoided).add(new Candidate(server, share > 0 ? share : 1, outstanding));
            }
        }
        List<Candidate> candidates = healthy.isEmpty() && !healthyOnly ? avoided : healthy;
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        random = WeightedRandomChooser.mix(random);
        return Optional.of(
                candidates.get(state.policy().pick(candidates, random)).server());
    }

    private void send(ServerId server) {
        long now = env.clock().nanos();
        long remaining = deadlineNanos - now;
        if (remaining <= 0) {
            return; // the deadline's timer is about to fire
        }
        triedServers.add(server);
        servers.add(server);
        requests++;
        TextCall call = new TextCall(server, now);
        calls.add(call);
        state.health().onRequestSent(server);
        Optional<TableRoute> route = env.routing().current().table(query.table());
        long tableId = route.map(found -> found.meta().tableId()).orElse(0L);
        boolean chosen = choice.isPresent() && route.isPresent();
        QueryRequest request = new QueryRequest(
                query.table(),
                query.text(),
                chosen ? choice.get().apply(route.get()) : query.actors(),
                session.map(states -> states.toRequest(tableId, now)),
                remaining,
                tableId,
                state.watermarks().toRequest(tableId),
                mode,
                explain,
                state.replicaSeed(),
                chosen ? route.get().map().generation() : 0);
        call.cancel = network.query(
                env.routing().current().address(server).orElseThrow(),
                request,
                remaining,
                outcome -> onReply(call, outcome));
        call.watch = env.timers().after(hedgeDelay.planHedgeDelay(remaining), () -> onSlowCall(call, false));
    }

    private void onReply(TextCall call, Outcome<Answer> outcome) {
        if (call.ended || finished) {
            return;
        }
        endCall(call);
        long now = env.clock().nanos();
        if (outcome instanceof Outcome.Ok<Answer> ok) {
            state.health().onReply(call.server, now);
            hedgeDelay.recordLatency(now - call.sentNanos);
            succeed(ok.value(), now);
            return;
        }
        UniserveException error = outcome.error();
        boolean unreachable =
                error.code() == ErrorCode.UNAVAILABLE && error.tried().isEmpty();
        if (unreachable) {
            state.health().onFailure(call.server, now);
        } else {
            state.health().onReply(call.server, now);
        }
        boolean passedOn = error.tried().stream()
                .anyMatch(
                        below -> below.code() == error.code() && below.message().equals(error.reason()));
        if (!passedOn) {
            attemptLog.add(call.server, "query", error.code(), error.reason());
        }
        error.tried().forEach(attemptLog::add);
        lastError = Optional.of(error);
        ReadErrorAction readErrorAction = ReadErrorAction.of(error.code());
        noRetryJustified &= readErrorAction == ReadErrorAction.ONCE_EACH;
        absences += error.code() == ErrorCode.TABLE_NOT_FOUND ? 1 : 0;
        boolean cursorGone = error.code() == ErrorCode.CURSOR_GONE; // the plan has tried every replica
        if (readErrorAction == ReadErrorAction.FATAL || cursorGone || absences >= ABSENCES_MAX) {
            fail(error.code(), error.reason());
        } else if (calls.isEmpty() && error.code() == ErrorCode.STALE_EPOCH) {
            backOff(); // the choice of actors needs a newer map
        } else if (calls.isEmpty()) {
            sendNext(true);
        }
    }

    private void onSlowCall(TextCall call, boolean silenceDue) {
        if (call.ended || finished) {
            return;
        }
        long now = env.clock().nanos();
        boolean silent = silenceDue && !state.health().hasRepliedSince(call.server, call.sentNanos);
        if (silent) {
            state.health().onFailure(call.server, now);
        }
        Optional<ServerId> spare = calls.size() > 1
                ? Optional.empty()
                : env.routing().current().table(query.table()).flatMap(route -> pick(route, true));
        if (spare.isPresent() && (silent || state.hedges().tryTake())) {
            hedges++;
            send(spare.get());
        } else if (!silenceDue) {
            call.watch = env.timers()
                    .after(
                            Math.max(1, hedgeDelay.silenceNanos() - (now - call.sentNanos)),
                            () -> onSlowCall(call, true));
        }
    }

    private void expire() {
        long now = env.clock().nanos();
        for (TextCall call : calls) {
            hedgeDelay.recordSlowLoser(call.server, call.sentNanos, now);
            attemptLog.add(
                    call.server,
                    "query",
                    ErrorCode.DEADLINE_EXCEEDED,
                    "no answer after " + (now - call.sentNanos) / 1_000_000 + " ms");
        }
        fail(
                ErrorCode.DEADLINE_EXCEEDED,
                "query on table " + query.table() + " had no answer before its deadline" + lastFailure());
    }

    private String lastFailure() {
        return lastError
                .map(error -> "; the last failure: " + error.code() + " " + error.reason())
                .orElse("");
    }

    private void succeed(Answer answer, long now) {
        for (TextCall call : calls) {
            hedgeDelay.recordSlowLoser(call.server, call.sentNanos, now);
        }
        creditHedgeBudget();
        release();
        completion.done(
                Outcome.ok(new PlannedQueryResult(answer, new QueryResult.Stats(requests, retries, hedges, servers))));
    }

    private void creditHedgeBudget() {
        for (int i = hedges; i < requests; i++) {
            state.hedges().onRequest();
        }
    }

    private void fail(ErrorCode code, String message) {
        if (!finished) {
            release();
            completion.done(Outcome.err(new UniserveException(code, message, attemptLog.list(), null)));
        }
    }

    private void endCall(TextCall call) {
        call.ended = true;
        call.watch.cancel();
        calls.remove(call);
        state.health().onRequestEnded(call.server);
    }

    private void release() {
        finished = true;
        retry.cancel();
        deadline.cancel();
        for (TextCall call : List.copyOf(calls)) {
            endCall(call);
            call.cancel.cancel();
        }
    }

    private static final class TextCall {
        private final ServerId server;
        private final long sentNanos;
        private Timers.Cancel cancel = () -> {};
        private Timers.Cancel watch = () -> {};
        private boolean ended;

        private TextCall(ServerId server, long sentNanos) {
            this.server = server;
            this.sentNanos = sentNanos;
        }
    }
}
