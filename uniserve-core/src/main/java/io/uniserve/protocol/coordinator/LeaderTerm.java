package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.IdentityRecord;
import io.uniserve.model.Routing;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.protocol.RegistryContact;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.coordinator.ClusterView.Liveness;
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
    private final IntactReplicas intactReplicas = new IntactReplicas(this);
    private final PendingAdminReplies pending = new PendingAdminReplies();
    private final TableReconciler reconciler;
    private final DroppedTableCleaner droppedTables;
    private final AdminHandler admin;
    private final CoordinatorRequestHandler reports;
    private final Rebalancer rebalancer;
    private final BackupHandler backups;
    private final RegistryContact contact;
    private final long began;
    private boolean loaded;
    private boolean woken;
    private boolean pushing;
    private int ticks;

    LeaderTerm(
            CoordinatorConfig config,
            CoordinatorEnvironment env,
            PlacementPolicy placement,
            RebalanceSetup rebalanceSetup,
            int term,
            RegistryContact contact,
            Listener listener) {
        this.contact = contact;
        this.config = config;
        this.env = env;
        this.placement = placement;
        this.listener = listener;
        registry = new FencedRegistry(env, term, config.tickNanos(), listener::deposed);
        catalog = new CatalogManager(registry);
        members = new MembershipManager(registry, this::clusterChanged);
        health = new HealthMonitor(config, env, registry, members, this::clusterChanged);
        droppedTables = new DroppedTableCleaner(registry, catalog, env, members);
        backups = new BackupHandler(this, pending);
        reconciler = new TableReconciler(this, intactReplicas, backups);
        admin = new AdminHandler(this, pending);
        reports = new CoordinatorRequestHandler(this, health, intactReplicas);
        rebalancer = new Rebalancer(this, reconciler, rebalanceSetup);
        began = env.clock().nanos();
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
    public RegistryContact contact() {
        return contact;
    }

    BackupHandler backups() {
        return backups;
    }

    /** Reads the hard state, then starts to work. */
    void begin() {
        registry.synced(() -> catalog.reloadCluster(orAgain(() -> {
            UniserveException refusal = catalog.cluster().refusal();
            boolean absent = catalog.clusterVersion() == Registry.ABSENT;
            if (!absent && !catalog.cluster().clusterId().equals(config.clusterId())) {
                listener.fatal(new UniserveException(
                        ErrorCode.WRONG_CLUSTER,
                        "the registry belongs to cluster \"" + catalog.cluster().clusterId()
                                + "\", this coordinator to \"" + config.clusterId()
                                + "\": correct the cluster's name or the registry's address"));
            } else if (refusal != null) {
                listener.fatal(refusal);
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
                if (written.applied()) {
                    LOG.info("cluster {}: created with identity {}", config.clusterId(), identity);
                }
                begin();
            });
        } else if (absent || found.size() > 1) {
            listener.fatal(ClusterIdentities.damaged(
                    "coordinator " + config.id() + " at " + config.address(),
                    config.clusterId(),
                    env.registry().describe(),
                    found));
        } else {
            listener.identified(found.get(0));
            load();
        }
    }

    private void load() {
        catalog.load(orAgain(() -> {
            loaded = true;
            droppedTables.addAll(catalog.undefined());
            // a dropped table of the same name, or an interrupted restoration, may have left objects
            catalog.tables().forEach(table -> droppedTables.addAll(List.of(table.meta.name())));
            members.start();
            tick();
        }));
    }

    private CatalogManager.Then orAgain(Runnable task) {
        return new CatalogManager.Then() {
            @Override
            public void done() {
                task.run();
            }

            @Override
            public void failed(UniserveException error) {
                registry.after(config.tickNanos(), LeaderTerm.this::begin);
            }
        };
    }

    void end(UniserveException why) {
        registry.end();
        pending.failAll(why);
    }

    boolean ready() {
        return loaded && members.loaded();
    }

    private void tick() {
        if (++ticks % TICKS_PER_REFRESH == 0 || !members.loaded()) {
            members.refresh();
        }
        health.tick();
        droppedTables.tick();
        if (ready()) {
            rebalancer.tick();
        }
        wake();
        registry.after(config.tickNanos(), this::tick);
    }

    private void clusterChanged() {
        routingChanged();
        wake();
    }

    @Override
    public void wake() {
        if (!woken) {
            woken = true;
            registry.after(WAKE_NANOS, () -> {
                woken = false;
                if (ready()) {
                    reconciler.pass();
                }
            });
        }
    }

    @Override
    public void retryLater() {
        registry.after(config.tickNanos() / 4, this::wake);
    }

    @Override
    public void routingChanged() {
        if (!pushing) {
            pushing = true;
            registry.after(WAKE_NANOS, () -> {
                pushing = false;
                if (ready()) {
                    listener.routing(routing());
                }
            });
        }
    }

    @Override
    public Routing routing() {
        return new Routing(config.clusterId(), catalog.routes(), live(), config.address());
    }

    @Override
    public List<ServerRecord> live() {
        return members.servers().stream()
                .filter(s -> !health.deadByPings(s.id()))
                .toList();
    }

    @Override
    public int silent() {
        return members.servers().size() - live().size();
    }

    @Override
    public List<ServerRecord> usable() {
        return live().stream().filter(s -> !draining(s.id())).toList();
    }

    /** True when the server is shutting down, or an operator has drained it. */
    private boolean draining(ServerId id) {
        return health.isDraining(id) || catalog.cluster().drained().contains(id);
    }

    @Override
    public ClusterView view() {
        boolean grace = env.clock().nanos() - began < config.startGraceNanos();
        ClusterView view = new ClusterView(id -> grace && !members.everSeen(id));
        for (ServerRecord server : members.servers()) {
            view.add(server, liveness(server.id()), draining(server.id()), health.isDraining(server.id()));
        }
        for (Table table : catalog.tables()) {
            table.map().actors().forEach(actor -> view.count(actor, 1));
        }
        return view;
    }

    private Liveness liveness(ServerId id) {
        if (!health.deadByPings(id)) {
            return Liveness.LIVE;
        }
        return health.suppressed() ? Liveness.UNKNOWN : Liveness.DEAD;
    }

    void onAdmin(AdminRequest request, Completion<AdminReply> completion) {
        if (!ready()) {
            completion.done(Outcome.err(notReady()));
            return;
        }
        admin.handle(request, completion);
    }

    void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (!ready()) {
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
        void deposed();

        void fatal(UniserveException error);

        /** The registry has this identity. */
        void identified(String identity);

        void routing(Routing routing);
    }
}
