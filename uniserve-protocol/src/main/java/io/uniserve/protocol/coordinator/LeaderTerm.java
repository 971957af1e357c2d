package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.IdentityRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.backup.BackupHandler;
import io.uniserve.protocol.coordinator.chunk.ChunkManager;
import io.uniserve.protocol.coordinator.chunk.ChunkPlacement;
import io.uniserve.protocol.coordinator.chunk.PolicyChunkPlacement;
import io.uniserve.protocol.coordinator.chunk.SpreadChunkPlacement;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.coordinator.failover.IntactReplicaTracker;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.ClusterView.Liveness;
import io.uniserve.protocol.coordinator.metadata.DroppedTableCleaner;
import io.uniserve.protocol.coordinator.metadata.HealthMonitor;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.MembershipManager;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReplies;
import io.uniserve.protocol.coordinator.metadata.ReplicaMonitor;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.coordinator.rebalance.Rebalancer;
import io.uniserve.protocol.coordinator.scaling.AutoScaler;
import io.uniserve.protocol.coordinator.scaling.ScalingSetup;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.identity.ClusterIdentities;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One term of leadership. It owns all state of the leader, which ends with the term. */
final class LeaderTerm implements LeaderContext {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTerm.class);
    private static final long WAKE_NANOS = 2_000_000L;
    private static final int TICKS_PER_REFRESH = 10;

    private final CoordinatorConfig config;
    private final CoordinatorEnvironment env;
    private final PlacementPolicy placement;
    private final Listener listener;
    private final FencedRegistry registry;
    private final CatalogManager catalog;
    private final MembershipManager members;
    private final HealthMonitor health;
    private final ReplicaMonitor replicas = new ReplicaMonitor();
    private final IntactReplicaTracker intactReplicas = new IntactReplicaTracker(this);
    private final PendingAdminReplies pending = new PendingAdminReplies();
    private final TableReconciler reconciler;
    private final DroppedTableCleaner droppedTables;
    private final AdminHandler admin;
    private final CoordinatorRequestHandler reports;
    private final Rebalancer rebalancer;
    private final BackupHandler backups;
    private final ChunkManager chunks;
    private final Optional<PolicyChunkPlacement> chunkPlacement;
    private final Optional<ScalingSetup> scaling;
    private @Nullable AutoScaler scaler;
    private final RegistryConnectionMonitor contact;
    private final long startedNanos;
    private boolean loaded;
    private boolean reconcileScheduled;
    private boolean pushScheduled;
    private int ticks;

    LeaderTerm(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            PlacementPolicy placement,
            RebalanceSetup rebalanceSetup,
            int term,
            RegistryConnectionMonitor contact,
            Listener listener) {
        this.contact = contact;
        this.config = config;
        this.env = env;
        this.placement = placement;
        this.listener = listener;
        registry = new FencedRegistry(env, term, config.tickNanos(), listener::onDeposed);
        catalog = new CatalogManager(registry);
        members = new MembershipManager(registry, this::clusterChanged);
        health = new HealthMonitor(config, env, registry, members, this::clusterChanged);
        droppedTables = new DroppedTableCleaner(registry, catalog, env, members);
        backups = new BackupHandler(this, pending);
        reconciler = new TableReconciler(this, intactReplicas, backups);
        admin = new AdminHandler(this, pending);
        reports = new CoordinatorRequestHandler(this, health, intactReplicas);
        rebalancer = new Rebalancer(this, reconciler, rebalanceSetup);
        chunkPlacement = rebalanceSetup.chunks().map(PolicyChunkPlacement::new);
        chunks = new ChunkManager(
                this,
                reconciler,
                chunkPlacement.<ChunkPlacement>map(policy -> policy).orElseGet(SpreadChunkPlacement::new));
        scaling = rebalanceSetup.scaling();
        startedNanos = env.clock().nanos();
    }

    @Override
    public CoordinatorConfig config() {
        return config;
    }

    @Override
    public CoordinatorEnvironment env() {
        return env;
    }

    @Override
    public PlacementPolicy placement() {
        return placement;
    }

    @Override
    public FencedRegistry registry() {
        return registry;
    }

    @Override
    public CatalogManager catalog() {
        return catalog;
    }

    @Override
    public MembershipManager members() {
        return members;
    }

    @Override
    public ReplicaMonitor replicas() {
        return replicas;
    }

    @Override
    public DroppedTableCleaner droppedTables() {
        return droppedTables;
    }

    Rebalancer rebalancer() {
        return rebalancer;
    }

    @Override
    public RegistryConnectionMonitor contact() {
        return contact;
    }

    /** Placement of new chunks by a policy; empty without one. */
    Optional<PolicyChunkPlacement> chunkPlacement() {
        return chunkPlacement;
    }

    ChunkManager chunks() {
        return chunks;
    }

    /** The auto-scaler; fails with UNSUPPORTED if this coordinator has no provider of servers. */
    AutoScaler scaler() {
        AutoScaler present = scaler;
        if (present == null) {
            throw UniserveException.unsupported("this coordinator has no provider of servers: set"
                    + " uniserve.coordinator.scaling.provider on every coordinator and restart it");
        }
        return present;
    }

    /** Refuses to use a server again that the auto-scaler terminates. */
    void checkUndrain(AdminRequest.DrainServer request) {
        AutoScaler present = scaler;
        if (!request.drained() && present != null && present.isEnding(request.server())) {
            throw UniserveException.invalid("server: the auto-scaler terminates " + request.server()
                    + ", so it stays drained: hold the auto-scaler before it does so");
        }
    }

    private List<String> operationsUnderWay() {
        List<String> operations = admin.changesUnderWay();
        backups.operationUnderWay().ifPresent(operations::add);
        return operations;
    }

    BackupHandler backups() {
        return backups;
    }

    /** Reads the hard state, then starts to work. */
    void begin() {
        registry.afterSync(() -> catalog.reloadCluster(orRetry(() -> {
            UniserveException refusal = catalog.cluster().unsupportedError();
            boolean absent = catalog.clusterVersion() == Registry.ABSENT;
            if (!absent && !catalog.cluster().clusterId().equals(config.clusterId())) {
                listener.onFatal(new UniserveException(
                        ErrorCode.WRONG_CLUSTER,
                        "the registry belongs to cluster \"" + catalog.cluster().clusterId()
                                + "\", this coordinator to \"" + config.clusterId()
                                + "\": correct the cluster's name or the registry's address"));
            } else if (refusal != null) {
                listener.onFatal(refusal);
            } else {
                registry.children(RegistryPaths.IDENTITY, outcome -> {
                    if (outcome instanceof Outcome.Ok<List<String>> ok) {
                        identify(ok.value(), absent);
                    } else {
                        registry.after(config.tickNanos(), this::begin);
                    }
                });
            }
        })));
    }

    /**
     * Gives an identity to an empty registry, which becomes a new cluster, and to a registry of an earlier version, which has only a
     * cluster record.
     */
    private void identify(List<String> found, boolean absent) {
        if (found.isEmpty()) {
            String identity = ClusterIdentities.random(env.ids());
            IdentityRecord record = new IdentityRecord(config.clusterId(), identity);
            Op first = absent
                    ? new Op.Create(RegistryPaths.CLUSTER, new ClusterRecord(config.clusterId(), 1), false)
                    : new Op.Check(RegistryPaths.CLUSTER, catalog.clusterVersion());
            registry.write(List.of(first, new Op.Create(RegistryPaths.identity(identity), record, false)), written -> {
                if (written.isApplied()) {
                    LOG.info("cluster {}: created with identity {}", config.clusterId(), identity);
                }
                begin();
            });
        } else if (absent || found.size() > 1) {
            listener.onFatal(ClusterIdentities.damagedIdentityError(
                    "coordinator " + config.id() + " at " + config.address(),
                    config.clusterId(),
                    env.registry().describe(),
                    found));
        } else {
            listener.onIdentity(found.get(0));
            scaling.ifPresent(setup -> {
                if (scaler == null) {
                    scaler = new AutoScaler(this, setup, found.get(0), this::operationsUnderWay);
                }
            });
            load();
        }
    }

    private void load() {
        catalog.load(orRetry(() -> {
            loaded = true;
            droppedTables.addAll(catalog.namesWithoutDefinition());
            // a dropped table of the same name, or an interrupted restoration, may have left objects
            catalog.tables().forEach(table -> droppedTables.addAll(List.of(table.meta.name())));
            members.start();
            tick();
        }));
    }

    private CatalogManager.LoadCallback orRetry(Runnable task) {
        return new CatalogManager.LoadCallback() {
            @Override
            public void onLoaded() {
                task.run();
            }

            @Override
            public void onFailed(UniserveException error) {
                registry.after(config.tickNanos(), LeaderTerm.this::begin);
            }
        };
    }

    void end(UniserveException why) {
        registry.end();
        pending.failAll(why);
    }

    boolean isReady() {
        return loaded && members.isLoaded();
    }

    private void tick() {
        if (++ticks % TICKS_PER_REFRESH == 0 || !members.isLoaded()) {
            members.refresh();
        }
        health.tick();
        droppedTables.tick();
        if (isReady()) {
            rebalancer.tick();
            chunks.tick();
            chunkPlacement.ifPresent(policy -> policy.tick(this));
            if (scaler != null) {
                scaler.tick();
            }
        }
        reconcileSoon();
        registry.after(config.tickNanos(), this::tick);
    }

    private void clusterChanged() {
        routingChanged();
        reconcileSoon();
    }

    @Override
    public void reconcileSoon() {
        if (!reconcileScheduled) {
            reconcileScheduled = true;
            registry.after(WAKE_NANOS, () -> {
                reconcileScheduled = false;
                if (isReady()) {
                    reconciler.pass();
                }
            });
        }
    }

    @Override
    public void retryLater() {
        registry.after(config.tickNanos() / 4, this::reconcileSoon);
    }

    @Override
    public void routingChanged() {
        if (!pushScheduled) {
            pushScheduled = true;
            registry.after(WAKE_NANOS, () -> {
                pushScheduled = false;
                if (isReady()) {
                    listener.onRouting(routing());
                }
            });
        }
    }

    @Override
    public Routing routing() {
        return new Routing(config.clusterId(), catalog.routes(), liveServers(), config.address());
    }

    @Override
    public List<ServerRecord> liveServers() {
        return members.servers().stream()
                .filter(s -> !health.isDeadByPings(s.id()))
                .toList();
    }

    @Override
    public int silentServers() {
        return members.servers().size() - liveServers().size();
    }

    @Override
    public List<ServerRecord> usableServers() {
        return liveServers().stream().filter(s -> !isDraining(s.id())).toList();
    }

    /** True when the server is shutting down, or an operator has drained it. */
    private boolean isDraining(ServerId id) {
        return health.isDraining(id) || catalog.cluster().drainedServers().contains(id);
    }

    @Override
    public ClusterView clusterView() {
        boolean grace = env.clock().nanos() - startedNanos < config.startGraceNanos();
        ClusterView view = new ClusterView(id -> grace && !members.wasEverSeen(id));
        for (ServerRecord server : members.servers()) {
            view.add(server, liveness(server.id()), isDraining(server.id()), health.isDraining(server.id()));
        }
        for (Table table : catalog.tables()) {
            table.map().actors().forEach(actor -> view.countReplicas(actor, 1));
        }
        return view;
    }

    private Liveness liveness(ServerId id) {
        if (!health.isDeadByPings(id)) {
            return Liveness.LIVE;
        }
        return health.isSuppressed() ? Liveness.UNKNOWN : Liveness.DEAD;
    }

    void onAdmin(AdminRequest request, Completion<AdminReply> completion) {
        if (!isReady()) {
            completion.done(Outcome.err(notReady()));
            return;
        }
        admin.handle(request, completion);
    }

    void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (!isReady()) {
            completion.done(Outcome.err(notReady()));
            return;
        }
        if (request instanceof CoordinatorRequest report) {
            report.handle(reports, completion);
        } else {
            completion.done(Outcome.err(UniserveException.invalid(
                    request.getClass().getSimpleName() + " is a request for servers, and this is the coordinator")));
        }
    }

    private static UniserveException notReady() {
        return new UniserveException(ErrorCode.UNAVAILABLE, "the new leader is still reading its state: retry later");
    }

    /** Receiver of events of the term. */
    interface Listener {
        void onDeposed();

        void onFatal(UniserveException error);

        /** The registry has this identity. */
        void onIdentity(String identity);

        void onRouting(Routing routing);
    }
}
