package io.uniserve.cli;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.client.ServerQueries;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.Release;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.access.UserLimits;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.update.UpdateResult.Failure;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.protocol.message.AdminReply.UserInfo;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import io.uniserve.protocol.message.AdminReply.WorkProgress;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Cluster of two servers in memory, for tests of commands. An actor refuses a batch in which a row has the field {@code bad}, like a port;
 * with atomic updates all actors refuse it. A failing actor acknowledges nothing.
 */
public final class TestingClusterClient implements ClusterClient {
    private static final ServerId ONE = new ServerId("server-1");
    private static final ServerId TWO = new ServerId("server-2");

    private final Map<TableName, TableRoute> tables = new TreeMap<>();
    private final Map<TableName, Map<String, Document>> rows = new TreeMap<>();
    private final Map<Integer, ErrorCode> failing = new TreeMap<>();
    private final Set<ServerId> drained = new TreeSet<>();
    private Release releaseOfTwo = Release.CURRENT;
    private Rebalance rebalance = Rebalance.NONE;
    private final Map<BackupName, TableMeta> backups = new TreeMap<>();
    private final Map<Long, TableMeta> lost = new TreeMap<>();
    private final Map<ServerId, List<TrashEntry>> trash = new TreeMap<>();
    private final List<ServerQueries> queries = new ArrayList<>();
    private final List<ReplicaKey> held = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final Map<String, Answer> answers = new TreeMap<>();
    private AccessRules rules = AccessRules.NONE;
    /** Answer of {@link #certificates}. */
    public List<ProcessCertificate> certificates = List.of();

    /** Users with a password, by name. */
    public final Map<String, UserCredential> credentials = new TreeMap<>();

    private String caller = "";
    private @Nullable ClusterStatus status;

    /** Adds the running queries of a server. */
    public void runs(ServerQueries told) {
        queries.add(told);
    }

    /** Makes the actor fail all updates from now on. */
    public void fail(int actor, ErrorCode code) {
        failing.put(actor, code);
    }

    /** Names of the calls that change something, in order. */
    public List<String> changes() {
        return List.copyOf(calls);
    }

    /** Rows by key. */
    public Map<String, Document> rows(String table) {
        return rows.getOrDefault(new TableName(table), Map.of());
    }

    @Override
    public List<TableRoute> tables() {
        return List.copyOf(tables.values());
    }

    @Override
    public TableRoute table(TableName name) {
        TableRoute route = tables.get(name);
        if (route == null) {
            throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist");
        }
        return route;
    }

    @Override
    public TableRoute create(TableMeta meta) {
        calls.add("create " + meta.name());
        if (meta.rf() > 2) {
            throw UniserveException.invalid("rf is " + meta.rf() + " but 2 servers are live: start more servers");
        }
        List<ActorState> actors = new ArrayList<>();
        for (int actor = 0; actor < meta.partitioner().actors(); actor++) {
            List<ServerId> isr = meta.rf() == 1 ? List.of(ONE) : List.of(ONE, TWO);
            actors.add(new ActorState(actor, 1, ONE, isr, List.of(), List.of(), isr, Map.of(), 0));
        }
        tables.put(meta.name(), new TableRoute(meta, new TableMap(meta.name(), 1, actors), 0));
        rows.put(meta.name(), new TreeMap<>());
        return table(meta.name());
    }

    @Override
    public TableRoute update(TableName name, Map<String, String> options) {
        calls.add("update " + name);
        TableRoute old = table(name);
        tables.put(name, new TableRoute(old.meta().with(options), old.map(), old.mapVersion() + 1));
        return table(name);
    }

    @Override
    public void move(TableName name, int actor, ServerId from, ServerId to) {
        calls.add("move " + name + "/" + actor + " " + from + " " + to);
        TableRoute old = table(name);
        List<ActorState> actors = new ArrayList<>(old.map().actors());
        List<ServerId> isr = List.of(to);
        actors.set(actor, new ActorState(actor, 4, to, isr, List.of(), List.of(), isr, Map.of(), 0));
        tables.put(name, new TableRoute(old.meta(), new TableMap(name, 1, actors), old.mapVersion() + 1));
    }

    @Override
    public void replicate(TableName name, int actor, int copies) {
        calls.add("replicate " + name + "/" + actor + " " + copies);
        TableRoute old = table(name);
        List<ActorState> actors = new ArrayList<>(old.map().actors());
        ActorState before = actors.get(actor);
        List<ServerId> isr = copies == 0 ? List.of(ONE) : List.of(ONE, TWO);
        actors.set(
                actor,
                new ActorState(actor, before.epoch() + 1, ONE, isr, List.of(), List.of(), isr, Map.of(), 0)
                        .withCopies(copies));
        tables.put(name, new TableRoute(old.meta(), new TableMap(name, 1, actors), old.mapVersion() + 1));
    }

    @Override
    public void drain(ServerId server, boolean wanted) {
        calls.add((wanted ? "drain " : "undrain ") + server);
        if (!wanted) {
            drained.remove(server);
            return;
        }
        drained.add(server);
        for (TableRoute table : tables()) {
            for (ActorState actor : table.map().actors()) {
                if (actor.isr().contains(server)) {
                    move(table.meta().name(), actor.actor(), server, server.equals(ONE) ? TWO : ONE);
                }
            }
        }
    }

    @Override
    public void drop(TableName name) {
        calls.add("drop " + name);
        table(name);
        tables.remove(name);
    }

    @Override
    public void backup(TableName table, BackupName name) {
        calls.add("backup " + table + " " + name);
        TableMeta meta = table(table).meta();
        if (backups.containsKey(name)) {
            throw new UniserveException(ErrorCode.BACKUP_EXISTS, "backup " + name + " exists");
        }
        backups.put(name, meta);
    }

    @Override
    public void salvage(long tableId, BackupName name) {
        calls.add("salvage " + tableId + " " + name);
        backups.put(name, lost.get(tableId));
    }

    @Override
    public TableRoute restore(BackupName name, TableName table) {
        calls.add("restore " + name + " " + table);
        TableMeta meta = backups.get(name);
        if (meta == null) {
            throw new UniserveException(ErrorCode.BACKUP_NOT_FOUND, "backup " + name + " does not exist");
        }
        return create(new TableMeta(
                table,
                9,
                meta.partitioner(),
                meta.keyField(),
                meta.level(),
                meta.rf(),
                meta.minIsr(),
                meta.onLoss(),
                meta.port(),
                meta.options()));
    }

    @Override
    public List<BackupInfo> backups() {
        List<BackupInfo> infos = new ArrayList<>();
        backups.forEach((name, meta) -> infos.add(new BackupInfo(
                "0123456789abcdef",
                name.value(),
                "c0ffee",
                meta.name().value(),
                meta.tableId(),
                meta.partitioner().actors(),
                BackupInfo.State.COMPLETE,
                5_000_000,
                1_234,
                "")));
        return infos;
    }

    @Override
    public void verify(BackupName name) {
        calls.add("verify " + name);
        throw new UniserveException(ErrorCode.CORRUPT, "object x is damaged");
    }

    /** Explanation of any chunk; null if no table has chunks. */
    public @Nullable ChunkExplanation chunk;

    /** State of the auto-scaler; null without a provider. */
    public @Nullable Scaling scaling;

    @Override
    public Scaling scaling() {
        Scaling present = scaling;
        if (present == null) {
            throw UniserveException.unsupported("this coordinator has no provider of servers");
        }
        return present;
    }

    /** Sets the user whose certificate the command has; empty for mode open. */
    public void caller(String user) {
        caller = user;
    }

    @Override
    public void changeGrant(RoleGrant grant, boolean revoke) {
        calls.add((revoke ? "revoke " : "grant ") + grant);
        rules = revoke ? rules.without(grant) : rules.with(grant);
    }

    @Override
    public void changeRevocation(Revocation revocation, boolean undo) {
        rules = undo ? rules.without(revocation) : rules.with(revocation);
    }

    @Override
    public void changeLimit(Role role, LimitKind kind, long value) {
        rules = value == 0 ? rules.without(role, kind) : rules.with(new RoleLimit(role, kind, value));
    }

    @Override
    public List<ProcessCertificate> certificates() {
        return certificates;
    }

    @Override
    public void putUser(UserCredential credential, boolean add) {
        calls.add((add ? "add-user " : "passwd ") + credential);
        credentials.put(credential.user(), credential);
    }

    @Override
    public void removeUser(String name) {
        calls.add("remove-user " + name);
        credentials.remove(name);
    }

    @Override
    public List<UserInfo> users() {
        return credentials.values().stream()
                .map(user -> new UserInfo(user.user(), user.iterations()))
                .toList();
    }

    @Override
    public UserRoles grants(String user) {
        String name = user.isEmpty() ? caller : user;
        return new UserRoles(
                name,
                rules.of(name),
                List.of(),
                UserLimits.ofGrants(rules.of(name), rules.limits()).all());
    }

    @Override
    public UserRoles allGrants() {
        return new UserRoles("", rules.grants(), rules.revocations(), rules.limits());
    }

    @Override
    public void holdScaling(String reason) {
        calls.add("hold-scaling '" + reason + "'");
    }

    @Override
    public ChunkExplanation explainChunk(TableName table, long millis) {
        calls.add("explain-chunk " + table + " " + millis);
        ChunkExplanation told = chunk;
        if (told == null) {
            throw UniserveException.invalid("table " + table + " is not partitioned by time, so it has no chunks");
        }
        return told;
    }

    /** Result of a comparison of any actor; null for equal replicas on all servers. */
    public @Nullable Compared compared;

    @Override
    public Compared verify(TableName table, int actor) {
        calls.add("verify " + table + " " + actor);
        Compared told = compared;
        return told != null
                ? told
                : new Compared(
                        7,
                        servers().stream()
                                .map(server -> new Compared.Copy(server.id(), Compared.Verdict.EQUAL, "ab12", ""))
                                .toList());
    }

    @Override
    public void delete(BackupName name) {
        calls.add("delete " + name);
        backups.remove(name);
    }

    @Override
    public WorkProgress backupProgress(BackupName name) {
        return new WorkProgress(1, 2);
    }

    @Override
    public List<TableMeta> lostTables() {
        return List.copyOf(lost.values());
    }

    @Override
    public List<ServerQueries> queries() {
        return queries;
    }

    @Override
    public RunningQuery cancelQuery(long id) {
        return queries.stream()
                .flatMap(server -> server.queries().stream())
                .filter(query -> query.id() == id)
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("query " + Long.toHexString(id) + ": no live server"));
    }

    @Override
    public TrashReport trash(ServerId server) {
        return new TrashReport(
                List.copyOf(trash.getOrDefault(server, List.of())),
                server.equals(TWO) ? List.copyOf(held) : List.of(),
                1_000);
    }

    @Override
    public void restoreTrash(ServerId server, String entry) {
        calls.add("restore trash " + server + " " + entry);
        trash.getOrDefault(server, List.of()).removeIf(one -> one.id().equals(entry));
    }

    @Override
    public void purgeTrash(ServerId server, String entry) {
        calls.add("purge trash " + server + " " + entry);
        trash.getOrDefault(server, List.of()).removeIf(one -> one.id().equals(entry));
    }

    /** Adds an entry to the server's trash. */
    public void discard(String server, TrashEntry entry) {
        trash.computeIfAbsent(new ServerId(server), id -> new ArrayList<>()).add(entry);
    }

    /** Makes the second server keep this replica of an unknown table. */
    public void hold(ReplicaKey key) {
        held.add(key);
    }

    /** Adds a table to durable storage that the cluster does not have. */
    public void lose(long number, TableMeta table) {
        lost.put(number, table);
    }

    @Override
    public List<ServerRecord> servers() {
        PortInfo kv = new PortInfo(
                "kv",
                "1",
                Set.of(ConsistencyLevel.EVENTUAL),
                List.of("kv.count@1"),
                List.of("kv.put@1", "kv.delete@1"));
        Capacity capacity = new Capacity(2_000, 1 << 30, 1L << 40);
        return List.of(
                new ServerRecord(ONE, 3, new Address("127.0.0.1", 7071), "a", capacity, List.of(kv)),
                new ServerRecord(TWO, 1, new Address("127.0.0.1", 7072), "b", capacity, List.of(kv), releaseOfTwo));
    }

    /** Sets the release of the second server. */
    public void releaseOfTwo(Release release) {
        releaseOfTwo = release;
    }

    /** Sets the answer of a query. */
    public void answer(String query, String contentType, String body) {
        answers.put(query, new Answer(contentType, Bytes.utf8(body)));
    }

    /** Sets the current moves. */
    public void rebalance(Rebalance told) {
        rebalance = told;
    }

    /** Sets the status. */
    public void status(ClusterStatus told) {
        status = told;
    }

    @Override
    public ClusterStatus status() {
        ClusterStatus told = status;
        if (told != null) {
            return told;
        }
        Routing routing = new Routing("c0ffee", tables(), servers(), new Address("127.0.0.1", 7070));
        List<ReplicaLoad> replicas = new ArrayList<>();
        for (TableRoute table : tables()) {
            for (ActorState actor : table.map().actors()) {
                ReplicaKey key = new ReplicaKey(table.meta().tableId(), actor.actor());
                replicas.add(new ReplicaLoad(key, 1, "PRIMARY", 9, 9, 9, 4, 1_000, 2_000_000, 1.5, 2.5, 7, 5, 61));
            }
        }
        List<PopularSet> sets = tables().stream()
                .map(table -> new PopularSet(table.meta().tableId(), List.of(0, 1), 3.5, 0.25))
                .toList();
        return new ClusterStatus(
                routing, 7, List.of(new Load(ONE, replicas, 15.0, 5 << 20, sets)), List.copyOf(drained), rebalance);
    }

    @Override
    public UpdateOutcome update(
            TableName table, String function, List<Document> documents, AckLevel ack, long deadlineMs) {
        calls.add(function + " " + documents.size() + " " + ack);
        Map<Integer, List<Document>> byActor = new TreeMap<>();
        for (Document document : documents) {
            int actor = table(table).meta().partitioner().actorOf(document.partitionKey());
            byActor.computeIfAbsent(actor, a -> new ArrayList<>()).add(document);
        }
        List<ActorAck> acked = new ArrayList<>();
        List<Failure> failed = new ArrayList<>();
        if (table(table).meta().level() != ConsistencyLevel.EVENTUAL
                && documents.stream().anyMatch(row -> row.fields().containsKey("bad"))) {
            byActor.keySet()
                    .forEach(actor -> failed.add(new Failure(
                            actor,
                            new UniserveException(
                                    ErrorCode.UPDATE_REFUSED, "INVALID_ROW field \"bad\" is not in the schema"))));
            byActor.clear();
        }
        byActor.forEach((actor, batch) -> {
            if (failing.containsKey(actor)) {
                failed.add(new Failure(actor, new UniserveException(failing.get(actor), "told to fail")));
            } else if (batch.stream().anyMatch(row -> row.fields().containsKey("bad"))) {
                failed.add(new Failure(
                        actor, new UniserveException(ErrorCode.INVALID_ROW, "field \"bad\" is not in the schema")));
            } else {
                acked.add(new ActorAck(actor, 1, 1, false));
                batch.forEach(row -> rows.computeIfAbsent(table, t -> new TreeMap<>())
                        .put(row.partitionKey().toString(), row));
            }
        });
        return new UpdateOutcome(List.of(new RequestId(1, 1, 1)), acked, failed, 1, 0);
    }

    @Override
    public UpdateOutcome updateEverywhere(
            TableName table, String function, List<Document> documents, AckLevel ack, long deadlineMs) {
        calls.add(function + " everywhere " + documents.size() + " " + ack);
        int actors = table(table).meta().partitioner().actors();
        List<ActorAck> acked = IntStream.range(0, actors)
                .mapToObj(actor -> new ActorAck(actor, 1, 1, false))
                .toList();
        return new UpdateOutcome(List.of(new RequestId(1, 1, 1)), acked, List.of(), 1, 0);
    }

    @Override
    public Answer query(TableName table, String text, ReadMode mode, long deadlineMs) {
        table(table);
        Answer told = answers.get(text);
        if (told != null) {
            calls.add("query " + table + " " + mode);
            return told;
        }
        if (!text.equals("count")) {
            throw UniserveException.invalid("unknown query \"" + text + "\"; use count");
        }
        Bytes body = Bytes.utf8("{\"count\":" + rows(table.value()).size() + "}");
        return new Answer("application/json", body, new Answer.Effort(2, 1, 0));
    }

    @Override
    public Answer explain(TableName table, String text, ReadMode mode, long deadlineMs) {
        int bytes = query(table, text, mode, deadlineMs).body().size();
        return new Answer("text/plain", Bytes.utf8("retrieve of " + table + "\nanswer: " + bytes + " bytes\n"));
    }

    @Override
    public void close() {
        // Nothing to close; tests continue with the same state.
    }
}
