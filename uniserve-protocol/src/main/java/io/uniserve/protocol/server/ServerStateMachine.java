package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.RetryingReader;
import io.uniserve.protocol.StateCounts;
import io.uniserve.protocol.backup.batch.LogBatching;
import io.uniserve.protocol.backup.ship.BackupEraser;
import io.uniserve.protocol.backup.ship.LogShippingState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ReplicaRequest;
import io.uniserve.protocol.message.ServerRequest;
import io.uniserve.protocol.message.TransactionRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.ReplicaState;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.server.chunk.ChunkFencer;
import io.uniserve.protocol.server.config.FatalErrorHandler;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.identity.IdentityGuard;
import io.uniserve.protocol.server.identity.RegistryDataLossGuard;
import io.uniserve.protocol.server.identity.RegistryQuorumProbe;
import io.uniserve.protocol.server.identity.ServerRegistration;
import io.uniserve.protocol.server.trash.TrashFolder;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.manager.TransactionPhase;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Server of a cluster, as a single-threaded state machine. It maintains its ephemeral node, follows the maps, renews leases, pings other
 * servers and hosts replicas. Not thread-safe: call every method on its event loop; completions run there too. Reads do not use this class:
 * read threads check the gates that it publishes through the {@link GatePublisher}.
 */
public final class ServerStateMachine {
    private final ServerConfig config;
    private final Environment env;
    private final FatalErrorHandler fatal;
    private final IdentityGuard identity;
    private final Host host = new Host();
    private final RegistryWatches watches;
    private final TableViewCache views;
    private final ClusterMembers members;
    private final ServerWorkTimer ticker;
    private final HostedReplicas replicas;
    private final ServerRegistration registration;
    private final ServerFailureDetector pinger;
    private final LeaseKeeper leases;
    private final ChunkFencer chunks;
    private final OrphanReplicaCleaner orphanReplicaCleaner;
    private final TrashFolder trash;
    private final TrashRequestHandler trashRequestHandler;
    private final PeerDispatch peers;
    private final RegistryDataLossGuard guard;
    private final BackupEraser eraser;
    private final LogBatching batching;
    private final BackupRequestHandler backups;
    private final UpdateRequestHandler updates;
    private final AtomicTableHost transactionTables;
    private final ConsistentSnapshotReader consistentCuts;
    private final LoadReporter loads;
    private final RoutingPublisher routing;
    private final GracefulShutdown drain;
    private final Scrubber scrubber;
    private final RetryingReader<Versioned> cluster;
    private final ServerReadinessChecker readiness;
    private final RegistryConnectionMonitor contact;
    private final RegistryQuorumProbe contactCheck;
    private long nextPing;
    private long nextLease;
    private long nextCleanNanos;
    private boolean stopped;
    private boolean running;
    private boolean expired;
    private Runnable whenListed = () -> {};

    /**
     * @param gates receives the gates of the replicas
     * @param fatal ends the process
     */
    public ServerStateMachine(ServerConfig config, Environment world, GatePublisher gates, FatalErrorHandler fatal) {
        this.config = config;
        this.fatal = fatal;
        long retry = config.replicas().retryNanos();
        this.identity = new IdentityGuard(config, world, fatal, this::stop);
        this.batching = new LogBatching(identity.env(), config.replicas());
        this.env = batching.env();
        this.contact = new RegistryConnectionMonitor(
                "server " + config.id(),
                env.clock().nanos(),
                config.replicas().leaseNanos(),
                "reads stop when leases expire, and no table or replica changes until the connection is back");
        contact.withFindings(identity::connectionFinding);
        this.watches = new RegistryWatches(env.registry());
        this.views = new TableViewCache(env, retry, watches, new ViewEvents());
        this.registration = new ServerRegistration(env, config, fatal, contact);
        this.members = new ClusterMembers(env, retry, watches, this::membersChanged, registration::checkMode);
        this.ticker = new ServerWorkTimer(env.clock(), env.timers(), config.tickNanos(), this::tick);
        this.trash = new TrashFolder(env, config.trash(), retry);
        this.guard = new RegistryDataLossGuard(config.trash().acceptUnknown());
        this.replicas = new HostedReplicas(env, host, gates, views, trash, ticker::scheduleSoon);
        this.trashRequestHandler = new TrashRequestHandler(config, trash, views, replicas, guard);
        this.pinger = new ServerFailureDetector(env, config, members, host::reportToCoordinator);
        this.leases = new LeaseKeeper(
                env, config.replicas().leaseNanos(), this::hostedTables, replicas::find, views, contact);
        this.chunks = new ChunkFencer(
                env, config.id(), config.replicas().fenceNanos(), host::addressOf, replicas::acknowledgeChunk);
        this.eraser = new BackupEraser(env, config.replicas());
        this.backups = new BackupRequestHandler(env, identity::confirmStore, config.replicas(), eraser, replicas::find);
        this.orphanReplicaCleaner = new OrphanReplicaCleaner(
                new OrphanReplicaCleaner.Dependencies(env, replicas, views, guard),
                config.clusterId(),
                config.id(),
                config.trash().registry(),
                eraser,
                server -> members.find(server) != null);
        this.transactionTables =
                new AtomicTableHost(host, TransactionConfig.defaults(), watches, views, replicas, gates);
        this.consistentCuts = new ConsistentSnapshotReader(
                env.clock(), env.registry(), transactionTables.service().commitVisibility()::runWhenVisible);
        this.updates = new UpdateRequestHandler(env, views, replicas::find, transactionTables.service());
        this.loads = new LoadReporter(env, config.id(), replicas, contact);
        loads.addSource(identity::problems);
        this.routing = new RoutingPublisher(env.timers(), config.clusterId(), views, members);
        this.scrubber = new Scrubber(env, config.scrubNanos(), replicas);
        this.drain = new GracefulShutdown(env, config, replicas, registration, members::coordinator);
        this.readiness =
                new ServerReadinessChecker(config.id(), registration, members, views, replicas, guard, contact);
        this.cluster = new RetryingReader<>(
                env.timers(), retry, done -> env.registry().read(RegistryPaths.CLUSTER, done), this::onCluster);
        this.contactCheck = new RegistryQuorumProbe(env, contact, cluster::requestRead);
        this.peers = new PeerDispatch();
    }

    /**
     * Waits for the registry of the server's cluster, finds the replicas on disk, follows the registry and registers. Completes when the
     * server's node exists.
     */
    public void start(Completion<Done> completion) {
        env.registry().onSession(this::onSession);
        whenListed = () -> registration.start(() -> {
            identity.markRunning();
            completion.done(Outcome.ok(Done.DONE));
        });
        identity.start(this::run);
    }

    private void run() {
        running = true;
        long now = env.clock().nanos();
        nextPing = now;
        nextLease = now;
        nextCleanNanos = now + 4 * config.pingNanos();
        replicas.scan(() -> trash.load(() ->
                new StartupRegistryChecker(env, config, replicas.keys(), this::startFollowing, fatal::onFatal).run()));
    }

    private void startFollowing() {
        if (stopped) {
            return;
        }
        guard.setOnDisk(replicas.keys());
        watches.add(RegistryPaths.CLUSTER, cluster::requestRead);
        members.start();
        views.start();
        ticker.start();
        scrubber.start();
        batching.start(views::actor);
    }

    /** Number of replicas in the trash; thread-safe. */
    public long trashEntries() {
        return trash.usage().entries();
    }

    /** Size of the trash in bytes; thread-safe. */
    public long trashBytes() {
        return trash.usage().bytes();
    }

    /** Number of replicas per state. */
    public StateCounts<ReplicaState> replicaStates() {
        return StateCounts.of(ReplicaState.class, replicas.states());
    }

    /** Number of actors per state of log shipping, among those with their primary on this server. */
    public StateCounts<LogShippingState> logShippingStates() {
        List<LogShippingState> states = replicas.all().stream()
                .filter(replica -> replica.state().isPrimary())
                .map(replica -> replica.backupProgress().log())
                .toList();
        return StateCounts.of(LogShippingState.class, states);
    }

    /** Number of transactions that this server manages per phase. */
    public StateCounts<TransactionPhase> transactionPhases() {
        return transactionTables.service().transactionPhases();
    }

    /** Stops at once, like a crash; files stay as they are. */
    public void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        running = false;
        identity.stop();
        ticker.stop();
        scrubber.stop();
        batching.stop();
        transactionTables.service().stop();
        registration.stop();
        replicas.close();
    }

    /**
     * Requests that the coordinator moves all replicas away, while this server continues to serve. Completes when no replica is left to
     * move, or after the time-out.
     */
    public void drain(Completion<Done> completion) {
        if (identity.outOfServiceReason() != null) {
            later(completion, Outcome.ok(Done.DONE));
        } else {
            drain.start(completion);
        }
    }

    /** Hands replicas over as in a drain, until the process ends: its machine is about to be taken away. Idempotent. */
    public void leave() {
        drain.leave();
    }

    /** Sets a listener that gets the cluster's identity once the registry has shown it. */
    public void onIdentity(Consumer<String> listener) {
        identity.onIdentity(listener);
    }

    /** The routing for clients; empty until all tables and servers have been read. */
    public Optional<Routing> routing() {
        return routing.routing();
    }

    /** One sentence per condition that this server still misses to be ready; empty when it is ready. */
    public List<String> missingConditions() {
        UniserveException why = identity.outOfServiceReason();
        if (why != null) {
            return List.of("it has left service: " + why.reason());
        }
        if (stopped) {
            return List.of("it has stopped");
        }
        if (!running) {
            return List.of("it is not registered with ZooKeeper", "the identity of its cluster has not been read yet");
        }
        return drain.isDraining()
                ? List.of("it drains")
                : readiness.missingConditions(env.clock().nanos());
    }

    /** Adds a listener that gets the routing after every change. */
    public void onRouting(Consumer<Routing> listener) {
        routing.addListener(listener);
    }

    /** Reads the table's map again, because a client has a newer epoch. */
    public void refresh(TableName table) {
        views.refresh(table);
    }

    /** Completes when every table that existed at the time of this call is known here, and is in the routing. */
    public void awaitAllTables(Completion<Done> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.notServingError()));
        } else {
            views.awaitAllTables(completion);
        }
    }

    /**
     * Resolves a version in doubt for a reader that found it at the gate of an atomic table's replica.
     *
     * @param at the version that is read; 0 for the newest
     * @param defers true if the reader itself finds a claim about a version in flight
     */
    public void resolveInDoubt(
            TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.notServingError()));
        } else {
            transactionTables.service().resolveInDoubt(table, key, at, defers, outcome -> later(completion, outcome));
        }
    }

    /** Completes with a consistent snapshot of versions and epochs of atomic tables as of a time after this call, for a strict read. */
    public void readConsistentCut(List<TableName> tables, Completion<ConsistentSnapshot> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.notServingError()));
        } else {
            consistentCuts.readConsistentCut(tables, outcome -> later(completion, outcome));
        }
    }

    /** Handles an update of a client. */
    public void onUpdate(UpdateRequest request, Completion<UpdateReply> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.notServingError()));
        } else {
            updates.update(request, completion);
        }
    }

    /** Handles a request of another daemon. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.notServingError()));
            return;
        }
        request.dispatch(peers, completion);
    }

    /** Replies are sent from a task of their own, so that no caller is entered again. */
    private final class PeerDispatch implements PeerRequest.Families<Completion<PeerReply>> {
        private final ReplicaRequestHandler replicaRequests =
                new ReplicaRequestHandler(env, config.id(), replicas, views, registration, scrubber);
        private final TransactionRequestHandler transactionRequests =
                new TransactionRequestHandler(transactionTables, replicas);
        private final ServerRequestHandler serverRequests = new ServerRequestHandler(
                config, registration, replicas, views, loads, eraser, backups, trashRequestHandler);

        @Override
        public void replica(ReplicaRequest request, Completion<PeerReply> completion) {
            request.handle(replicaRequests, completion);
        }

        @Override
        public void transaction(TransactionRequest request, Completion<PeerReply> completion) {
            request.handle(transactionRequests, outcome -> later(completion, outcome));
        }

        @Override
        public void server(ServerRequest request, Completion<PeerReply> completion) {
            request.handle(serverRequests, outcome -> later(completion, outcome));
        }

        @Override
        public void coordinator(CoordinatorRequest request, Completion<PeerReply> completion) {
            refuse(completion);
        }

        @Override
        public void exchange(ExchangeRequest request, Completion<PeerReply> completion) {
            refuse(completion);
        }

        private void refuse(Completion<PeerReply> completion) {
            later(
                    completion,
                    Outcome.err(new UniserveException(
                            ErrorCode.NOT_LEADER, "a server does not take this request: ask the coordinator")));
        }
    }

    private <T> void later(Completion<T> completion, Outcome<T> outcome) {
        env.timers().post(() -> completion.done(outcome));
    }

    /** Runs all work that is due; returns the nanoseconds until the next work. */
    private long tick(long now) {
        if (stopped) {
            return Long.MAX_VALUE;
        }
        replicas.tick();
        transactionTables.service().tick(now);
        if (now - nextLease >= 0) {
            nextLease = now + config.replicas().leaseNanos() / 3;
            if (!leases.renew()) {
                contactCheck.run();
            }
            contact.tick(now);
        }
        if (now - nextPing >= 0) {
            nextPing = now + config.pingNanos();
            pinger.ping();
            drain.tick(now);
        }
        if (now - nextCleanNanos >= 0) {
            nextCleanNanos = now + 4 * config.pingNanos();
            orphanReplicaCleaner.run();
            replicas.limitLogCaches();
            trash.tick();
        }
        if (replicas.wantTicks()) {
            return config.tickNanos();
        }
        return Math.min(
                Math.min(nextLease, nextPing) - now, transactionTables.service().nanosUntilTick(now));
    }

    private List<TableViewCache.View> hostedTables() {
        return stopped
                ? List.of()
                : views.all().stream()
                        .filter(view -> replicas.hasReplicasOf(view.meta().tableId()))
                        .toList();
    }

    private void onCluster(Versioned read) {
        contactCheck.clusterVersion(read.version());
        if (!(read.value() instanceof ClusterRecord record)) {
            return;
        }
        UniserveException refusal = record.unsupportedError();
        if (!record.clusterId().equals(config.clusterId())) {
            fatal.onFatal(new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    "the registry belongs to cluster " + record.clusterId() + ", this server to " + config.clusterId()
                            + ": use its own registry or an empty data directory"));
        } else if (refusal != null) {
            fatal.onFatal(refusal);
        }
    }

    private void onSession(Registry.SessionEvent event) {
        if (stopped) {
            return;
        }
        consistentCuts.onSession(event);
        contact.onSessionEvent(event, env.clock().nanos());
        switch (event) {
            case EXPIRED -> {
                expired = true;
                registration.onSessionExpired();
            }
            case CONNECTED -> {
                if (expired) {
                    expired = false;
                    watches.rewatchAll();
                    registration.checkOrCreateNode();
                }
            }
            case SUSPENDED -> {
                // leases expire by themselves
            }
        }
    }

    private void membersChanged() {
        ServerRecord mine = members.find(config.id());
        boolean replaced = mine == null || mine.incarnation() > registration.incarnation();
        if (registration.isRegistered() && replaced && !expired) {
            registration.checkOrCreateNode();
        }
        routing.onChange();
    }

    private final class ViewEvents implements TableViewCache.Listener {
        @Override
        public void onChanged(TableViewCache.View view) {
            if (!stopped) {
                if (view.map().generation() > 0) {
                    replicas.publishAll(view.meta().tableId());
                }
                chunks.onMap(view.meta(), view.map(), view.readAtNanos());
                replicas.applyMap(view);
                transactionTables.onTable(view);
                routing.onChange();
                if (replicas.hasReplicasOf(view.meta().tableId())) {
                    leases.renewSoon();
                }
            }
        }

        @Override
        public void onGone(TableViewCache.View last) {
            chunks.onTableGone(last.meta().tableId());
            transactionTables.onTableGone(last.meta().name());
            routing.onChange();
        }

        @Override
        public void onListed() {
            whenListed.run();
        }

        @Override
        public void onComplete() {
            routing.onChange();
        }
    }

    private final class Host implements ReplicaContext {
        @Override
        public Environment env() {
            return env;
        }

        @Override
        public ReplicaConfig config() {
            return config.replicas();
        }

        @Override
        public ServerId self() {
            return config.id();
        }

        @Override
        public long incarnation() {
            return registration.incarnation();
        }

        @Override
        public @Nullable Address addressOf(ServerId server) {
            ServerRecord record = members.find(server);
            return record == null ? null : record.address();
        }

        @Override
        public void reportToCoordinator(PeerRequest request) {
            Address coordinator = members.coordinator();
            if (coordinator != null && !stopped) {
                env.network().call(coordinator, request, config.rpcTimeoutNanos(), ignored -> {});
            }
        }

        @Override
        public void refresh(TableName table) {
            views.refresh(table);
        }

        @Override
        public @Nullable TableMap map(TableName table) {
            TableViewCache.View view = views.find(table);
            return view == null ? null : view.map();
        }

        @Override
        public int mapVersion(TableName table) {
            TableViewCache.View view = views.find(table);
            return view == null ? Registry.ABSENT : view.mapVersion();
        }

        @Override
        public boolean isChunkFenced(ReplicaKey key) {
            return chunks.isFenced(key);
        }

        @Override
        public void gateChanged(ReplicaKey key) {
            Replica replica = replicas.find(key);
            if (replica != null) {
                replicas.publish(replica);
                transactionTables.service().onGateChanged(replica);
            }
        }

        @Override
        public void wantTicks(ReplicaKey key) {
            replicas.wantTicks(key);
        }

        @Override
        public void fatal(UniserveException error) {
            fatal.onFatal(error);
        }
    }

    /** True while the replica is on this server, for tests and status. */
    public boolean hasReplica(ReplicaKey key) {
        return replicas.find(key) != null;
    }
}
