package io.uniserve.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.placement.InitialPlacementPolicy;
import io.uniserve.protocol.access.RegistryValueFollower;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.config.CoordinatorSettings;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.RenewalSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.metrics.DaemonHealthCheck;
import io.uniserve.runtime.metrics.MetricsServer;
import io.uniserve.runtime.process.ResourceCloser;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import io.uniserve.runtime.registry.access.ZooKeeperAccess;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.CertificateRenewer.LeafSource;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.ListenerSecurity;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.certificate.CertificateSetup;
import io.uniserve.runtime.transport.certificate.CertificateSigner;
import io.uniserve.runtime.transport.certificate.ProcessCertificates;
import io.uniserve.runtime.transport.client.CertificateClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.client.LeaderLeafSource;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import io.uniserve.runtime.transport.server.RoutingSource;
import io.uniserve.security.AuthorityFolderSigner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinator daemon: the coordinator's state machine with one loop, one port and one ZooKeeper session. A cluster may have several; the
 * elected one is the leader, the others are standbys. Thread-safe.
 */
public final class CoordinatorDaemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorDaemon.class);
    private static final String IDENTITY = "/identity";
    private static final long RESIGN_SECONDS = 3;
    private static final long WAIT_TOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Consumer<Throwable> onFailure;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CoordinatorSettings settings;
    /** All that is open. The state machine stops before. */
    private final ResourceCloser closer = new ResourceCloser();

    private final MetricsServer meters;
    private final CoordinatorMetrics metrics;
    private final RoutingBroadcaster hub = new RoutingBroadcaster();
    private final EventLoop loop;
    private final ReloadingTls tls;
    private final ChannelPool channels;
    private final AccessControl access;
    private final GrpcServer server;
    private final CuratorRegistry registry;
    private final Optional<ScalingResources> scaling;
    private final Address address;
    private volatile @Nullable CoordinatorStateMachine machine;

    private CoordinatorDaemon(Settings whole, Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
        settings = whole.coordinator();
        boolean complete = false;
        try {
            ClusterIdentity cluster = ClusterIdentity.of(whole.zookeeper().cluster());
            tls = closer.add(ReloadingTls.open(whole.serverTls(ListenerKind.COORDINATOR), SystemClock.INSTANCE));
            meters = closer.add(new MetricsServer(whole.metrics(ListenerKind.COORDINATOR), tls));
            metrics = new CoordinatorMetrics(meters.registry());
            access = openAccess(whole);
            channels = closer.add(new ChannelPool(SystemClock.INSTANCE, tls, cluster));
            channels.setConnectionAge(whole.connectionAge().toNanos());
            loop = closer.add(new EventLoop("uniserve-coordinator", SystemClock.INSTANCE, this::failed));
            scaling = ScalingResources.of(whole, loop);
            scaling.ifPresent(closer::add);
            PolicyExecutor policies = closer.add(new PolicyExecutor("uniserve-placement", loop));
            registry = closer.add(new CuratorRegistry(registryOptions(whole.zookeeper(), settings), loop));
            Optional<CertificateSigner> authority = authority(whole.renewal());
            server = openServer(whole, cluster, authority);
            closer.add(() -> server.stop(settings.stopGrace().toNanos()));
            address = new Address(CoordinatorHostResolver.of(settings), server.port());
            startRenewal(whole.renewal(), cluster, authority);
            machine = createMachine(whole, cluster, policies);
            complete = true;
        } finally {
            if (!complete) {
                closed.set(true);
                closer.closeAll();
            }
        }
    }

    private AccessControl openAccess(Settings whole) {
        AuditRecorder audit = closer.add(AuditRecorder.open(
                whole.audit(ListenerKind.COORDINATOR), CoordinatorHostResolver.of(settings) + ":" + settings.port()));
        metrics.gauge("uniserve.coordinator.audit.lost", "Events that the audit log lost", audit::lostEvents);
        AccessControl opened = AccessControl.of(whole.security(ListenerKind.COORDINATOR), audit);
        meters.access(opened, whole.zookeeper().cluster());
        return opened;
    }

    private static Optional<CertificateSigner> authority(RenewalSettings renewal) {
        return renewal.authority()
                .map(folder -> new AuthorityFolderSigner(folder, renewal.validity(), SystemClock.INSTANCE));
    }

    private GrpcServer openServer(Settings whole, ClusterIdentity cluster, Optional<CertificateSigner> authority) {
        RenewalSettings renewal = whole.renewal();
        return GrpcServer.builder(cluster)
                .access(access)
                .connectionAge(whole.connectionAge().toNanos())
                .certificates(
                        new ProcessCertificates(tls, authority, renewal.before(), renewal::renews, this::isLeader))
                .peers(this::onPeer)
                .admin(this::onAdmin)
                .routing(hub)
                .tls(tls)
                .authorizer(Authorizer.of(
                        whole.security(ListenerKind.COORDINATOR),
                        whole.zookeeper().cluster()))
                .start(settings.host(), settings.port());
    }

    private void startRenewal(RenewalSettings renewal, ClusterIdentity cluster, Optional<CertificateSigner> authority) {
        CertificateSetup.followRevocations(tls, access, channels::replaceAll);
        CertificateRenewer renewer = closer.add(CertificateRenewer.start(
                tls,
                SystemClock.INSTANCE,
                renewal.before(),
                authority
                        .<LeafSource>map(signer -> signer::sign)
                        .orElseGet(() ->
                                new LeaderLeafSource(new CertificateClient(channels, cluster), hub::coordinator))));
        CertificateSetup.addGauges("uniserve.coordinator", tls, renewer, metrics::gauge);
    }

    private CoordinatorStateMachine createMachine(Settings whole, ClusterIdentity cluster, PolicyExecutor policies) {
        RandomIdGenerator ids = new RandomIdGenerator();
        CoordinatorConfig config = settings.toConfig(
                        "c-" + Long.toHexString(ids.next()),
                        address,
                        whole.zookeeper().cluster())
                .withClosed(whole.security(ListenerKind.COORDINATOR).closed());
        CoordinatorEnvironment env = new CoordinatorEnvironment(
                SystemClock.INSTANCE, loop, new GrpcNetwork(channels, cluster, loop), registry, ids);
        RebalancePolicyFactory.Policies named = RebalancePolicyFactory.of(settings.rebalance());
        RebalanceSetup rebalance = new RebalanceSetup(
                settings.rebalance().toConfig(),
                named.moves(),
                named.copies(),
                Optional.of(RebalancePolicyFactory.chunks(settings.rebalance())),
                policies);
        CoordinatorStateMachine created = new CoordinatorStateMachine(
                config,
                env,
                new InitialPlacementPolicy(),
                scaling.map(resources -> rebalance.with(resources.setup())).orElse(rebalance));
        created.onIdentity(cluster::setIdentity);
        return created;
    }

    /**
     * Limits the coordinator's session time-out to that of servers. With a longer one it would outlive the sessions of silent servers, and
     * consider them dead while ZooKeeper cannot be reached.
     */
    private static RegistryOptions registryOptions(ZooKeeperSettings zookeeper, CoordinatorSettings settings) {
        long session = Math.min(
                settings.sessionTimeout().toMillis(), zookeeper.sessionTimeout().toMillis());
        return RegistryOptions.of(zookeeper, session);
    }

    /**
     * Starts a coordinator. Returns when it listens and has reached ZooKeeper; it becomes leader or standby soon afterwards.
     *
     * @param onFailure receives the failure after which the coordinator cannot continue; close it then
     * @throws UniserveException INVALID_CONFIGURATION if the port is in use, or {@code security.mode} needs files that are missing, or others may change nodes in ZooKeeper; UNAUTHORIZED if nodes there belong to another
     *     identity; UNAVAILABLE if ZooKeeper cannot be reached within
     *     {@code zookeeper.start-timeout}
     */
    public static CoordinatorDaemon start(Settings settings, Consumer<Throwable> onFailure) {
        ListenerSecurity.check(settings, ListenerKind.COORDINATOR);
        ZooKeeperAccess.checkAtStart(settings, ListenerKind.COORDINATOR);
        CoordinatorDaemon daemon = new CoordinatorDaemon(settings, onFailure);
        boolean started = false;
        try {
            daemon.awaitRegistry(settings.zookeeper());
            started = true;
        } finally {
            if (!started) {
                daemon.close();
            }
        }
        LOG.info(
                "coordinator of cluster {} is ready at {}", settings.zookeeper().cluster(), daemon.address);
        return daemon;
    }

    private void awaitRegistry(ZooKeeperSettings zookeeper) {
        CountDownLatch connected = new CountDownLatch(1);
        registry.onSession(event -> {
            if (event == SessionEvent.CONNECTED) {
                connected.countDown();
            }
        });
        loop.execute(() -> {
            if (!access.isOpen()) {
                RegistryValueFollower.ofRules(registry, loop, access::setRules).start();
                RegistryValueFollower.ofUsers(registry, loop, access::setUsers).start();
            }
            start(running());
        });
        long left = zookeeper.startTimeout().toNanos();
        while (!await(connected, Math.min(left, WAIT_TOLD_NANOS))) {
            left -= WAIT_TOLD_NANOS;
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                throw new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "cannot reach ZooKeeper at " + zookeeper.connect() + " after "
                                + zookeeper.startTimeout().toSeconds()
                                + " s: start it (uniserve zookeeper), correct zookeeper.connect, or set zookeeper.tls if"
                                + " its port is for TLS");
            }
            LOG.warn("cannot reach ZooKeeper at {} yet", zookeeper.connect());
        }
        requireAccess();
    }

    /** Fails if the nodes have an owner, and this process has no identity. */
    private void requireAccess() {
        CountDownLatch read = new CountDownLatch(1);
        AtomicReference<@Nullable UniserveException> refusal = new AtomicReference<>();
        registry.children(IDENTITY, found -> {
            if (found instanceof Outcome.Err<?> failed && failed.error().code() == ErrorCode.UNAUTHORIZED) {
                refusal.set(failed.error());
            }
            read.countDown();
        });
        UniserveException refused = await(read, WAIT_TOLD_NANOS) ? refusal.get() : null;
        if (refused != null) {
            throw refused;
        }
    }

    private void start(@Nullable CoordinatorStateMachine started) {
        if (started != null) {
            started.onRouting(routing -> {
                hub.publish(routing);
                metrics.observe(started, routing);
            });
            started.onFatal(this::failed);
            started.start();
            metrics.watch(started, loop);
            meters.health(new DaemonHealthCheck(loop, () -> missing(tls, started)));
        }
    }

    /** Call on the loop. A standby is ready too, if it has the tables and the leader. */
    private static List<String> missing(ReloadingTls tls, CoordinatorStateMachine machine) {
        List<String> missing = new ArrayList<>(tls.missingConditions());
        machine.registryProblem().ifPresent(missing::add);
        if (machine.leader().isEmpty()) {
            missing.add("no coordinator leads");
        }
        if (machine.routing().isEmpty()) {
            missing.add("it has not read all tables and servers yet");
        }
        return missing;
    }

    /** State machine; null once the daemon closes. */
    private @Nullable CoordinatorStateMachine running() {
        return closed.get() ? null : machine;
    }

    /** Advertised address and port. */
    public Address address() {
        return address;
    }

    /** Source of the routing maps that the coordinator pushes to clients. */
    public RoutingSource routing() {
        return hub;
    }

    /** True if this coordinator leads, to its own knowledge. */
    public boolean isLeader() {
        return metrics.leads();
    }

    /** All meters in Prometheus' text format. */
    public String scrape() {
        return meters.scrape();
    }

    private void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        handle(completion, machine -> machine.onPeer(request, completion));
    }

    private void onAdmin(AdminRequest request, Completion<AdminReply> completion) {
        Completion<AdminReply> counted = metrics.counted(request, completion);
        handle(counted, machine -> machine.onAdmin(request, counted));
    }

    private <T> void handle(Completion<T> completion, Consumer<CoordinatorStateMachine> action) {
        CoordinatorStateMachine present = running();
        if (present == null) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "this coordinator is starting or stopping; try again")));
        } else if (!loop.tryExecute(() -> action.accept(present))) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.RESOURCE_EXHAUSTED, "this coordinator is overloaded; try again")));
        }
    }

    private void failed(Throwable error) {
        if (!closed.get()) {
            LOG.error("coordinator at {} failed and stops", address, error);
            onFailure.accept(error);
        }
    }

    /** Resigns as leader, so that a standby takes over at once, and closes all resources. Idempotent. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        CountDownLatch resigned = new CountDownLatch(1);
        CoordinatorStateMachine stopping = machine;
        if (stopping != null && loop.tryExecute(() -> stopping.stop(resigned::countDown))) {
            if (!await(resigned, TimeUnit.SECONDS.toNanos(RESIGN_SECONDS))) {
                LOG.warn("ZooKeeper did not confirm the resignation; leadership ends with the session");
            }
        }
        closer.closeAll();
        LOG.info("coordinator at {} has stopped", address);
    }

    private static boolean await(CountDownLatch latch, long nanos) {
        try {
            return latch.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
