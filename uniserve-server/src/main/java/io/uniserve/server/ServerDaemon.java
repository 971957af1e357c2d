package io.uniserve.server;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.access.RegistryValueFollower;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.server.ServerStateMachine;
import io.uniserve.protocol.server.config.FatalErrorHandler;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.runtime.config.AdvertisedHostResolver;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.metrics.DaemonHealthCheck;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.registry.access.ZooKeeperAccess;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.transport.ListenerSecurity;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.certificate.CertificateSetup;
import io.uniserve.runtime.transport.client.CertificateClient;
import io.uniserve.runtime.transport.client.LeaderLeafSource;
import io.uniserve.runtime.transport.server.DataHandlers;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.query.PlannerTransport;
import io.uniserve.server.query.PortPlanners;
import io.uniserve.server.query.QueryService;
import io.uniserve.server.read.GateTable;
import io.uniserve.server.read.OutOfMemoryPolicy;
import io.uniserve.server.read.ReadCostCounter;
import io.uniserve.server.read.ReadService;
import io.uniserve.server.read.ShardSetTracker;
import io.uniserve.server.read.worker.RunningQueryRegistry;
import io.uniserve.server.read.worker.UserMemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server daemon: the server's state machine with its threads, network, disk and engines. Threads: those of the transport, one loop
 * for the state machine, one for exchanges, and bounded pools for reads, engine calls, disk, durable storage and planning. The number
 * of threads does not depend on the number of tables or actors. Reads go from the transport to a read worker and back; all other
 * requests go through the loop. Thread-safe.
 */
public final class ServerDaemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerDaemon.class);
    private static final String IDENTITY = "/identity";
    private static final long WAIT_TOLD_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEADERLESS_TOLD_NANOS = 5_000_000_000L;
    private static final long LEFT_TOLD_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Time for cancelled work to end. After it, close leaves the threads running. */
    private static final long CANCEL_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long DRAIN_SLACK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Consumer<Throwable> onFailure;
    private final CompletableFuture<Outcome<?>> registered = new CompletableFuture<>();
    private boolean leaderSeen = true;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ServerSettings settings;
    private final ServerResources resources;
    private final RoutingBroadcaster hub = new RoutingBroadcaster();
    private final AccessControl access;
    private final GrpcServer server;
    private final Address address;
    private final ServerStateMachine machine;
    private final StateGauges states;
    private final ReadService reads;
    private final QueryService queries;
    private final InterruptionWatcher interruptions;

    private ServerDaemon(
            Settings whole,
            Map<String, LoadedPort> ports,
            UnaryOperator<Environment> around,
            Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
        this.settings = whole.server();
        this.resources = new ServerResources(whole, ports, this::onThreadFailure);
        boolean complete = false;
        try {
            ServerMetrics metrics = new ServerMetrics(resources.meters.registry(), resources.clock);
            ServerListener port = new ServerListener(metrics);
            access = openAccess(whole, metrics);
            resources.meters.access(access, whole.zookeeper().cluster());
            server = resources.closer.add(port.open(whole, resources.cluster, access, resources.tls, hub));
            address = new Address(AdvertisedHostResolver.of(settings.host(), settings.advertisedHost()), server.port());
            GateTable gates = new GateTable();
            LoopbackNetwork network = resources.openNetwork(address);
            machine = new ServerStateMachine(
                    config(whole), around.apply(resources.environment(network)), gates, new FatalErrors());
            machine.onIdentity(resources.cluster::setIdentity);
            ReadCostCounter costs = new ReadCostCounter();
            ShardSetTracker sets = new ShardSetTracker(resources.clock);
            ExchangeHost exchange = resources.openExchange(address);
            ServerHandlers handlers = new ServerHandlers(
                    resources,
                    machine,
                    hub,
                    new ReadLoadMeter(resources.clock, settings.loadHalfLife(), costs, sets, this::stuckThreads),
                    exchange);
            network.setHandler(handlers);
            OutOfMemoryPolicy faults = new OutOfMemoryPolicy(this::onThreadFailure);
            reads = resources.closer.add(new ReadService(
                    resources.clock,
                    resources.loop,
                    settings.work(),
                    gates,
                    new HostedActorProvider(resources.engine),
                    costs,
                    sets,
                    hub::latest,
                    handlers::refreshTable,
                    faults,
                    handlers::resolveInDoubt,
                    exchange,
                    access::userOf,
                    new UserMemoryBudget(access::limits),
                    resources.ids.next()));
            queries = resources.closer.add(createQueryService(handlers, faults));
            port.setHandlers(new ServerListener.Handlers(
                    handlers, new DataHandlers(reads, handlers, queries, handlers, this::listRunning)));
            metrics.gauge("uniserve.server.reads.active", "Reads under way", reads::activeRequests);
            metrics.gauge("uniserve.server.reads.stuck", "Threads stuck in operators", reads::stuckThreads);
            metrics.gauge("uniserve.server.queries.stuck", "Threads stuck in plans", queries::stuckThreads);
            metrics.gauge("uniserve.server.session.bytes", "Bytes that only these states use", reads::sessionBytes);
            metrics.gauge(
                    "uniserve.server.session.dropped", "States dropped for their size", reads::sessionStatesTooLarge);
            metrics.gauge("uniserve.server.backlog", "Tasks that wait on the loop", resources.loop::queuedTasks);
            registerGauges(metrics, exchange);
            startRenewal(whole, metrics);
            interruptions = openInterruptionWatcher(metrics);
            states = new StateGauges(metrics, machine, resources.loop);
            resources.meters.health(new DaemonHealthCheck(resources.loop, this::missingConditions));
            complete = true;
        } finally {
            if (!complete) {
                resources.closer.closeAll();
            }
        }
    }

    /** Lists the running queries; {@code cancel}, if not 0, is the number of one to cancel, and the list has only that one. */
    private QueriesHandler.Running listRunning(long cancel) {
        RunningQueryRegistry all = reads.runningQueries();
        return new QueriesHandler.Running(
                cancel == 0 ? all.list() : all.cancel(cancel).stream().toList(), stuckThreads());
    }

    private AccessControl openAccess(Settings whole, ServerMetrics metrics) {
        AuditRecorder audit = resources.closer.add(AuditRecorder.open(whole.audit(ListenerKind.SERVER), id().value()));
        metrics.gauge("uniserve.server.audit.lost", "Events that the audit log lost", audit::lostEvents);
        return AccessControl.of(whole.security(ListenerKind.SERVER), audit);
    }

    private void startRenewal(Settings whole, ServerMetrics metrics) {
        CertificateSetup.followRevocations(resources.tls, access, resources.channels::replaceAll);
        CertificateRenewer renewer = resources.closer.add(CertificateRenewer.start(
                resources.tls,
                resources.clock,
                whole.renewal().before(),
                new LeaderLeafSource(new CertificateClient(resources.channels, resources.cluster), hub::coordinator)));
        CertificateSetup.addGauges("uniserve.server", resources.tls, renewer, metrics::gauge);
    }

    private int stuckThreads() {
        return reads.stuckThreads() + queries.stuckThreads();
    }

    private InterruptionWatcher openInterruptionWatcher(ServerMetrics metrics) {
        InterruptionWatcher watcher = resources.closer.add(
                InterruptionWatcher.open(settings.interruptionNotices(), resources.loop, notice -> machine.leave()));
        metrics.gauge(
                "uniserve.server.interruption.notices", "1 once the machine is to be taken away", watcher::notices);
        metrics.gauge(
                "uniserve.server.interruption.failures", "Failed polls for a notice, in a row", watcher::failures);
        return watcher;
    }

    private void registerGauges(ServerMetrics metrics, ExchangeHost exchange) {
        metrics.gauge(
                "uniserve.server.engine.longest",
                "Seconds that the longest running engine call has run",
                () -> TimeUnit.NANOSECONDS.toSeconds(resources.engine.longestRunningNanos()));
        metrics.gauge("uniserve.server.sessions", "States held for sessions", reads::sessionStates);
        metrics.gauge("uniserve.server.watchers", "Watchers of the routing map", hub::watchers);
        metrics.gauge("uniserve.server.trash.entries", "Replicas in the trash", machine::trashEntries);
        metrics.gauge("uniserve.server.trash.bytes", "Bytes of these replicas", machine::trashBytes);
        metrics.gauge(
                "uniserve.server.exchange.runs",
                "Runs of scatters whose chunks are kept",
                () -> exchange.usage().runs());
        metrics.gauge(
                "uniserve.server.exchange.bytes",
                "Bytes of chunks in memory",
                () -> exchange.usage().memoryBytes());
        metrics.gauge(
                "uniserve.server.exchange.files",
                "Chunks in files",
                () -> exchange.usage().files());
    }

    /** Call on the loop. */
    private List<String> missingConditions() {
        List<String> missing = new ArrayList<>(resources.tls.missingConditions());
        missing.addAll(machine.missingConditions());
        return missing;
    }

    private ServerConfig config(Settings whole) {
        return ServerConfigFactory.serverConfig(
                        settings, whole.zookeeper().cluster(), resources.data, address, resources.engine.infos())
                .withTrash(ServerConfigFactory.trashConfig(whole, resources.data, resources.clock.wallMillis()))
                .withClosed(whole.security(ListenerKind.SERVER).closed());
    }

    private QueryService createQueryService(ServerHandlers handlers, OutOfMemoryPolicy faults) {
        return new QueryService(
                settings.work(),
                resources.clock,
                resources.ids,
                new PlannerTransport(id(), address, reads, handlers, resources.channels, resources.cluster),
                hub,
                handlers::refreshAll,
                new PortPlanners() {
                    @Override
                    public Answer answer(String port, QueryText query, PlanContext context) {
                        return resources.engine.call(
                                port,
                                "planning",
                                () -> resources.engine.planner(port).answer(query, context));
                    }

                    @Override
                    public Optional<String> explainQuery(String port, String text) {
                        return resources.engine.call(
                                port,
                                "explaining",
                                () -> resources.engine.planner(port).explainQuery(text));
                    }

                    @Override
                    public String buildId(String port) {
                        return resources.engine.buildId(port);
                    }
                },
                faults,
                reads::newCancellationScope,
                reads.runningQueries(),
                reads.userMemory());
    }

    /**
     * Starts a server with the ports that the configuration names, loaded from their directories. Returns when the server has
     * registered in ZooKeeper.
     *
     * @param onFailure receives, once and on any thread, the failure after which the server cannot continue; close the server
     *     then
     * @throws UniserveException INVALID_CONFIGURATION if a setting, a port or the data directory is wrong, or {@code security.mode}
     *     needs files that are missing, or others may change nodes in ZooKeeper; UNAUTHORIZED if nodes there belong to another
     *     identity; UNKNOWN_PORT if an engine is not installed; WRONG_CLUSTER if the data directory belongs to another cluster; UNAVAILABLE if ZooKeeper cannot be
     *     reached within {@code zookeeper.start-timeout}
     */
    public static ServerDaemon start(Settings settings, Consumer<Throwable> onFailure) {
        return start(settings, UnaryOperator.identity(), onFailure);
    }

    /** Starts a server with ports that are loaded already, by name. */
    public static ServerDaemon start(Settings settings, Map<String, LoadedPort> ports, Consumer<Throwable> onFailure) {
        checkSecurity(settings);
        return start(settings, ports, UnaryOperator.identity(), onFailure);
    }

    /**
     * Starts a server whose state machine runs in a modified environment (clocks, network, registry, disk, engine). For fault
     * injection.
     *
     * @param around returns the environment to use in place of the daemon's own
     */
    public static ServerDaemon start(
            Settings settings, UnaryOperator<Environment> around, Consumer<Throwable> onFailure) {
        checkSecurity(settings);
        return start(settings, ConfiguredPortLoader.load(settings.server()), around, onFailure);
    }

    /** Before the server opens a port or a directory. */
    private static void checkSecurity(Settings settings) {
        ListenerSecurity.check(settings, ListenerKind.SERVER);
        ZooKeeperAccess.checkAtStart(settings, ListenerKind.SERVER);
    }

    private static ServerDaemon start(
            Settings settings,
            Map<String, LoadedPort> ports,
            UnaryOperator<Environment> around,
            Consumer<Throwable> onFailure) {
        ServerDaemon daemon = new ServerDaemon(settings, ports, around, onFailure);
        boolean started = false;
        try {
            daemon.register(settings.zookeeper());
            started = true;
        } finally {
            if (!started) {
                daemon.close();
            }
        }
        LOG.info(
                "server {} of cluster {} is ready at {}, ports {}",
                daemon.id(),
                settings.zookeeper().cluster(),
                daemon.address,
                ports.keySet());
        daemon.interruptions.start();
        return daemon;
    }

    private void register(ZooKeeperSettings zookeeper) {
        resources.loop.execute(() -> {
            machine.onRouting(this::publish);
            states.watch();
            if (!access.isOpen()) {
                RegistryValueFollower.ofRules(resources.registry, resources.loop, access::setRules)
                        .start();
                RegistryValueFollower.ofUsers(resources.registry, resources.loop, access::setUsers)
                        .start();
            }
            resources.registry.children(IDENTITY, found -> {
                if (found instanceof Outcome.Err<?> failed && failed.error().code() == ErrorCode.UNAUTHORIZED) {
                    registered.complete(found); // the nodes have an owner, and this process has no identity
                }
            });
            machine.start(registered::complete);
        });
        long left = zookeeper.startTimeout().toNanos();
        while (!await(registered, Math.min(left, WAIT_TOLD_NANOS))) {
            left -= WAIT_TOLD_NANOS;
            if (left <= 0 || closed.get() || Thread.currentThread().isInterrupted()) {
                throw new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "this server could not register in ZooKeeper " + zookeeper.connect() + " within "
                                + zookeeper.startTimeout().toSeconds()
                                + " s: start it (uniserve zookeeper), correct zookeeper.connect and zookeeper.tls, or start a"
                                + " coordinator"
                                + " if cluster " + zookeeper.cluster() + " does not exist there yet");
            }
            LOG.warn("not registered in ZooKeeper {} yet", zookeeper.connect());
        }
    }

    /** Call on the loop. Logs a warning if the cluster has no leader for a while: its name may be misspelt. */
    private void publish(Routing routing) {
        boolean leads = routing.coordinator() != null;
        if (leaderSeen && !leads) {
            Timers.Cancel unused = resources.loop.after(LEADERLESS_TOLD_NANOS, () -> {
                if (!leaderSeen) {
                    LOG.warn(
                            "cluster {} has no leading coordinator: start one, or correct the setting cluster",
                            routing.clusterId());
                }
            });
        }
        leaderSeen = leads;
        access.setRouting(routing);
        hub.publish(routing);
    }

    /** Advertised address and port. */
    public Address address() {
        return address;
    }

    /** Server id from the data directory. */
    public ServerId id() {
        return resources.data.server();
    }

    /** Source of the routing maps that the server pushes to clients. */
    public RoutingBroadcaster routing() {
        return hub;
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return resources.meters.scrape();
    }

    private void onThreadFailure(Throwable error) {
        // During start, the caller of start gets the cause at once, without waiting for the time-out.
        UniserveException cause = error instanceof UniserveException known
                ? known
                : new UniserveException(ErrorCode.INTERNAL, "the server failed while it started: " + error, error);
        if (registered.complete(Outcome.err(cause))) {
            return;
        }
        if (!closed.get()) {
            LOG.error("server {} failed and stops", address, error);
            onFailure.accept(error);
        }
    }

    /** Call on the loop. The process keeps running and rejects each request with the reason; the log repeats it every minute. */
    private void rejectRequests(UniserveException error) {
        if (closed.get()) {
            return;
        }
        LOG.error("server {} at {} has left service: {}", id(), address, error.getMessage());
        resources.cluster.rejectAll(error);
        server.endLongCalls();
        logRejectionReason(error);
    }

    private void logRejectionReason(UniserveException error) {
        Timers.Cancel unused = resources.loop.after(LEFT_TOLD_NANOS, () -> {
            LOG.error("server {} at {} is out of service: {}", id(), address, error.getMessage());
            logRejectionReason(error);
        });
    }

    private final class FatalErrors implements FatalErrorHandler {
        @Override
        public void onFatal(UniserveException error) {
            onThreadFailure(error);
        }

        @Override
        public void onOutOfService(UniserveException error) {
            rejectRequests(error);
        }
    }

    /**
     * Stops after a drain: requests from the coordinator that this server's replicas move away, serves meanwhile, and closes when no
     * replica is left or after {@code server.drain-timeout}.
     */
    public void drainAndClose() {
        CompletableFuture<Outcome<?>> drained = new CompletableFuture<>();
        boolean asked = !closed.get() && resources.loop.tryExecute(() -> machine.drain(drained::complete));
        if (asked && !await(drained, settings.drainTimeout().toNanos() + DRAIN_SLACK_NANOS)) {
            LOG.warn("server {}: drain timed out, stopping with replicas that have not moved", id());
        }
        close();
    }

    /**
     * Stops: rejects new requests, waits up to {@code server.stop-grace} for running ones, cancels the remaining ones, deletes the server's
     * node in ZooKeeper and closes all resources. Idempotent.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long grace = settings.stopGrace().toNanos();
        server.stop(grace);
        reads.runningQueries().cancelAll(); // callers are disconnected; the requests end in the remaining time
        queries.stop(CANCEL_WAIT_NANOS);
        reads.stop(CANCEL_WAIT_NANOS);
        CompletableFuture<Outcome<?>> stopped = new CompletableFuture<>();
        boolean asked = resources.loop.tryExecute(() -> {
            machine.stop();
            stopped.complete(Outcome.ok(this));
        });
        if (asked && !await(stopped, DRAIN_SLACK_NANOS)) {
            LOG.warn("server {}: the loop did not stop in time", address);
        }
        resources.closer.closeAll();
        LOG.info("server at {} has stopped", address);
    }

    /** True if the future completes in time. */
    private static boolean await(CompletableFuture<Outcome<?>> future, long nanos) {
        try {
            Outcome<?> outcome = future.get(nanos, TimeUnit.NANOSECONDS);
            if (outcome instanceof Outcome.Err<?> failed) {
                throw failed.error();
            }
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the server's loop failed", e);
        }
    }
}
