package io.uniserve.client;

import io.uniserve.client.operation.InFlightLimiter;
import io.uniserve.client.operation.Operation;
import io.uniserve.client.operation.RequestIdGenerator;
import io.uniserve.client.operation.SerialNetwork;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.serial.SerialTimers;
import io.uniserve.runtime.serial.SharedRoutingCache;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.AdminClient;
import io.uniserve.runtime.transport.client.CertificateClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.LeaderLeafSource;
import io.uniserve.runtime.transport.client.RoutingClient;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared state of one client's operations: connections, routing map, timers, health of servers, limits. It has at most
 * five threads of its own (routing, timers of operations and of calls, TLS files, renewal or login) beside the transport's, for any number of
 * operations. Thread-safe.
 */
final class ClientCore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientCore.class);
    private static final int ADMIN_IN_FLIGHT_MAX = 256;

    private final ClientOptions options;
    private final Clock clock = SystemClock.INSTANCE;
    private final IdGenerator ids;
    private final RequestTracker requests;
    private final ClientState state;
    private final VersionWatermarks versionWatermarks = new VersionWatermarks();
    private final SharedRoutingCache routing = new SharedRoutingCache(this::refresh);
    private final InFlightLimiter inFlight;
    private final InFlightLimiter adminInFlight = new InFlightLimiter(ADMIN_IN_FLIGHT_MAX, 1);
    private final Set<Operation<?>> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final GrpcClientNetwork network;
    private final AdminClient admin;
    private final EventLoop loop;
    private final CoarseTimers timers;
    private final RoutingClient routingClient;
    /** Present once the client is connected, if it renews its certificate. */
    private Optional<CertificateRenewer> renewer = Optional.empty();

    /** Starts the threads; opens no connection yet. */
    public ClientCore(ClientOptions options) {
        this.options = options;
        IdGenerator random = new RandomIdGenerator();
        this.ids = new RequestIdGenerator(random.next());
        this.requests = new RequestTracker(random);
        this.state = ClientState.of(options.requestSettings(), options.routingPolicy(), random.next());
        this.inFlight = new InFlightLimiter(options.maxInFlight(), options.maxInFlightBytes());
        this.cluster = options.clusterId().map(ClusterIdentity::of).orElseGet(ClusterIdentity::unknown);
        this.channels = new ChannelPool(clock, options.tls(), cluster, options.user());
        this.network = new GrpcClientNetwork(channels, cluster, Runnable::run)
                .onBehalfOf(ProcessHandle.current().pid() + "-" + Long.toHexString(random.next()));
        this.admin = new AdminClient(channels, cluster, Runnable::run);
        this.loop = new EventLoop(
                "uniserve-client-routing", clock, error -> LOG.error("the client's routing stopped", error));
        this.timers = new CoarseTimers("uniserve-client-timers", clock);
        this.routingClient = new RoutingClient(
                new LinkedHashSet<>(options.bootstrap()), channels, cluster, loop, clock, ids, this::onRouting);
    }

    private void refresh(Completion<Routing> completion) {
        routingClient.refresh(completion);
    }

    private void onRouting(Routing changed) {
        routing.accept(changed);
        RouteIndex index = routing.current();
        state.watermarks().retainTables(index);
        Set<Address> wanted = new LinkedHashSet<>(options.bootstrap());
        changed.servers().stream().map(ServerRecord::address).forEach(wanted::add);
        if (changed.coordinator() != null) {
            wanted.add(changed.coordinator());
        }
        channels.retain(wanted);
    }

    /** Waits for the first routing map. */
    public void connect() {
        new ClientBootstrap(routing, routingClient, options, clock).await();
        renewer = options.renewBefore()
                .map(before -> CertificateRenewer.start(
                        channels.tls(), clock, before, new LeaderLeafSource(certificates(), this::leader)));
    }

    private Optional<Address> leader() {
        return Optional.ofNullable(routing.current().routing().coordinator());
    }

    /** Newest routing map. */
    public RouteIndex index() {
        return routing.current();
    }

    /** Settings of the client. */
    public ClientOptions options() {
        return options;
    }

    Clock clock() {
        return clock;
    }

    /** Random number. */
    long nextId() {
        return ids.next();
    }

    RequestTracker requests() {
        return requests;
    }

    /** Newest version of each atomic table that this client has seen. */
    VersionWatermarks versionWatermarks() {
        return versionWatermarks;
    }

    GrpcClientNetwork network() {
        return network;
    }

    /** Client for snapshots of several tables; results arrive on this serial executor. */
    ConsistentSnapshotClient snapshotClient(Executor serial) {
        return (to, tables, timeout, completion) -> network.requestConsistentCut(
                to, tables, timeout, outcome -> serial.execute(() -> completion.done(outcome)));
    }

    CertificateClient certificates() {
        return new CertificateClient(channels, cluster);
    }

    AdminClient admin() {
        return admin;
    }

    /** End of an operation with this deadline, in nanoseconds of the clock. */
    public long deadlineNanos(Duration deadline) {
        return clock.nanos() + deadline.toNanos();
    }

    /**
     * Starts an operation. {@code starter} creates and starts the state machine in the given environment; it must complete the
     * operation eventually.
     *
     * @param bytes size of the rows that the operation keeps in memory
     * @param block true to wait at the limit; false to fail at once with RESOURCE_EXHAUSTED
     */
    <T> Operation<T> begin(
            long bytes, boolean block, long deadlineNanos, BiConsumer<Operation<T>, ClientContext> starter) {
        if (block) {
            ClientFuture.checkMayBlock();
        }
        checkOpen();
        return launch(inFlight.reserve(bytes, block, deadlineNanos - clock.nanos()), starter);
    }

    /** Starts an administrative operation. These have a limit of their own, so that they work while queries are at their limit. */
    <T> Operation<T> beginAdmin(BiConsumer<Operation<T>, ClientContext> starter) {
        checkOpen();
        return launch(adminInFlight.reserve(0, false, 0), starter);
    }

    private <T> Operation<T> launch(Runnable leave, BiConsumer<Operation<T>, ClientContext> starter) {
        Registration registration = new Registration(leave);
        Operation<T> operation = new Operation<>(registration::end);
        registration.add(operation);
        ClientContext environment = new ClientContext(
                clock,
                new SerialTimers(timers, operation.serial()),
                new SerialNetwork(network, operation.serial()),
                routing.viewFor(operation.serial()),
                ids,
                state);
        starter.accept(operation, environment);
        if (closed.get()) {
            operation.cancelMachine(); // closed meanwhile: close() may have missed it
        }
        return operation;
    }

    void checkOpen() {
        if (closed.get()) {
            throw new UniserveException(ErrorCode.CANCELLED, "this client is closed; build another one");
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            running.forEach(Operation::cancelMachine);
            renewer.ifPresent(CertificateRenewer::close);
            routingClient.close();
            channels.close();
            timers.close();
            loop.close();
        }
    }

    /** Registration of a running operation. */
    private final class Registration {
        private final Runnable releaseSlot;
        private volatile Runnable remove = () -> {};

        private Registration(Runnable leave) {
            this.releaseSlot = leave;
        }

        private void add(Operation<?> operation) {
            running.add(operation);
            remove = () -> running.remove(operation);
        }

        private void end() {
            remove.run();
            releaseSlot.run();
        }
    }
}
