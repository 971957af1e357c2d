package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.routing.SessionWatermarks;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.serial.SharedRoutingCache;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.server.QueryHandler;
import io.uniserve.runtime.transport.server.RoutingSource;
import io.uniserve.server.read.AnswerRowCheck;
import io.uniserve.server.read.OutOfMemoryPolicy;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.ClientRequestLimiter;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.QueryDeadline;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import io.uniserve.server.read.worker.UserMemoryBudget;
import io.uniserve.server.read.worker.WorkerPool;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Service that plans and answers queries on a bounded pool. Beyond the size of its queue it rejects queries with RESOURCE_EXHAUSTED.
 * Thread-safe.
 */
public final class QueryService implements QueryHandler, AutoCloseable {

    private final Clock clock;
    private final IdGenerator ids;
    private final CoarseTimers timers;
    private final SharedRoutingCache routing;
    private final Timers.Cancel routingWatch;
    private final ClientState state;
    private final PlannerTransport transport;
    private final GrpcClientNetwork remote;
    private final Network peers;
    private final PortPlanners planners;
    private final OutOfMemoryPolicy outOfMemoryPolicy;
    private final WorkerPool pool;
    private final AtomicInteger queries = new AtomicInteger();
    private final int queriesMax;
    private final ClientRequestLimiter clients;
    private final RunningQueryRegistry running;
    private final UserMemoryBudget userMemory;
    private final long maxNanos;
    private final UpdateContentionTracker updateContention;
    private final Supplier<CancellationScope> newCancellationScope;

    /**
     * Starts the service.
     *
     * @param here access to actors; reads of this server's own actors do not use the network
     * @param source the routing maps that this server pushes to clients
     * @param refresh reads the routing map again and completes when it is published; called and completed on any thread
     * @param planners the planners of the ports that this server runs
     * @param outOfMemoryPolicy handles queries that run out of memory
     * @param callers returns a scope per query; it stops the query's work on a thread that no request waits for
     * @param running lists the queries
     * @param userMemory bytes of results per user, with the limits of users
     */
    public QueryService(
            ServerSettings.Work settings,
            Clock clock,
            IdGenerator ids,
            PlannerTransport here,
            RoutingSource source,
            Consumer<Completion<Routing>> refresh,
            PortPlanners planners,
            OutOfMemoryPolicy outOfMemoryPolicy,
            Supplier<CancellationScope> callers,
            RunningQueryRegistry running,
            UserMemoryBudget userMemory) {
        this.running = running;
        this.userMemory = userMemory;
        this.maxNanos = settings.queryTimeMax().toNanos();
        this.clock = clock;
        this.ids = ids;
        this.outOfMemoryPolicy = outOfMemoryPolicy;
        this.newCancellationScope = callers;
        this.updateContention = new UpdateContentionTracker(clock);
        this.planners = planners;
        this.transport = here;
        this.state = ClientState.of(RequestSettings.defaults(), RoutingPolicy.preferLocal(here.id()));
        this.remote = new GrpcClientNetwork(here.channels(), here.cluster(), Runnable::run);
        this.peers = new GrpcNetwork(here.channels(), here.cluster(), Runnable::run);
        this.timers = new CoarseTimers("uniserve-plans", clock);
        this.pool = new WorkerPool("uniserve-query", settings.queryThreads(), settings.fairReads(), clock);
        this.queriesMax = settings.queryThreads() + settings.queryQueue();
        this.clients = new ClientRequestLimiter(queriesMax, "queries", "server.query-queue");
        this.routing = new SharedRoutingCache(refresh);
        this.routingWatch = source.watch(routing::accept);
        pool.startCompensation(timers);
    }

    @Override
    public QueryHandler onBehalfOf(String client, Predicate<TableName> readable) {
        return (request, completion) -> query(request, client, readable, completion);
    }

    @Override
    public Timers.Cancel query(QueryRequest request, Completion<Answer> completion) {
        return query(request, "", table -> true, completion);
    }

    private Timers.Cancel query(
            QueryRequest request, String client, Predicate<TableName> readable, Completion<Answer> completion) {
        QueryDeadline deadline =
                QueryDeadline.of(clock.nanos(), request.remainingNanos(), maxNanos, client, userMemory.limits(client));
        Optional<UniserveException> refusal = clients.reserve(client, 1);
        if (refusal.isPresent()) {
            completion.done(Outcome.err(refusal.get()));
            return () -> {};
        }
        FairShareKey share = new FairShareKey(request.table().toString(), client);
        QueryText query = new QueryText(request.table(), request.text(), request.actors());
        ServerPlanContext context = new ServerPlanContext(
                newContext(request, client),
                query,
                readable,
                request.generation(),
                request.mode(),
                session(request),
                updateContention,
                newCancellationScope.get(),
                new QueryStats(request.explain()),
                userMemory,
                client,
                deadline.nanos());
        if (queries.incrementAndGet() > queriesMax) {
            releaseSlot(client);
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "this server's queue of queries is full; try again or elsewhere")));
            return context;
        }
        RunningQueryRegistry.Entry entry = running.add(share, RunningQueryRegistry.PLAN, deadline, context);
        if (!pool.execute(share, () -> completion.done(answer(query, context, deadline.nanos(), share, entry)))) {
            entry.close();
            releaseSlot(client);
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down")));
        }
        return () -> {
            entry.markCancelled();
            context.cancel();
        };
    }

    private void releaseSlot(String client) {
        queries.decrementAndGet();
        clients.release(client, 1);
    }

    /** Number of planner threads that still run after a deadline or cancellation some time ago. */
    public int stuckThreads() {
        return pool.stuckThreads();
    }

    private Optional<ReadSession> session(QueryRequest request) {
        return request.session().map(told -> ReadSession.of(told, request.tableId(), clock.nanos()));
    }

    /** The client's own writes are the lower bound of the plan's reads; all other state is shared by all queries. */
    private QueryContext newContext(QueryRequest request, String client) {
        return QueryContext.of(
                clock,
                ids,
                timers,
                routing,
                transport.onBehalfOf(client),
                remote.onBehalfOf(client),
                peers,
                planners,
                state.with(SessionWatermarks.of(request), request.replicaSeed()));
    }

    private Outcome<Answer> answer(
            QueryText query,
            ServerPlanContext context,
            long deadline,
            FairShareKey share,
            RunningQueryRegistry.Entry entry) {
        entry.markStarted();
        try (WorkerPool.EngineCall inside = pool.enterEngine(deadline, context.cancellationScope())) {
            context.bindThread();
            if (context.remainingNanos() <= 0) {
                throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
            }
            String port = context.table(query.table()).port();
            Answer answer = context.stats().isExplaining()
                    ? runAndExplain(port, query, share.client(), context)
                    : planAndRun(port, query, share.client(), context);
            checkSize(answer);
            return Outcome.ok(answer.withEffort(context.stats().effort()));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            return Outcome.err(entry.toClientError(outOfMemoryPolicy.onFailure("planning of the query", e)));
        } finally {
            context.end();
            entry.close();
            releaseSlot(share.client());
        }
    }

    /** Runs the query and explains its plan: by the planner's own EXPLAIN if it has one, else by the steps recorded here. */
    private Answer runAndExplain(String port, QueryText query, String client, ServerPlanContext context) {
        Optional<String> own = planners.explainQuery(port, query.text());
        if (own.isPresent()) {
            return planAndRun(port, new QueryText(query.table(), own.get(), query.actors()), client, context);
        }
        long startNanos = clock.nanos();
        Answer answer = planAndRun(port, query, client, context);
        checkSize(answer);
        return context.stats()
                .explanation(
                        ExplainFormatter.formatAnswer(answer, ExplainFormatter.formatLocalServer(context)),
                        clock.nanos() - startNanos);
    }

    /**
     * Plans and runs the query. If the states that its rounds read are lost, or a TIME table has chunks that its map lacked, it starts again,
     * until the deadline at most.
     */
    private Answer planAndRun(String port, QueryText query, String client, ServerPlanContext context) {
        int restarts = 0;
        for (int maps = 0; maps < Limits.CHUNK_MAPS_PER_QUERY_MAX; ) {
            long startNanos = clock.nanos();
            try {
                Answer answer = planners.answer(port, query, context);
                if (context.coversAllChunks()) {
                    AnswerRowCheck.check(answer, client, userMemory.limits(client));
                    return answer;
                }
                maps++;
            } catch (UniserveException e) {
                if (e.code() == ErrorCode.STALE_EPOCH && context.mayChooseAgain()) {
                    maps++;
                    context.startAnew();
                } else if (e.code() == ErrorCode.VERSION_GONE
                        && context.snapshot().mayStartAnew(restarts, clock.nanos() - startNanos)) {
                    context.onStatesLost(restarts++);
                } else {
                    throw context.snapshot().told(e, restarts);
                }
            }
        }
        throw new UniserveException(
                ErrorCode.UNAVAILABLE,
                "table " + query.table() + " got new chunks during each of " + Limits.CHUNK_MAPS_PER_QUERY_MAX
                        + " attempts of the query: run it again, or name an interval");
    }

    private static void checkSize(Answer answer) {
        if (answer.body().size() > Limits.RESULT_BYTES_PER_REPLY_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "answer has " + answer.body().size() + " bytes, at most " + Limits.RESULT_BYTES_PER_REPLY_MAX
                            + "; ask for less");
        }
    }

    /** Rejects new queries and waits for running ones, at most this long. */
    public void stop(long graceNanos) {
        pool.stop(graceNanos);
    }

    @Override
    public void close() {
        pool.close();
        routingWatch.cancel();
        timers.close();
    }
}
