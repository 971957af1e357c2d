package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.gate.ActorSnapshotReadExecution;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Cluster with one fully serializable table, its managers, and servers' answers to reads at one version. */
final class AtomicCluster {
    static final long SECOND = Cluster.SECOND;
    /** The write that decides a version. */
    static final Predicate<List<Op>> DECISION = ops -> ops.stream()
            .anyMatch(op -> op instanceof Op.Set set
                    && set.value() instanceof TransactionLogState log
                    && (log.inFlight() == null || log.inFlight().isStartedAhead())
                    && !log.decisions().isEmpty());

    /** A second table. */
    static final TableName SECOND_TABLE = new TableName("t2");

    final Cluster cluster;
    private final ConsistencyLevel level;
    private final OnLoss onLoss;
    private final int minIsr;
    private final List<AtomicWatch> watches = new ArrayList<>();

    AtomicCluster(int servers, int actors, int rf) {
        this(servers, actors, rf, ConsistencyLevel.FULLY_SERIALIZABLE);
    }

    AtomicCluster(int servers, int actors, int rf, ConsistencyLevel level) {
        this(new Cluster(servers), actors, rf, level);
    }

    /** Cluster with this table, on a given cluster, which may checkpoint more often. */
    AtomicCluster(Cluster cluster, int actors, int rf, ConsistencyLevel level) {
        this(cluster, actors, rf, level, OnLoss.WAIT);
    }

    AtomicCluster(Cluster cluster, int actors, int rf, ConsistencyLevel level, OnLoss onLoss) {
        this(cluster, actors, rf, level, onLoss, 1);
    }

    /** Cluster with a table of this minIsr. */
    AtomicCluster(Cluster cluster, int actors, int rf, ConsistencyLevel level, int minIsr) {
        this(cluster, actors, rf, level, OnLoss.WAIT, minIsr);
    }

    private AtomicCluster(Cluster cluster, int actors, int rf, ConsistencyLevel level, OnLoss onLoss, int minIsr) {
        this.minIsr = minIsr;
        this.level = level;
        this.onLoss = onLoss;
        this.cluster = cluster;
        create(actors, rf);
    }

    /** Cluster with a table of this partitioner. */
    AtomicCluster(Cluster cluster, Partitioner partitioner, int rf, OnLoss onLoss) {
        this(cluster, ConsistencyLevel.FULLY_SERIALIZABLE, onLoss);
        create(partitioner, rf);
    }

    private AtomicCluster(Cluster cluster, ConsistencyLevel level, OnLoss onLoss) {
        this.minIsr = 1;
        this.level = level;
        this.onLoss = onLoss;
        this.cluster = cluster;
    }

    /** Cluster with a TIME table, which has no chunk yet. */
    static AtomicCluster ofChunks(Cluster cluster, Partitioner.Time time, int rf, ConsistencyLevel level) {
        return ofChunks(cluster, time, rf, level, OnLoss.WAIT);
    }

    static AtomicCluster ofChunks(
            Cluster cluster, Partitioner.Time time, int rf, ConsistencyLevel level, OnLoss onLoss) {
        AtomicCluster made = new AtomicCluster(cluster, level, onLoss);
        made.create(time, rf);
        return made;
    }

    /** The table that a cluster has, of this level. */
    static AtomicCluster onCluster(Cluster cluster) {
        return new AtomicCluster(cluster, ConsistencyLevel.FULLY_SERIALIZABLE, OnLoss.WAIT);
    }

    /** Runs until the coordinator has answered. */
    Outcome<AdminReply> admin(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 30);
        return outcome.get(0);
    }

    private void create(int actors, int rf) {
        create(new Partitioner.Hash(actors), rf);
    }

    private void create(Partitioner partitioner, int rf) {
        cluster.create(Cluster.T, partitioner, rf, minIsr, onLoss, level);
        cluster.await(
                () -> cluster.map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == rf
                                && actor.isr().stream()
                                        .allMatch(id -> cluster.server(id).serving(cluster.key(actor.actor())))),
                30);
    }

    ConsistencyLevel level() {
        return level;
    }

    /** Drops the table and creates another one of the same name. */
    void recreate(int actors, int rf) {
        List<Outcome<?>> dropped = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.DropTable(Cluster.T), dropped::add);
        cluster.await(() -> !dropped.isEmpty(), 20);
        cluster.loop.run(SECOND);
        create(actors, rf);
    }

    /** The node of the transaction log. */
    String logPath() {
        return cluster.logPath(Cluster.T);
    }

    TransactionLogState log() {
        if (cluster.store.value(logPath()) instanceof TransactionLogState log) {
            return log;
        }
        throw new AssertionError("no log");
    }

    /** The primary of the actor, which is the transaction manager in these tests. */
    Host primary(int actor) {
        return cluster.primary(actor);
    }

    /** An in-sync server that is not the actor's primary. */
    Host follower(int actor) {
        return cluster.actor(actor).isr().stream()
                .filter(id -> !id.equals(cluster.actor(actor).primary()))
                .map(cluster::server)
                .findFirst()
                .orElseThrow();
    }

    /** A server that is the primary of none of these actors. */
    Host other(int... actors) {
        for (Host host : cluster.servers.values()) {
            boolean leads = false;
            for (int actor : actors) {
                leads |= primary(actor) == host;
            }
            if (!leads) {
                return host;
            }
        }
        throw new AssertionError("every server leads one");
    }

    static Map<Integer, String> rows(String text, int... actors) {
        TreeMap<Integer, String> rows = new TreeMap<>();
        for (int actor : actors) {
            rows.put(actor, text);
        }
        return rows;
    }

    /** Sends the update to this manager. The list gets the outcome. */
    List<Outcome<UpdateReply>> send(Host driver, RequestId id, int attempt, Map<Integer, String> rows) {
        return send(Cluster.T, cluster.map().tableId(), driver, id, attempt, rows);
    }

    List<Outcome<UpdateReply>> send(
            TableName table, long tableId, Host driver, RequestId id, int attempt, Map<Integer, String> rows) {
        watches.forEach(watch -> watch.sent(rows));
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        List<UpdateRequest.ActorRows> parts = new ArrayList<>();
        rows.forEach((actor, text) -> parts.add(new UpdateRequest.ActorRows(actor, 0, Bytes.utf8(text))));
        UpdateRequest request =
                new UpdateRequest(table, tableId, id, 0, attempt, AckLevel.ISR, "put@1", parts, 60 * SECOND);
        driver.machine().onUpdate(request, outcome::add);
        return outcome;
    }

    /** Commits an update and returns its version. */
    long update(Host driver, Map<Integer, String> rows) {
        return version(send(driver, cluster.nextId(), 1, rows));
    }

    /** The version that the update is committed in. */
    long version(List<Outcome<UpdateReply>> outcome) {
        cluster.await(() -> !outcome.isEmpty(), 60);
        if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                && ok.value().failures().isEmpty()) {
            return ok.value().acks().get(0).index();
        }
        throw new AssertionError("not committed: " + outcome.get(0));
    }

    ErrorCode error(List<Outcome<UpdateReply>> outcome) {
        cluster.await(() -> !outcome.isEmpty(), 90);
        return outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                ? ok.value().failures().get(0).code()
                : ((Outcome.Err<UpdateReply>) outcome.get(0)).error().code();
    }

    /** The error message of a failed update. */
    String message(List<Outcome<UpdateReply>> outcome) {
        return outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                ? ok.value().failures().get(0).message()
                : ((Outcome.Err<UpdateReply>) outcome.get(0)).error().reason();
    }

    /** Runs until these actors' primaries and their followers have prepared the version. */
    void awaitPrepared(long version, int... actors) {
        cluster.await(
                () -> {
                    for (int actor : actors) {
                        boolean all = cluster.actor(actor).isr().stream()
                                .map(id -> cluster.server(id).gates.get(cluster.key(actor)))
                                .allMatch(gate -> gate != null && gate.inDoubtVersion() == version);
                        if (!all) {
                            return false;
                        }
                    }
                    return true;
                },
                30);
    }

    /** Runs until every replica of the actor has these rows and none is in doubt. */
    void awaitRows(int actor, String... rows) {
        cluster.await(
                () -> cluster.actor(actor).isr().stream()
                        .map(cluster::server)
                        .allMatch(host -> host.up()
                                && host.engine().rows(cluster.key(actor)).equals(List.of(rows))
                                && doubt(host, actor) == 0),
                60);
    }

    /** The version in doubt there; 0 for none, -1 without a replica. */
    long doubt(Host host, int actor) {
        ReadGate gate = host.gates.get(cluster.key(actor));
        return gate == null ? -1 : gate.inDoubtVersion();
    }

    /** One server's answer for the actor at a version, 0 for the newest. Runs until it arrives. */
    Answer ask(Host host, int actor, long at) {
        List<Answer> heard = asked(host, actor, cluster.actor(actor).epoch(), at);
        cluster.await(() -> !heard.isEmpty(), 30);
        return heard.get(0);
    }

    /** Sends a read with this epoch to one server. The list gets the answer. */
    List<Answer> asked(Host host, int actor, long epoch, long at) {
        List<Answer> heard = new ArrayList<>();
        VersionedRead.Target target = new VersionedRead.Target(actor, epoch);
        VersionedRead request = new VersionedRead(
                Cluster.T, cluster.map().tableId(), List.of(target), "rows@1", Bytes.EMPTY, at, SECOND);
        serve(host, request, target, heard::add);
        return heard;
    }

    /** Answer, or its error. */
    record Answer(long at, List<String> rows, Optional<ErrorCode> error) {
        static Answer failed(ErrorCode code) {
            return new Answer(0, List.of(), Optional.of(code));
        }
    }

    /** The steps of a reader on a server (docs/protocol.md, section 4). */
    private ActorSnapshotReadExecution serve(
            Host host, VersionedRead request, VersionedRead.Target target, Consumer<Answer> then) {
        ReplicaKey key = new ReplicaKey(request.tableId(), target.actor());
        ActorSnapshotReadExecution share = new ActorSnapshotReadExecution(request, target, host.version(key.tableId()));
        ReadGate gate = gate(host, key);
        if (gate == null) {
            then.accept(Answer.failed(ErrorCode.UNAVAILABLE));
            return share;
        }
        switch (share.admit(gate, cluster.loop.nanos())) {
            case NONE -> then.accept(failed(share));
            case TAKE -> fix(host, key, share, then);
            case RESOLVE ->
                host.machine()
                        .resolveInDoubt(
                                request.table(), key, request.version(), request.acceptsOpenVersions(), settled -> {
                                    if (settled instanceof Outcome.Ok<InDoubtResolution> ok) {
                                        share.onResolved(ok.value());
                                        fix(host, key, share, then);
                                    } else {
                                        then.accept(Answer.failed(((Outcome.Err<InDoubtResolution>) settled)
                                                .error()
                                                .code()));
                                    }
                                });
        }
        return share;
    }

    private void fix(Host host, ReplicaKey key, ActorSnapshotReadExecution share, Consumer<Answer> then) {
        TestingEngine.State state = host.engine().state(key, share.requestedVersion());
        List<String> rows = List.of();
        if (state == null) {
            share.failVersionGone();
        } else if (share.onStateTaken(state.version())) {
            rows = state.rows();
        }
        ReadGate gate = gate(host, key);
        if (gate == null) {
            then.accept(Answer.failed(ErrorCode.UNAVAILABLE));
        } else if (share.confirm(gate, cluster.loop.nanos()).isPresent()) {
            then.accept(failed(share));
        } else {
            then.accept(new Answer(share.completeVersion(), rows, Optional.empty()));
        }
    }

    private static Answer failed(ActorSnapshotReadExecution share) {
        return Answer.failed(share.failure().orElseThrow().code());
    }

    private static @Nullable ReadGate gate(Host host, ReplicaKey key) {
        return host.up() ? host.gates.get(key) : null;
    }

    private Optional<Host> at(Address to) {
        return cluster.servers.values().stream()
                .filter(each -> each.up() && each.address().equals(to))
                .findFirst();
    }

    private static UniserveException nobody(Address to) {
        return new UniserveException(ErrorCode.UNAVAILABLE, "no server listens at " + to);
    }

    /** Sends a client's update, or rows of it, to the server at the address. */
    void update(Address to, UpdateRequest request, Completion<UpdateReply> completion) {
        Optional<Host> host = at(to);
        if (host.isEmpty()) {
            completion.done(Outcome.err(nobody(to)));
        } else {
            host.get().machine().onUpdate(request, completion);
        }
    }

    /** Answers a client's request for a snapshot of these tables. */
    void cut(Address to, List<TableName> tables, Completion<ConsistentSnapshot> completion) {
        Optional<Host> host = at(to);
        if (host.isEmpty()) {
            completion.done(Outcome.err(nobody(to)));
        } else {
            host.get().machine().readConsistentCut(tables, completion);
        }
    }

    /** Answers a client's part of a read like the server at the address. */
    void read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        Optional<Host> host = at(to);
        if (host.isEmpty()) {
            cluster.loop.soon(() -> completion.done(Outcome.err(nobody(to))));
            return;
        }
        List<VersionedRead.Part> parts = new ArrayList<>();
        List<ActorFailure> failures = new ArrayList<>();
        List<ActorSnapshotReadExecution> shares = new ArrayList<>();
        for (VersionedRead.Target target : request.targets()) {
            shares.add(serve(host.get(), request, target, answer -> {
                if (answer.error().isPresent()) {
                    failures.add(new ActorFailure(target.actor(), answer.error().get(), "refused", 0));
                } else {
                    parts.add(new VersionedRead.Part(
                            target.actor(), answer.at(), Bytes.utf8(String.join(",", answer.rows()))));
                }
                if (parts.size() + failures.size() == request.targets().size()) {
                    List<Long> denials = List.of(host.get().denied(request.tableId()));
                    cluster.loop.soon(() -> completion.done(
                            Outcome.ok(ActorSnapshotReadExecution.reply(request, shares, parts, failures, denials))));
                }
            }));
        }
    }

    /** A client that reads the whole table from now on, and gets a copy of all updates. */
    AtomicWatch watch() {
        AtomicWatch watch = new AtomicWatch(this);
        watches.add(watch);
        watch.start();
        return watch;
    }

    /** A reading client. */
    AtomicReader reader() {
        return new AtomicReader(this);
    }

    /** Read of the whole table by a new client. It must be of one version, so all actors have the same rows. */
    String readAlike(int... actors) {
        AtomicReader reader = reader();
        Map<Integer, String> values = reader.read(actors).values();
        assertThat(values.values().stream().distinct().toList())
                .as(() -> values.toString())
                .hasSize(1);
        return values.values().iterator().next();
    }
}
