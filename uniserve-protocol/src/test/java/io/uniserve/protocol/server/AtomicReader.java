package io.uniserve.protocol.server;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.routing.RoutingView;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reading client with the newest map. */
final class AtomicReader implements RoutingView, ClientNetwork {
    private final AtomicCluster atomic;
    final VersionWatermarks floors = new VersionWatermarks();
    /** Number of answers to strict reads that fail with VERSION_GONE. */
    int gone;
    /** Number of answers that fail otherwise, and number of correct answers before. */
    int silent;

    int answersBefore;
    /** True: strict reads use operators with side effects, such as scatters. */
    boolean ofOneMoment;

    /** The map of this client until it requests a newer one; null if it always has the newest. */
    @Nullable
    RouteIndex old;

    /** Number of actors that strict reads requested per server. */
    final Map<String, Integer> actorsAsked = new TreeMap<>();

    /** The requests of reads of the newest state. */
    final List<VersionedRead> asked = new ArrayList<>();

    /** Change of the answers to such reads. */
    UnaryOperator<VersionedRead.Reply> ear = reply -> reply;

    /** Read weights of every actor, in the map of this client. */
    Map<ServerId, Double> weights = Map.of();

    RoutingPolicy policy = RoutingPolicy.weighted();

    /** Time that servers need per read. */
    long takesNanos;

    /** Number of reads at servers. */
    int calls;

    AtomicReader(AtomicCluster atomic) {
        this.atomic = atomic;
    }

    /** Result of a read. */
    record Read(long version, Map<Integer, String> values, int rounds) {}

    Read read(int... actors) {
        Outcome<SnapshotReadExecution.Result> outcome = ask(20, actors);
        if (outcome instanceof Outcome.Ok<SnapshotReadExecution.Result> ok) {
            TreeMap<Integer, String> values = new TreeMap<>();
            ok.value().values().forEach((actor, value) -> values.put(actor, value.utf8()));
            return new Read(ok.value().version(), values, ok.value().rounds());
        }
        throw new AssertionError("not read: " + outcome);
    }

    Outcome<SnapshotReadExecution.Result> ask(long seconds, int... actors) {
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        begin(seconds, IntStream.of(actors).boxed().toList(), outcome::add);
        atomic.cluster.await(() -> !outcome.isEmpty(), seconds + 1);
        return outcome.get(0);
    }

    /** Starts a read of these actors, or of all if there are none. */
    void begin(long seconds, List<Integer> asked, Completion<SnapshotReadExecution.Result> told) {
        Cluster cluster = atomic.cluster;
        Query query = new Query(
                Cluster.T,
                asked.isEmpty() ? Optional.empty() : Optional.of(asked),
                "rows@1",
                Bytes.EMPTY,
                ReadMode.LINEARIZABLE,
                cluster.loop.nanos() + seconds * Cluster.SECOND);
        SnapshotReadExecution machine = new SnapshotReadExecution(environment(), this::fresh, floors, query, told);
        if (atomic.level() == ConsistencyLevel.SERIALIZABLE) {
            machine.newestPerActor();
        }
        machine.start();
    }

    /** Starts a read of all actors at the version that an earlier read has seen. */
    void beginAt(long version, long seconds, Completion<SnapshotReadExecution.Result> told) {
        Cluster cluster = atomic.cluster;
        Query query = new Query(
                Cluster.T,
                Optional.empty(),
                "rows@1",
                Bytes.EMPTY,
                ReadMode.LINEARIZABLE,
                cluster.loop.nanos() + seconds * Cluster.SECOND);
        new SnapshotReadExecution(environment(), this::fresh, floors, query, version, told).start();
    }

    private Timers.Cancel fresh(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        asked.add(request);
        Completion<VersionedRead.Reply> told = outcome -> completion.done(
                outcome instanceof Outcome.Ok<VersionedRead.Reply> ok ? Outcome.ok(ear.apply(ok.value())) : outcome);
        calls++;
        atomic.cluster.loop.after(takesNanos, () -> atomic.read(to, request, told));
        return () -> {};
    }

    /** Reads all actors of these tables at one confirmed snapshot. */
    Outcome<List<StrictReadExecution.Result>> strict(long seconds, TableName... tables) {
        return strictAt(null, seconds, tables);
    }

    /** The same at an earlier snapshot. */
    Outcome<List<StrictReadExecution.Result>> strictAt(
            @Nullable ConsistentSnapshot consistentCut, long seconds, TableName... tables) {
        Cluster cluster = atomic.cluster;
        List<Query> queries = new ArrayList<>();
        for (TableName table : tables) {
            queries.add(new Query(
                    table,
                    Optional.empty(),
                    "rows@1",
                    Bytes.EMPTY,
                    ReadMode.LINEARIZABLE,
                    cluster.loop.nanos() + seconds * Cluster.SECOND));
        }
        List<Outcome<List<StrictReadExecution.Result>>> outcome = new ArrayList<>();
        StrictReadExecution machine = new StrictReadExecution(
                environment(), this::versioned, this::cut, floors, queries, consistentCut, outcome::add);
        if (ofOneMoment) {
            machine.requireSingleSnapshot();
        }
        machine.start();
        cluster.await(() -> !outcome.isEmpty(), seconds + 1);
        return outcome.get(0);
    }

    /** One server's part of a read, with the planted faults. */
    Timers.Cancel versioned(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        Cluster cluster = atomic.cluster;
        actorsAsked.merge(to.toString(), request.targets().size(), Integer::sum);
        calls++;
        cluster.loop.after(takesNanos, () -> {
            boolean planted = answersBefore-- <= 0;
            if (planted && gone > 0) {
                gone--;
                cluster.loop.after(Cluster.SECOND / 10, () -> completion.done(Outcome.ok(gone(request))));
            } else if (planted && silent > 0) {
                silent--;
                cluster.loop.after(
                        Cluster.SECOND / 10,
                        () -> completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "planted"))));
            } else {
                atomic.read(to, request, completion);
            }
        });
        return () -> {};
    }

    /** Requests a snapshot from a server. */
    void cut(Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        atomic.cluster.loop.soon(() -> atomic.cut(to, tables, completion));
    }

    /** Keeps the current map from now on, until the client requests a newer one. */
    void lag() {
        old = newest();
    }

    private static VersionedRead.Reply gone(VersionedRead request) {
        return new VersionedRead.Reply(
                List.of(),
                request.targets().stream()
                        .map(target -> new ActorFailure(target.actor(), ErrorCode.VERSION_GONE, "not kept any more", 0))
                        .toList());
    }

    ClientContext environment() {
        Cluster cluster = atomic.cluster;
        return new ClientContext(
                cluster.loop,
                cluster.loop,
                this,
                this,
                () -> cluster.ids++,
                ClientState.of(RequestSettings.defaults(), policy));
    }

    @Override
    public RouteIndex current() {
        RouteIndex known = old;
        return known == null ? newest() : known;
    }

    private RouteIndex newest() {
        Cluster cluster = atomic.cluster;
        List<Routing.TableRoute> tables = new ArrayList<>();
        for (TableName name : List.of(Cluster.T, AtomicCluster.SECOND_TABLE)) {
            if (cluster.store.value(RegistryPaths.meta(name)) instanceof TableMeta meta
                    && cluster.store.value(RegistryPaths.map(name)) instanceof TableMap map) {
                List<ActorState> actors =
                        map.actors().stream().map(this::weighed).toList();
                tables.add(new Routing.TableRoute(meta, map.withActors(actors), 1));
            }
        }
        List<ServerRecord> servers = new ArrayList<>();
        for (String name : cluster.servers.keySet()) {
            if (cluster.store.value(RegistryPaths.SERVERS + "/" + name) instanceof ServerRecord record) {
                servers.add(record);
            }
        }
        return RouteIndex.of(new Routing("test", tables, servers, null));
    }

    private ActorState weighed(ActorState actor) {
        return new ActorState(
                actor.actor(),
                actor.epoch(),
                actor.primary(),
                actor.isr(),
                actor.learners(),
                actor.fencing(),
                actor.desiredServers(),
                weights,
                actor.restoreEpoch(),
                actor.epochStarted(),
                actor.previousIsr());
    }

    @Override
    public void refresh(Completion<RouteIndex> completion) {
        atomic.cluster.loop.soon(() -> {
            old = null;
            completion.done(Outcome.ok(current()));
        });
    }

    @Override
    public Timers.Cancel onChange(Runnable changed) {
        return () -> {};
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "reads are of one version here");
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        atomic.cut(to, List.of(table), completion);
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this client reads");
    }
}
