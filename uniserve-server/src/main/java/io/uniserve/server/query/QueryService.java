package io.uniserve.server.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Routing;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Ids;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.QueryRequest;
import io.uniserve.protocol.reader.ClientState;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.reader.ReaderEnvironment;
import io.uniserve.protocol.reader.ReaderSettings;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.protocol.reader.SessionFloors;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.QueryHandler;
import io.uniserve.runtime.transport.RoutingSource;
import io.uniserve.server.read.MemoryFaults;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Plans and answers queries on a bounded pool; more than its queue holds are refused. Safe for use by several threads. */
public final class QueryService implements QueryHandler, AutoCloseable {
    private final EventLoop loop;
    private final HubRoutingView routing;
    private final ReaderEnvironment env;
    private final LocalFirstNetwork near;
    private final PortPlanners planners;
    private final MemoryFaults memory;
    private final ThreadPoolExecutor executor;
    private final Unrest unrest;

    /**
     * Makes the service.
     *
     * @param network reads of this server's own actors may be answered in place
     * @param loop the query machines' own loop, not the server's
     * @param refresh reads the routing map again and tells when it has been published
     * @param planners the planners of the ports that this server runs
     * @param memory judges queries that run out of memory
     */
    public QueryService(
            ServerSettings.Work settings,
            Clock clock,
            Ids ids,
            EventLoop loop,
            LocalReads network,
            RoutingSource source,
            Consumer<Completion<Routing>> refresh,
            PortPlanners planners,
            MemoryFaults memory) {
        this.memory = memory;
        this.unrest = new Unrest(clock);
        this.loop = loop;
        this.planners = planners;
        this.routing = new HubRoutingView(loop, source, refresh);
        ClientState state = ClientState.of(ReaderSettings.defaults(), RoutingPolicy.near(network.id()));
        this.near = network.on(loop);
        this.env = new ReaderEnvironment(clock, loop, near, routing, ids, state);
        AtomicInteger number = new AtomicInteger();
        this.executor = new ThreadPoolExecutor(
                settings.queryThreads(),
                settings.queryThreads(),
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(settings.queryQueue()),
                task -> {
                    Thread thread = new Thread(task, "uniserve-query-" + number.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public Timers.Cancel query(QueryRequest request, Completion<Answer> completion) {
        long deadline = env.clock().nanos() + request.remainingNanos();
        QueryText query = new QueryText(request.table(), request.text(), request.actors());
        ServerPlanContext context = new ServerPlanContext(
                environment(request), near, loop, query, request.mode(), session(request), unrest, deadline);
        try {
            executor.execute(() -> completion.done(answer(query, context)));
        } catch (RejectedExecutionException e) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this server plans as many queries as it takes; try again or elsewhere",
                    e)));
        }
        return context;
    }

    private Optional<ReadSession> session(QueryRequest request) {
        return request.session()
                .map(told -> ReadSession.of(told, request.tableId(), env.clock().nanos()));
    }

    /** The client's writes are the floor of the plan's reads; all else is shared by all queries. */
    private ReaderEnvironment environment(QueryRequest request) {
        ClientState state = env.state().with(SessionFloors.of(request));
        return new ReaderEnvironment(env.clock(), env.timers(), env.network(), env.routing(), env.ids(), state);
    }

    private Outcome<Answer> answer(QueryText query, ServerPlanContext context) {
        try {
            if (context.remainingNanos() <= 0) {
                throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
            }
            String port = context.table(query.table()).port();
            Answer answer = planned(port, query, context);
            checkSize(answer);
            return Outcome.ok(answer.with(context.effort()));
        } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
            return Outcome.err(memory.ofAny("planning of the query", e));
        } finally {
            context.forgetStates();
        }
    }

    /** Plans the query; again from the start where the states that its rounds saw were lost, but not for ever. */
    private Answer planned(String port, QueryText query, ServerPlanContext context) {
        for (int restarts = 0; ; restarts++) {
            try {
                return planners.answer(port, query, context);
            } catch (UniserveException e) {
                boolean again = e.code() == ErrorCode.VERSION_GONE
                        && restarts < Limits.SESSION_RESTARTS_MAX
                        && context.mayStartAnew();
                if (!again) {
                    throw e;
                }
                context.lostStates();
            }
        }
    }

    private static void checkSize(Answer answer) {
        if (answer.body().size() > Limits.RESULT_BYTES_PER_REPLY_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "answer has " + answer.body().size() + " bytes, at most " + Limits.RESULT_BYTES_PER_REPLY_MAX
                            + "; ask for less");
        }
    }

    /** Takes no more queries and waits so long for those under way. */
    public void stop(long graceNanos) {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(graceNanos, TimeUnit.NANOSECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
        routing.close();
    }
}
