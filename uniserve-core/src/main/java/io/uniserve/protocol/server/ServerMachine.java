package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryContact;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.replica.BackupEraser;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.ReplicaConfig;
import io.uniserve.protocol.replica.ReplicaContext;
import io.uniserve.protocol.tx.ConsistentCutReader;
import io.uniserve.protocol.tx.TransactionConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server: keeps its ephemeral node, follows the maps, keeps leases, pings others and hosts replicas. Not thread-safe: every
 * method is called on the machine's loop, where all completions run too. Reads do not pass through here: read workers
 * check what is given to the {@link GatePublisher}.
 */
public final class ServerMachine {
    private final ServerConfig config;
    private final Environment env;
    private final FatalHandler fatal;
    private final IdentityGuard identity;
    private final Host host = new Host();
    private final Watches watches;
    private final TableViews views;
    private final Members members;
    private final Ticker ticker;
    private final ReplicaSet replicas;
    private final Registration registration;
    private final Pinger pinger;
    private final LeaseKeeper leases;
    private final OrphanReplicaCleaner orphanReplicaCleaner;
    private final Trash trash;
    private final TrashRequestHandler trashRequestHandler;
    private final AbsenceGuard guard;
    private final BackupEraser eraser;
    private final BackupRequestHandler backups;
    private final UpdateRequestHandler updates;
    private final TransactionTables atomic;
    private final ConsistentCutReader cuts;
    private final LoadReport loads;
    private final RoutingPublisher routing;
    private final Drain drain;
    private final Scrubber scrubber;
    private final RetryingReader<Versioned> cluster;
    private final Readiness readiness;
    private final RegistryContact contact;
    private final ContactCheck contactCheck;
    private long nextPing;
    private long nextLease;
    private long nextReap;
    private boolean stopped;
    private boolean running;
    private boolean expired;
    private Runnable whenListed = () -> {};

    /**
     * @param gates hears what readers may have
     * @param fatal ends the process
     */
    public ServerMachine(ServerConfig config, Environment world, GatePublisher gates, FatalHandler fatal) {
        this.config = config;
        this.fatal = fatal;
        long retry = config.replicas().retryNanos();
        this.identity = new IdentityGuard(config, world, fatal, this::stop);
        this.env = identity.env();
        this.contact = new RegistryContact(
                "server " + config.id(),
                env.clock().nanos(),
                config.replicas().leaseNanos(),
                "reads end with the read lease, and nothing is created, moved or promoted until it is back");
        contact.explainedBy(identity::met);
        this.watches = new Watches(env.registry());
        this.views = new TableViews(env, retry, watches, new ViewEvents());
        this.members = new Members(env, retry, watches, this::membersChanged);
        this.ticker = new Ticker(env.clock(), env.timers(), config.tickNanos(), this::tick);
        this.trash = new Trash(env, config.trash(), retry);
        this.guard = new AbsenceGuard(config.trash().acceptUnknown());
        this.replicas = new ReplicaSet(env, host, gates, views, trash, ticker::soon);
        this.trashRequestHandler = new TrashRequestHandler(config, trash, views, replicas, guard);
        this.registration = new Registration(env, config, fatal, contact);
        this.pinger = new Pinger(env, config, members, host::tellCoordinator);
        this.leases =
                new LeaseKeeper(env, config.replicas().leaseNanos(), this::hosted, replicas::find, views, contact);
        this.eraser = new BackupEraser(env, config.replicas());
        this.backups = new BackupRequestHandler(env, identity::confirmStore, config.replicas(), eraser, replicas::find);
        this.orphanReplicaCleaner = new OrphanReplicaCleaner(
                new OrphanReplicaCleaner.Parts(env, replicas, views, guard),
                config.clusterId(),
                config.id(),
                config.trash().registry(),
                eraser,
                server -> members.find(server) != null);
        this.atomic = new TransactionTables(host, TransactionConfig.defaults(), watches, views, replicas, gates);
        this.cuts = new ConsistentCutReader(
                env.clock(), env.registry(), atomic.service().disclosure()::await);
        this.updates = new UpdateRequestHandler(env, views, replicas::find, atomic.service());
        this.loads = new LoadReport(env, config.id(), replicas, contact);
        loads.include(identity::problems);
        this.routing = new RoutingPublisher(env.timers(), config.clusterId(), views, members);
        this.scrubber = new Scrubber(env, config.id(), config.scrubNanos(), replicas);
        this.drain = new Drain(env, config, replicas, registration, members::coordinator);
        this.readiness = new Readiness(config.id(), registration, members, views, replicas, guard, contact);
        this.cluster = new RetryingReader<>(
                env.timers(), retry, done -> env.registry().read(RegistryPaths.CLUSTER, done), this::onCluster);
        this.contactCheck = new ContactCheck(env, contact, cluster::dirty);
    }

    /**
     * Waits for the registry of the server's cluster identity, finds the replicas on disk, follows the registry and registers;
     * done when the server's node is there.
     */
    public void start(Completion<Done> completion) {
        env.registry().onSession(this::onSession);
        whenListed = () -> registration.start(() -> {
            identity.registered();
            completion.done(Outcome.ok(Done.DONE));
        });
        identity.start(this::run);
    }

    private void run() {
        running = true;
        long now = env.clock().nanos();
        nextPing = now;
        nextLease = now;
        nextReap = now + 4 * config.pingNanos();
        replicas.scan(
                () -> trash.load(() -> new StartCheck(env, config, replicas.keys(), this::follow, fatal::fatal).run()));
    }

    private void follow() {
        if (stopped) {
            return;
        }
        guard.found(replicas.keys());
        watches.add(RegistryPaths.CLUSTER, cluster::dirty);
        members.start();
        views.start();
        ticker.start();
        scrubber.start();
    }

    /** Number of replicas in the trash; safe for use by any thread. */
    public long trashEntries() {
        return trash.usage().entries();
    }

    /** Bytes of the trash; safe for use by any thread. */
    public long trashBytes() {
        return trash.usage().bytes();
    }

    /** Stops acting at once, as a crash would; files stay as they are. */
    public void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        running = false;
        identity.stop();
        ticker.stop();
        scrubber.stop();
        atomic.service().stop();
        registration.stop();
        replicas.close();
    }

    /** Asks the coordinator to move everything away and goes on serving; done when nothing is left to move, or after the time-out. */
    public void drain(Completion<Done> completion) {
        if (identity.left() != null) {
            later(completion, Outcome.ok(Done.DONE));
        } else {
            drain.start(completion);
        }
    }

    /** Tells the cluster's identity once the registry has shown it. */
    public void onIdentity(Consumer<String> listener) {
        identity.onIdentity(listener);
    }

    /** What clients are told; empty until all tables and servers have been read. */
    public Optional<Routing> routing() {
        return routing.routing();
    }

    /** One sentence for each thing that this server lacks to be all that its cluster counts on; empty when it is ready. */
    public List<String> missing() {
        UniserveException why = identity.left();
        if (why != null) {
            return List.of("it has left service: " + why.reason());
        }
        if (stopped) {
            return List.of("it has stopped");
        }
        if (!running) {
            return List.of("it is not registered with ZooKeeper", "its cluster's identity is not seen there yet");
        }
        return drain.draining()
                ? List.of("it drains")
                : readiness.missing(env.clock().nanos());
    }

    /** Tells the routing after every change. */
    public void onRouting(Consumer<Routing> listener) {
        routing.listen(listener);
    }

    /** Reads the table's map again: a client knows a newer epoch. */
    public void refresh(TableName table) {
        views.refresh(table);
    }

    /** Tells when every table that was there at this call is known here, and so is in the routing. */
    public void search(Completion<Done> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.refusal()));
        } else {
            views.search(completion);
        }
    }

    /**
     * Settles doubts about a replica of a table whose updates are atomic, for a reader who met one at its gate.
     *
     * @param at the version that is read; 0 for the newest
     * @param defers true where the asker looks by itself for a denial of a version in flight
     */
    public void settle(
            TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.refusal()));
        } else {
            atomic.service().settle(table, key, at, defers, outcome -> later(completion, outcome));
        }
    }

    /** Versions and epochs of tables whose updates are atomic, as of one moment after this call, for a strict read. */
    public void cut(List<TableName> tables, Completion<ConsistentCut> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.refusal()));
        } else {
            cuts.cut(tables, outcome -> later(completion, outcome));
        }
    }

    /** An update from a client. */
    public void onUpdate(UpdateRequest request, Completion<UpdateReply> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.refusal()));
        } else {
            updates.update(request, completion);
        }
    }

    /** A request of another daemon. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (!running) {
            later(completion, Outcome.err(identity.refusal()));
            return;
        }
        atomic.hear(request);
        if (request instanceof PeerRequest.Tell) {
            later(completion, Outcome.ok(new PeerReply.Ack()));
        } else if (request instanceof PeerRequest.Replicate replicate) {
            replicate(replicate, completion);
        } else if (request instanceof PeerRequest.Prepare prepare) {
            Replica replica = replicas.find(prepare.key());
            if (replica == null) {
                later(completion, Outcome.ok(PeerReply.Vote.later(0, "this server does not hold the actor")));
            } else {
                replica.prepare(atomic.service().filled(prepare), outcome -> later(completion, outcome));
            }
        } else if (request instanceof PeerRequest.Decide decide) {
            Replica replica = replicas.find(decide.key());
            if (replica == null) {
                later(
                        completion,
                        Outcome.err(
                                new UniserveException(ErrorCode.NOT_PRIMARY, "this server does not hold the actor")));
            } else {
                replica.decide(decide, outcome -> later(completion, outcome));
            }
        } else if (request instanceof PeerRequest.Undisclosed asked) {
            later(
                    completion,
                    atomic.service().undisclosed(asked)
                            ? Outcome.ok(new PeerReply.Ack())
                            : Outcome.err(new UniserveException(
                                    ErrorCode.UNAVAILABLE, "this server does not know: ask the table's log")));
        } else if (request instanceof PeerRequest.Ping) {
            later(completion, Outcome.ok(new PeerReply.Pong(config.id(), registration.incarnation())));
        } else if (request instanceof PeerRequest.ReportLoad) {
            loads.report(outcome -> later(completion, outcome));
        } else if (request instanceof PeerRequest.EraseBackup erase) {
            eraser.erase(
                    erase.table(),
                    erase.key(),
                    outcome -> later(
                            completion,
                            outcome instanceof Outcome.Err<Done> err
                                    ? Outcome.err(err.error())
                                    : Outcome.ok(new PeerReply.Ack())));
        } else if (scrubber.handle(request, outcome -> later(completion, outcome))) {
            return;
        } else if (request instanceof PeerRequest.PinActor || request instanceof PeerRequest.Archive) {
            backups.handle(request, outcome -> later(completion, outcome));
        } else if (request instanceof PeerRequest.Trash asked) {
            trashRequestHandler.handle(asked.call(), outcome -> later(completion, outcome));
        } else if (request instanceof PeerRequest.Vouch vouch) {
            later(completion, Outcome.ok(replicas.vouched(vouch, registration.incarnation())));
        } else if (request instanceof PeerRequest.ValidateTable validate) {
            later(completion, DefinitionCheck.check(config, validate.meta()));
        } else if (request instanceof PeerRequest.LearnTable learn) {
            later(completion, learned(learn.meta()));
        } else {
            later(
                    completion,
                    Outcome.err(new UniserveException(
                            ErrorCode.NOT_LEADER, "a server does not take this request: ask the coordinator")));
        }
    }

    private void replicate(PeerRequest.Replicate request, Completion<PeerReply> completion) {
        Replica replica = replicas.find(request.key());
        if (replica != null) {
            boolean[] inside = {true};
            replica.replicate(request, outcome -> {
                if (inside[0]) {
                    later(completion, outcome);
                } else {
                    completion.done(outcome);
                }
            });
            inside[0] = false;
            return;
        }
        TableViews.View view = views.find(request.key().tableId());
        long epoch = 0;
        if (view == null) {
            views.refreshNames();
        } else if (request.key().actor() < view.map().actors().size()) {
            ActorState actor = view.map().actors().get(request.key().actor());
            epoch = actor.hosts(config.id()) ? 0 : actor.epoch();
            if (request.epoch() > actor.epoch()) {
                views.refresh(view.meta().name());
            }
        }
        later(
                completion,
                Outcome.ok(new Replicated(Replicated.Status.STALE_EPOCH, epoch, 0, 0, 0, registration.incarnation())));
    }

    private Outcome<PeerReply> learned(TableMeta meta) {
        TableViews.View view = views.find(meta.name());
        if (view != null && view.meta().equals(meta)) {
            return Outcome.ok(new PeerReply.Ack());
        }
        views.refreshDefinition(meta.name());
        return Outcome.err(new UniserveException(
                ErrorCode.BEHIND, "this server does not know that definition of " + meta.name() + " yet: ask again"));
    }

    private <T> void later(Completion<T> completion, Outcome<T> outcome) {
        env.timers().post(() -> completion.done(outcome));
    }

    /** Does what is due; returns for how long nothing else will be. */
    private long tick(long now) {
        if (stopped) {
            return Long.MAX_VALUE;
        }
        replicas.tick();
        atomic.service().tick(now);
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
        if (now - nextReap >= 0) {
            nextReap = now + 4 * config.pingNanos();
            orphanReplicaCleaner.run();
            trash.tick();
        }
        if (replicas.wantTicks()) {
            return config.tickNanos();
        }
        return Math.min(Math.min(nextLease, nextPing) - now, atomic.service().quietNanos(now));
    }

    private List<TableViews.View> hosted() {
        List<TableViews.View> tables = new ArrayList<>();
        if (!stopped) {
            for (TableViews.View view : views.all()) {
                if (replicas.holdsAny(view.meta().tableId())) {
                    tables.add(view);
                }
            }
        }
        return tables;
    }

    private void onCluster(Versioned read) {
        contactCheck.clusterVersion(read.version());
        if (!(read.value() instanceof ClusterRecord record)) {
            return;
        }
        UniserveException refusal = record.refusal();
        if (!record.clusterId().equals(config.clusterId())) {
            fatal.fatal(new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    "the registry belongs to cluster " + record.clusterId() + ", this server to " + config.clusterId()
                            + ": use its own registry or an empty data directory"));
        } else if (refusal != null) {
            fatal.fatal(refusal);
        }
    }

    private void onSession(Registry.SessionEvent event) {
        if (stopped) {
            return;
        }
        cuts.onSession(event);
        contact.on(event, env.clock().nanos());
        switch (event) {
            case EXPIRED -> {
                expired = true;
                registration.expired();
            }
            case CONNECTED -> {
                if (expired) {
                    expired = false;
                    watches.renew();
                    registration.attempt();
                }
            }
            case SUSPENDED -> {
                // leases run out by themselves
            }
        }
    }

    private void membersChanged() {
        ServerRecord mine = members.find(config.id());
        boolean replaced = mine == null || mine.incarnation() > registration.incarnation();
        if (registration.registered() && replaced && !expired) {
            registration.attempt();
        }
        routing.changed();
    }

    private final class ViewEvents implements TableViews.Listener {
        @Override
        public void changed(TableViews.View view) {
            if (!stopped) {
                replicas.follow(view);
                atomic.follow(view);
                routing.changed();
                if (replicas.holdsAny(view.meta().tableId())) {
                    leases.renewSoon();
                }
            }
        }

        @Override
        public void gone(TableViews.View last) {
            atomic.gone(last.meta().name());
            routing.changed();
        }

        @Override
        public void listed() {
            whenListed.run();
        }

        @Override
        public void complete() {
            routing.changed();
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
        public void tellCoordinator(PeerRequest request) {
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
            TableViews.View view = views.find(table);
            return view == null ? null : view.map();
        }

        @Override
        public int mapVersion(TableName table) {
            TableViews.View view = views.find(table);
            return view == null ? Registry.ABSENT : view.mapVersion();
        }

        @Override
        public void gateChanged(Replica replica) {
            replicas.publish(replica);
            atomic.service().gateChanged(replica);
        }

        @Override
        public void wantTicks(Replica replica) {
            replicas.wantTicks(replica);
        }

        @Override
        public void fatal(UniserveException error) {
            fatal.fatal(error);
        }
    }

    /** True while the replica is here, for tests and status. */
    public boolean hosts(ReplicaKey key) {
        return replicas.find(key) != null;
    }
}
