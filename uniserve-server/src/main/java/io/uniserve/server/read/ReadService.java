package io.uniserve.server.read;

import io.uniserve.api.operator.Operator;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.transport.server.ReadHandler;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.read.session.PinnedActor;
import io.uniserve.server.read.session.PinnedActorProvider;
import io.uniserve.server.read.session.SessionSnapshots;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.ClientRequestLimiter;
import io.uniserve.server.read.worker.FairShareKey;
import io.uniserve.server.read.worker.QueryDeadline;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import io.uniserve.server.read.worker.UserMemoryBudget;
import io.uniserve.server.read.worker.WorkerPool;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Service that answers reads on a bounded pool of workers (see the package's description). If its queue is full, it rejects requests
 * at once with RESOURCE_EXHAUSTED, as a queue without a limit only adds delay. Thread-safe.
 */
public final class ReadService implements ReadHandler, ReadTaskContext, AutoCloseable {
    private static final int BRIEF_PARAMETER_BYTES_MAX = 4 << 10;
    /** Parameters stay in memory until a request ends. A request counts once more per this many bytes of parameters. */
    private static final int PARAMETER_BYTES_A_REQUEST = 1 << 20;

    private static final long EXPIRE_NANOS = 500_000_000;

    private final Clock clock;
    private final Timers timers;
    /** Timers for stopping operators. A port's code may block, so they have a thread that no request waits for. */
    private final CoarseTimers stopTimers;

    private final GateTable gates;
    private final PinnedActorProvider actors;
    private final Supplier<Optional<Routing>> routing;
    private final Consumer<TableName> refresh;
    private final ReadCostCounter costs;
    private final ShardSetTracker sets;
    private final OperatorTimeEstimator inlineOperators = new OperatorTimeEstimator();
    private final OutOfMemoryPolicy outOfMemoryPolicy;
    private final WorkerPool pool;
    private final ResultMemoryBudget resultMemory;
    private final UnaryOperator<String> users;
    private final UserMemoryBudget userMemory;
    private final SessionSnapshots sessionSnapshots;
    private final ReadInDoubtResolver readInDoubtResolver;
    private final ExchangeHost exchange;
    private final ExchangeInputFetcher exchangeInputFetcher;
    private final int requestsMax;
    private final long catchUpNanos;
    private final AtomicInteger requests = new AtomicInteger();
    private final ClientRequestLimiter clients;
    private final RunningQueryRegistry running;
    private final long maxNanos;
    private volatile boolean closed;

    /**
     * Starts the workers.
     *
     * @param routing the newest map that this server has, to distinguish a dropped table from a replica on another server
     * @param refresh makes the server's loop read the table's map again; called on any thread
     * @param faults handles operators that run out of memory
     * @param readInDoubtResolver resolves versions in doubt on the server's loop
     * @param exchange stores the chunks of scatters and fetches those of gathers
     * @param users returns the user of a client by the client's name; empty in mode open, where clients choose their names
     * @param userMemory bytes of results per user, with the limits of users
     * @param firstVersion first number for held states; it must differ from those of an earlier process
     */
    public ReadService(
            Clock clock,
            Timers timers,
            ServerSettings.Work settings,
            GateTable gates,
            PinnedActorProvider actors,
            ReadCostCounter costs,
            ShardSetTracker sets,
            Supplier<Optional<Routing>> routing,
            Consumer<TableName> refresh,
            OutOfMemoryPolicy faults,
            ReadInDoubtResolver readInDoubtResolver,
            ExchangeHost exchange,
            UnaryOperator<String> users,
            UserMemoryBudget userMemory,
            long firstVersion) {
        this.users = users;
        this.userMemory = userMemory;
        this.readInDoubtResolver = readInDoubtResolver;
        this.exchange = exchange;
        this.exchangeInputFetcher = new ExchangeInputFetcher(actors, exchange, routing);
        this.sessionSnapshots = new SessionSnapshots(
                Limits.SESSION_SNAPSHOTS_PER_SERVER_MAX,
                Limits.SESSION_SNAPSHOTS_PER_ACTOR_MAX,
                settings.sessionBytesMax(),
                firstVersion);
        this.outOfMemoryPolicy = faults;
        this.clock = clock;
        this.timers = timers;
        this.stopTimers = new CoarseTimers("uniserve-stops", clock);
        this.gates = gates;
        this.actors = actors;
        this.costs = costs;
        this.sets = sets;
        this.routing = routing;
        this.refresh = refresh;
        int cores = Runtime.getRuntime().availableProcessors();
        int threads = settings.readThreads() > 0 ? settings.readThreads() : Math.max(2, cores);
        this.pool = new WorkerPool("uniserve-read", threads, settings.fairReads(), clock);
        this.running = new RunningQueryRegistry(clock, firstVersion);
        this.maxNanos = settings.queryTimeMax().toNanos();
        this.resultMemory = new ResultMemoryBudget(
                Math.min(settings.resultMemoryBytes(), Runtime.getRuntime().maxMemory() / 4));
        this.requestsMax = settings.readQueue() + threads;
        this.clients = new ClientRequestLimiter(requestsMax, "reads", "server.read-queue");
        this.catchUpNanos = settings.catchUpWait().toNanos();
        pool.startCompensation(timers);
        expire();
    }

    @Override
    public ReadHandler onBehalfOf(String client) {
        return client.isEmpty() ? this : new ClientReads(client);
    }

    /** Reads of a client that sends its name. */
    private final class ClientReads implements ReadHandler {
        private final String client;

        private ClientReads(String client) {
            this.client = client;
        }

        @Override
        public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
            return ReadService.this.read(request, client, completion, null);
        }

        @Override
        public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion, Executor lent) {
            return ReadService.this.read(request, client, completion, lent);
        }

        @Override
        public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
            return ReadService.this.read(request, client, completion, null);
        }

        @Override
        public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion, Executor lent) {
            return ReadService.this.read(request, client, completion, lent);
        }
    }

    private Predicate<Runnable> firstExecutor(FairShareKey share, @Nullable Executor lent) {
        return lent == null ? work -> pool.execute(share, work) : work -> pool.runOnCallerThread(share, work, lent);
    }

    @Override
    public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
        return read(request, "", completion, null);
    }

    @Override
    public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion, Executor lent) {
        return read(request, "", completion, lent);
    }

    private Timers.Cancel read(
            ReadRequest request, String client, Completion<ReadReply> completion, @Nullable Executor lent) {
        check(request.tableId(), request.targets(), ReadRequest.Target::actor, request.remainingNanos());
        if (!request.queriedActors().isEmpty()) {
            sets.record(request.tableId(), request.queriedActors());
        }
        if (rejectIfFull(request.parameters(), client, completion)) {
            return () -> {};
        }
        FairShareKey share = new FairShareKey(request.table().toString(), client);
        ReadTask task = new ReadTask(this, request, share, completion);
        if (GatherEnvelope.isEnvelope(request.parameters())
                && exchangeInputFetcher.needsChunks(
                        request.operator(),
                        key(request.tableId(), request.targets().get(0).actor()))) {
            List<Integer> actors =
                    request.targets().stream().map(ReadRequest.Target::actor).toList();
            Timers.Cancel arriving = exchangeInputFetcher.fetch(
                    request.parameters(),
                    task.run().user(),
                    actors,
                    task.run().remainingNanos(),
                    task.run()::gathers,
                    () -> start(task, request, share, null), // the caller's thread is no longer available
                    task::failAll);
            return () -> {
                task.cancel();
                arriving.cancel();
            };
        }
        if (task.mayRunInline()) {
            task.serveInline();
            return task;
        }
        start(task, request, share, lent);
        return task;
    }

    private static ReplicaKey key(long tableId, int actor) {
        return new ReplicaKey(tableId, actor);
    }

    private void start(ReadTask task, ReadRequest request, FairShareKey share, @Nullable Executor lent) {
        task.run().list();
        // Helpers only if threads are idle: under load each request stays with one thread.
        int helpers = Math.min(request.targets().size() - 1, pool.idleThreads() - 1);
        if (!firstExecutor(share, lent).test(task::serveTargets)) {
            task.failAll(ReadTaskContext.closing());
            return;
        }
        for (int i = 0; i < helpers; i++) {
            pool.execute(share, task::serveTargets);
        }
    }

    @Override
    public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return read(request, "", completion, null);
    }

    @Override
    public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion, Executor lent) {
        return read(request, "", completion, lent);
    }

    private Timers.Cancel read(
            VersionedRead request, String client, Completion<VersionedRead.Reply> completion, @Nullable Executor lent) {
        check(request.tableId(), request.targets(), VersionedRead.Target::actor, request.remainingNanos());
        if (rejectIfFull(request.parameters(), client, completion)) {
            return () -> {};
        }
        FairShareKey share = new FairShareKey(request.table().toString(), client);
        VersionedReadTask task = new VersionedReadTask(this, request, share, completion);
        if (GatherEnvelope.isEnvelope(request.parameters())
                && exchangeInputFetcher.needsChunks(
                        request.operator(),
                        key(request.tableId(), request.targets().get(0).actor()))) {
            List<Integer> actors =
                    request.targets().stream().map(VersionedRead.Target::actor).toList();
            Timers.Cancel arriving = exchangeInputFetcher.fetch(
                    request.parameters(),
                    task.run().user(),
                    actors,
                    task.run().remainingNanos(),
                    task.run()::gathers,
                    () -> task.admit(firstExecutor(share, null)), // the caller's thread is no longer available
                    task::failAll);
            return () -> {
                task.cancel();
                arriving.cancel();
            };
        }
        task.admit(firstExecutor(share, lent));
        return task;
    }

    /** Counts a request. Returns true if the server has too many; the request is then answered with an error. */
    private <T> boolean rejectIfFull(Bytes parameters, String client, Completion<T> completion) {
        Optional<UniserveException> refusal = clients.reserve(client, weight(parameters));
        if (refusal.isPresent()) {
            completion.done(Outcome.err(refusal.get()));
            return true;
        }
        if (requests.addAndGet(weight(parameters)) <= requestsMax) {
            return false;
        }
        release(parameters, client);
        completion.done(Outcome.err(new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "this server has " + requestsMax
                        + " reads under way, its limit, or fewer with large parameters; try"
                        + " again or elsewhere")));
        return true;
    }

    private <T> void check(long tableId, List<T> targets, ToIntFunction<T> actorOf, long remainingNanos) {
        if (targets.isEmpty() || targets.size() > Limits.TIME_ACTORS_PER_TABLE_MAX) {
            throw UniserveException.invalid(
                    "a read names " + targets.size() + " actors, use 1 to " + Limits.TIME_ACTORS_PER_TABLE_MAX);
        }
        if (remainingNanos <= 0) {
            throw UniserveException.invalid("deadline in " + remainingNanos + " ns, use more than 0");
        }
        int[] actors = targets.stream().mapToInt(actorOf).sorted().toArray();
        for (int i = 1; i < actors.length; i++) {
            if (actors[i] == actors[i - 1]) {
                throw UniserveException.invalid("actor " + actors[i] + " is named twice in one read");
            }
        }
        int highest = actors[actors.length - 1];
        if (highest >= Limits.ACTORS_PER_TABLE_MAX && isOfFixedSize(tableId)) {
            throw UniserveException.invalid("actor " + highest + " of a table without time chunks, use 0 to "
                    + (Limits.ACTORS_PER_TABLE_MAX - 1));
        }
    }

    /** Only numbers of actors of TIME tables exceed the number of actors that a table may have. */
    private boolean isOfFixedSize(long tableId) {
        return routing.get().stream()
                .flatMap(map -> map.tables().stream())
                .map(TableRoute::meta)
                .anyMatch(meta -> meta.tableId() == tableId && !(meta.partitioner() instanceof Partitioner.Time));
    }

    @Override
    public ActorFailure absentFailure(TableName table, long tableId, int actor) {
        boolean known = routing.get()
                .map(map -> map.tables().stream().anyMatch(one -> one.meta().tableId() == tableId))
                .orElse(true);
        return known
                ? new ActorFailure(actor, ErrorCode.STALE_EPOCH, "this server has no replica of the actor", 0)
                : new ActorFailure(actor, ErrorCode.TABLE_NOT_FOUND, "table " + table + " does not exist any more", 0);
    }

    @Override
    public OutOfMemoryPolicy outOfMemoryPolicy() {
        return outOfMemoryPolicy;
    }

    @Override
    public ReadCostCounter costs() {
        return costs;
    }

    /** Requests in progress; one with large parameters counts as several. */
    public int activeRequests() {
        return requests.get();
    }

    /** Number of threads in operators whose deadlines have passed. Spare threads replace them. */
    public int stuckThreads() {
        return pool.stuckThreads();
    }

    /** Rejects new requests and waits for running ones, at most this long. */
    public void stop(long graceNanos) {
        closed = true;
        pool.stop(graceNanos);
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
        stopTimers.close();
        sessionSnapshots.close();
    }

    private void expire() {
        if (!closed) {
            if (sessionSnapshots.size() > 0) {
                pool.execute(() -> {
                    sessionSnapshots.expire(
                            clock.nanos()); // not on the timer's thread: closing and measuring may be slow
                    sessionSnapshots.enforceSizeLimit();
                });
            }
            Timers.Cancel unused = timers.after(EXPIRE_NANOS, this::expire);
        }
    }

    @Override
    public void release(Bytes parameters, String client) {
        clients.release(client, weight(parameters));
        requests.addAndGet(-weight(parameters));
    }

    /** Weight of a request, at most the capacity. */
    private int weight(Bytes parameters) {
        return Math.min(requestsMax, 1 + parameters.size() / PARAMETER_BYTES_A_REQUEST);
    }

    @Override
    public boolean execute(FairShareKey share, Runnable task) {
        return pool.execute(share, task);
    }

    @Override
    public RunningQueryRegistry runningQueries() {
        return running;
    }

    @Override
    public QueryDeadline deadline(long remainingNanos, String user) {
        return QueryDeadline.of(clock.nanos(), remainingNanos, maxNanos, user, userMemory.limits(user));
    }

    @Override
    public UserMemoryBudget userMemory() {
        return userMemory;
    }

    @Override
    public void refresh(TableName table) {
        refresh.accept(table);
    }

    @Override
    public ExchangeHost exchange() {
        return exchange;
    }

    @Override
    public ReadInDoubtResolver inDoubtResolver() {
        return readInDoubtResolver;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public CancellationScope newCancellationScope() {
        return new CancellationScope(stopTimers);
    }

    @Override
    public Timers timers() {
        return timers;
    }

    @Override
    public GateTable gates() {
        return gates;
    }

    @Override
    public PinnedActorProvider actors() {
        return actors;
    }

    @Override
    public boolean mayRunInline(
            String operator, Bytes parameters, ReplicaKey first, int targets, Predicate<PinnedActor> promise) {
        if (parameters.size() > BRIEF_PARAMETER_BYTES_MAX) {
            return false;
        }
        Optional<PinnedActor> pinned = actors().pin(first);
        if (pinned.isEmpty()) {
            return false;
        }
        try (PinnedActor actor = pinned.get()) {
            Optional<Operator<?, ?>> found = actor.operator(operator);
            return found.isPresent() && inlineOperators().isExpectedFast(found.get(), targets) && promise.test(actor);
        } catch (RuntimeException e) {
            return false; // a worker will get the same error and return it
        }
    }

    @Override
    public OperatorTimeEstimator inlineOperators() {
        return inlineOperators;
    }

    @Override
    public WorkerPool pool() {
        return pool;
    }

    @Override
    public String user(FairShareKey share) {
        return users.apply(share.client());
    }

    @Override
    public SessionSnapshots sessionSnapshots() {
        return sessionSnapshots;
    }

    /** Number of actor states that are held for sessions now. */
    public int sessionStates() {
        return sessionSnapshots.size();
    }

    /** Bytes of memory and disk that only these states use, as of the last measurement. */
    public long sessionBytes() {
        return sessionSnapshots.bytes();
    }

    /** Number of states that were dropped because of their size. */
    public long sessionStatesTooLarge() {
        return sessionSnapshots.tooLarge();
    }

    @Override
    public ResultMemoryBudget resultMemory() {
        return resultMemory;
    }

    @Override
    public long catchUpNanos() {
        return catchUpNanos;
    }
}
