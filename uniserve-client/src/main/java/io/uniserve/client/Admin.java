package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.protocol.message.AdminReply.UserInfo;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import io.uniserve.protocol.message.AdminReply.WorkProgress;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.TrashCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Administrative operations: tables, backups, servers and the state of the cluster. Requests go to the leading coordinator. If it
 * fails, the client finds the next leader until the deadline. Then it fails with DEADLINE_EXCEEDED, or with OUTCOME_UNKNOWN if a
 * change may have been made, with the attempts. Immutable and thread-safe.
 *
 * <pre>{@code
 * Admin admin = client.admin().deadline(Duration.ofMinutes(1));
 * admin.createTable(TableSpec.named("visits").port("kv").hash(16).replicas(2));
 * admin.backupTable("visits", "before-upgrade");
 * }</pre>
 */
public final class Admin {
    private final ClientCore core;
    private final AdminOperationFactory adminOperations;
    private final Duration deadline;

    Admin(ClientCore core, Duration deadline) {
        this.core = core;
        this.adminOperations = new AdminOperationFactory(core);
        this.deadline = deadline;
    }

    /** Returns a copy with another deadline, more than 0 and at most an hour. */
    public Admin deadline(Duration duration) {
        return new Admin(core, DeadlineValidator.check("deadline", duration));
    }

    /**
     * Creates a table. Returns when every actor has a live primary and this client can use it. Fails with TABLE_EXISTS;
     * INVALID_ARGUMENT, with the wrong field; UNKNOWN_PORT if no server has the port.
     */
    public TableRoute createTable(TableSpec spec) {
        return createTable(spec.meta());
    }

    /** Creates a table from its definition; its table number is ignored. */
    public TableRoute createTable(TableMeta meta) {
        return ClientFuture.await(adminOperations.create(meta, end()));
    }

    /** Asynchronous form of {@link #createTable(TableSpec)}. */
    public CompletionStage<TableRoute> createTableAsync(TableSpec spec) {
        return stage(adminOperations.create(spec.meta(), end()));
    }

    /**
     * Changes the options of a table, as far as its port allows this for a table with rows. The definition changes first, then each
     * actor, through its log. Returns when all actors have the options. Fails with TABLE_NOT_FOUND; INVALID_ARGUMENT or UNSUPPORTED,
     * with the option that cannot change, and without any change; VERSION_GONE if the table was changed concurrently. After any other
     * error some actors may have the old options: the table is usable, and a repetition of the call completes the change.
     *
     * @param options all of the table's options, by name: the port's, and those of Uniserve ({@link ReservedTableOptions})
     */
    public TableRoute updateTable(String name, Map<String, String> options) {
        long end = end();
        TableName table = new TableName(name);
        TableMeta known =
                ClientFuture.await(adminOperations.describe(table, end)).meta();
        TableRoute changed = ClientFuture.await(adminOperations.update(known, options, end));
        if (ReservedTableOptions.withoutReserved(known).equals(ReservedTableOptions.withoutReserved(changed.meta()))
                && (!known.equals(changed.meta()) || known.level() != ConsistencyLevel.EVENTUAL)) {
            return changed;
        }
        Document row = MutableOptions.toRow(changed.meta());
        try {
            new ClientTable(core, table)
                    .update(MutableOptions.FUNCTION, Document.CODEC, List.of(row))
                    .everywhere()
                    .deadline(deadline)
                    .run()
                    .orThrow();
        } catch (UniserveException e) {
            throw new UniserveException(
                    e.code(),
                    "table " + name + " is changed, but some of its actors are not yet; repeat the change: "
                            + e.reason(),
                    e.tried(),
                    e);
        }
        return changed;
    }

    /** Returns a table's definition and map. Fails with TABLE_NOT_FOUND. */
    public TableRoute describeTable(String name) {
        return ClientFuture.await(adminOperations.describe(new TableName(name), end()));
    }

    /** Asynchronous form of {@link #describeTable}. */
    public CompletionStage<TableRoute> describeTableAsync(String name) {
        return stage(adminOperations.describe(new TableName(name), end()));
    }

    /** Returns all tables, sorted by name. */
    public List<TableRoute> listTables() {
        return ClientFuture.await(adminOperations.list(end()));
    }

    /** Asynchronous form of {@link #listTables}. */
    public CompletionStage<List<TableRoute>> listTablesAsync() {
        return stage(adminOperations.list(end()));
    }

    /**
     * Requests the move of one replica to another server (docs/protocol.md, section 6). Returns when the request is recorded, before
     * data moves. The move continues under any coordinator while the table serves. It is complete when the actor's in-sync replicas
     * are the desired ones in {@link #describeTable}. It failed if {@code to} is no longer desired, because that server failed. A
     * request with {@code from} and {@code to} exchanged cancels it; the same request again changes nothing. Fails with
     * TABLE_NOT_FOUND; INVALID_ARGUMENT, with the wrong field; UNAVAILABLE while the actor is being moved or repaired.
     *
     * @param actor number of the actor, from 0 on
     * @param from id of a server that has a replica
     * @param to id of a live server that has none
     */
    public void moveReplica(String table, int actor, String from, String to) {
        ServerId source = new ServerId(from);
        ClientFuture.await(adminOperations.move(new TableName(table), actor, source, new ServerId(to), end()));
    }

    /**
     * Requests a number of replicas for one actor, such as a range of keys with many queries. Returns when the request is recorded.
     * It lasts until the next one, across all restarts. New replicas catch up while the actor serves, and answer reads once they are
     * in sync. The change is complete when the actor's in-sync replicas are the desired ones in {@link #describeTable}. A lost extra
     * replica is replaced if there are enough servers, and never counts as missing for the table. Updates of the actor wait for all
     * in-sync replicas. Fails with TABLE_NOT_FOUND; INVALID_ARGUMENT, with the wrong field.
     *
     * @param actor number of the actor, from 0 on; for a key, {@code describeTable(table).meta().partitioner().actorOf(key)}
     * @param copies from the table's rf to {@value io.uniserve.limit.Limits#REPLICATION_FACTOR_MAX}, at most the number of live
     *     servers with the table's port; 0 returns to the table's rf
     */
    public void replicateActor(String table, int actor, int copies) {
        ClientFuture.await(adminOperations.replicate(new TableName(table), actor, copies, end()));
    }

    /**
     * Requests that a server has no replicas. Returns when the request is recorded; it outlasts the server and every coordinator.
     * Then its replicas move away while they serve, as far as each keeps rf copies, and it gets no new ones. The server keeps
     * running. {@link #describeTable} shows its remaining replicas, {@link #status} the drained servers. Fails with INVALID_ARGUMENT
     * if there is no such live server, or if too few others remain for a table's rf.
     *
     * @param server id of a live server
     */
    public void drainServer(String server) {
        ClientFuture.await(adminOperations.drain(new ServerId(server), true, end()));
    }

    /** Reverts {@link #drainServer}: the server may get replicas again. Its former replicas do not return automatically. */
    public void undrainServer(String server) {
        ClientFuture.await(adminOperations.drain(new ServerId(server), false, end()));
    }

    /**
     * Returns the trash of a live server: replicas of tables that ZooKeeper does not know, without a proof that they were dropped.
     * Fails with INVALID_ARGUMENT if there is no such live server.
     *
     * @param server id of a live server
     */
    public TrashReport trash(String server) {
        return ClientFuture.await(adminOperations.trash(new ServerId(server), TrashCall.list(), end()));
    }

    /**
     * Restores a replica from a server's trash, if the table's map names that server. The replica then counts like one of a restarted
     * server. A server also does this by itself when it gets such a map. Fails with TABLE_NOT_FOUND if ZooKeeper does not know the
     * table; INVALID_ARGUMENT if there is no such entry, or the map does not name the server.
     *
     * @param entry {@link io.uniserve.model.TrashEntry#id}
     * @return the trash after the change
     */
    public TrashReport restoreTrash(String server, String entry) {
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.RESTORE, entry), end()));
    }

    /**
     * Deletes a replica from a server's trash permanently. Fails with INVALID_ARGUMENT if there is no such entry.
     *
     * @return the trash after the change
     */
    public TrashReport purgeTrash(String server, String entry) {
        if (entry.isEmpty()) {
            throw UniserveException.invalid("entry is empty: name one, or purge all (emptyTrash)");
        }
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.PURGE, entry), end()));
    }

    /** Deletes all replicas in a server's trash permanently. */
    public TrashReport emptyTrash(String server) {
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.PURGE, ""), end()));
    }

    /**
     * Returns the servers that a chunk of a table partitioned by time would get now, with the costs of all servers and the model of the
     * table's load by age. Nothing changes. Fails with TABLE_NOT_FOUND; INVALID_ARGUMENT for a table without chunks; INVALID_ROW for a time
     * outside the years 0 to 9999.
     *
     * @param millis a time in the chunk, in milliseconds since 1970
     */
    public ChunkExplanation explainChunk(String table, long millis) {
        return ClientFuture.await(adminOperations.explainChunk(new TableName(table), millis, end()));
    }

    /**
     * Gives a role to a user of a cluster in mode closed, or takes it. Processes apply it within two seconds. Succeeds if the rule is there,
     * or absent, already. Fails with UNAUTHORIZED if the caller is no admin; TOO_LARGE beyond
     * {@link io.uniserve.limit.Limits#GRANTS_MAX} rules.
     *
     * <pre>{@code
     * admin.changeGrant(new RoleGrant("ann", Role.WRITER, new TablePattern("logs-*")), false);
     * }</pre>
     */
    public void changeGrant(RoleGrant grant, boolean revoke) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.ChangeGrant(grant, revoke), end()));
    }

    /** Returns the rules of a user; of the caller, with its name, for an empty one. Those of other users need the role admin. */
    public UserRoles grants(String user) {
        return ClientFuture.await(adminOperations.grants(new AdminRequest.ListGrants(user, false), end()));
    }

    /** Returns the rules of all users. Needs the role admin. */
    public UserRoles allGrants() {
        return ClientFuture.await(adminOperations.grants(new AdminRequest.ListGrants("", true), end()));
    }

    /**
     * Sets the password of a user. Servers and coordinators use it within two seconds; logins with an earlier one end. Fails with
     * INVALID_ARGUMENT if the user has a password already and {@code add} is true, or has none and it is false; with UNAUTHORIZED if the caller
     * is no admin, unless it replaces its own password.
     *
     * <pre>{@code
     * admin.putUser(Passwords.newCredential("ann", password, Limits.PASSWORD_ITERATIONS_DEFAULT), true);
     * }</pre>
     */
    public void putUser(UserCredential credential, boolean add) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.PutUser(credential, add), end()));
    }

    /** Removes the password of a user; its rules stay. Fails with INVALID_ARGUMENT if it has none. Needs the role admin. */
    public void removeUser(String name) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.RemoveUser(RoleGrant.checkUser(name)), end()));
    }

    /** Returns the users with a password. Needs the role admin. */
    public List<UserInfo> users() {
        return ClientFuture.await(adminOperations.users(end())).users();
    }

    /**
     * Returns the state of the auto-scaler: the servers that it has launched, its last decisions with their effects, and the reasons why it
     * does not act. Fails with UNSUPPORTED if the coordinator has no provider of servers.
     */
    public Scaling scaling() {
        return ClientFuture.await(adminOperations.scaling(end()));
    }

    /**
     * Holds the auto-scaler until {@link #resumeScaling}: it adds and removes no server. Fails with UNSUPPORTED if the coordinator has no
     * provider of servers.
     *
     * @param reason reason for other operators, not empty, at most {@link io.uniserve.limit.Limits#SCALING_REASON_CHARS_MAX} characters
     */
    public void holdScaling(String reason) {
        if (reason.isBlank()) {
            throw UniserveException.invalid("the reason of a hold is empty: give one, or resume scaling");
        }
        ClientFuture.await(adminOperations.holdScaling(reason, end()));
    }

    /** Ends a hold of the auto-scaler. Does nothing if there is none. */
    public void resumeScaling() {
        ClientFuture.await(adminOperations.holdScaling("", end()));
    }

    /**
     * Compares the digests of an actor's in-sync replicas at one log index, now. Updates of the actor wait while the primary computes
     * its digest. A replica that differs goes to quarantine and is rebuilt; the server logs an error. Fails with TABLE_NOT_FOUND;
     * INVALID_ARGUMENT for a wrong actor; UNAVAILABLE while the actor has no primary or another comparison is running.
     *
     * @param actor number of the actor, from 0 on
     */
    public Compared verifyActor(String table, int actor) {
        return ClientFuture.await(adminOperations.verify(new TableName(table), actor, end()));
    }

    /**
     * Revokes a certificate or an identity, or takes that back. In mode closed all processes apply it within seconds: they close its
     * connections and refuse it. Needs the role admin. Fails with TOO_LARGE beyond {@link io.uniserve.limit.Limits#REVOCATIONS_MAX}.
     *
     * <pre>{@code
     * admin.changeRevocation(new Revocation("user/ann"), false);
     * }</pre>
     */
    public void changeRevocation(Revocation revocation, boolean undo) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.ChangeRevocation(revocation, undo), end()));
    }

    /**
     * Sets a limit on the requests of each user with a role, or removes it with 0. In mode closed all servers apply it within two seconds,
     * each for itself. A user with several roles has the limit of the one that permits most. Needs the role admin. Fails with
     * INVALID_ARGUMENT if users with the role make no such requests, or the value is out of range.
     *
     * <pre>{@code
     * admin.changeLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 4);
     * }</pre>
     *
     * @param value the most that is permitted, in the unit of the kind's name
     */
    public void changeLimit(Role role, LimitKind kind, long value) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.ChangeLimit(role, kind, value), end()));
    }

    /** Returns the certificates of each live server and of the leading coordinator. For one that does not answer, the entry has the error. */
    public List<ProcessCertificate> certificates() {
        return ClientFuture.await(adminOperations.certificates(end()));
    }

    /** Returns the reads and plans that run on each live server. For a server that does not answer, the entry has the error. */
    public List<ServerQueries> queries() {
        return ClientFuture.await(adminOperations.queries(0, end()));
    }

    /**
     * Cancels a query, which fails with CANCELLED. Cancelling a part of a query ends the whole query. Fails with INVALID_ARGUMENT if
     * no live server runs the query, and with UNAVAILABLE if a server that may run it did not answer.
     *
     * @param id {@link RunningQuery#id}
     */
    public RunningQuery cancelQuery(long id) {
        if (id == 0) {
            throw UniserveException.invalid("query 0: no query has this number");
        }
        List<ServerQueries> told = ClientFuture.await(adminOperations.queries(id, end()));
        return told.stream()
                .flatMap(server -> server.queries().stream())
                .findFirst()
                .orElseThrow(() -> told.stream()
                        .flatMap(server -> server.error().stream())
                        .findFirst()
                        .map(error -> new UniserveException(
                                ErrorCode.UNAVAILABLE,
                                "query " + Long.toHexString(id) + ": a server did not answer: " + error.reason(),
                                error))
                        .orElseGet(() -> UniserveException.invalid("query " + Long.toHexString(id)
                                + ": no live server runs it (any more); list the running queries")));
    }

    /** Drops a table and its data. Fails with TABLE_NOT_FOUND. */
    public void dropTable(String name) {
        ClientFuture.await(adminOperations.drop(new TableName(name), end()));
    }

    /** Asynchronous form of {@link #dropTable}; the stage's value has no meaning. */
    public CompletionStage<?> dropTableAsync(String name) {
        return stage(adminOperations.drop(new TableName(name), end()));
    }

    /**
     * Takes a named backup of a table while it serves. Returns when the backup is complete in durable storage. For an eventual table, the
     * backup has every update that an actor had acknowledged when the coordinator backed up that actor; the actors are backed up at
     * different times. For an atomic table, the backup has one version, committed at the call or later. It shares objects with the
     * continuous backup, and outlasts the table. Fails with TABLE_NOT_FOUND; BACKUP_EXISTS; UNSUPPORTED without durable storage;
     * INVALID_ARGUMENT for the name; VERSION_GONE if atomic updates are too frequent for the actors' checkpoints; UNAVAILABLE while another
     * operation on a backup of this name is running.
     *
     * @param name a letter or digit, then letters, digits, {@code .}, {@code _} or {@code -}; at most 128 characters
     */
    public void backupTable(String table, String name) {
        ClientFuture.await(adminOperations.sendChange(
                new AdminRequest.BackupTable(new TableName(table), new BackupName(name)), end()));
    }

    /**
     * Creates a table from a backup of this cluster, or of another one with the same durable storage. Returns when every actor has a
     * live primary and this client can use it. The definition is that of the original table, except the name. All objects are
     * checked: CORRUPT or IO names the damaged or missing one, and no table is created. Also fails with BACKUP_NOT_FOUND;
     * TABLE_EXISTS; the errors of {@link #createTable(TableSpec)}.
     */
    public TableRoute restoreTable(String backup, String table) {
        return ClientFuture.await(adminOperations.restore(new BackupName(backup), new TableName(table), end()));
    }

    /**
     * Returns all backups in durable storage, sorted by name, including incomplete and damaged ones. Fails with UNSUPPORTED without
     * durable storage.
     */
    public List<BackupInfo> listBackups() {
        return ClientFuture.await(adminOperations.backups(end()));
    }

    /** Reads and checks every object of a backup. Fails with CORRUPT or IO, with the first object that is damaged or missing. */
    public void verifyBackup(String name) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.VerifyBackup(new BackupName(name)), end()));
    }

    /**
     * Deletes a backup, and those of its objects that nothing else needs: at once if the table was dropped, else with the next
     * cleanup of the table's continuous backup. Fails with BACKUP_NOT_FOUND. Any other error may leave the backup incomplete: then
     * delete it again.
     */
    public void deleteBackup(String name) {
        ClientFuture.await(adminOperations.sendChange(new AdminRequest.DeleteBackup(new BackupName(name)), end()));
    }

    /** Returns the progress of the running operation on this backup: actors done, and actors in all; 0 of 0 if none is running. */
    public WorkProgress backupWork(String name) {
        return ClientFuture.await(adminOperations.backupWork(new BackupName(name), end()));
    }

    /**
     * Returns definitions of tables that have a continuous backup in durable storage but are not in this cluster: those of a lost
     * cluster of the same name. If several had one name, it has the newest.
     */
    public List<TableMeta> lostTables() {
        return ClientFuture.await(adminOperations.lostTables(end()));
    }

    /**
     * Creates a named backup from the stored objects of a lost table (see {@link #lostTables}); restore the table from it. No process
     * may write those objects any more. For an atomic table it has the newest version that is stored for all actors. Fails with
     * TABLE_NOT_FOUND; CORRUPT if the objects do not match; the errors of {@link #backupTable}.
     */
    public void salvageTable(long tableId, String name) {
        ClientFuture.await(
                adminOperations.sendChange(new AdminRequest.SalvageTable(tableId, new BackupName(name)), end()));
    }

    /** Returns the state of the cluster: servers, actors, replicas, epochs, lag and load. */
    public ClusterStatus status() {
        return ClientFuture.await(adminOperations.status(end()));
    }

    /** Asynchronous form of {@link #status}. */
    public CompletionStage<ClusterStatus> statusAsync() {
        return stage(adminOperations.status(end()));
    }

    private long end() {
        return core.deadlineNanos(deadline);
    }

    private <T> CompletionStage<T> stage(CompletableFuture<T> future) {
        return ClientFuture.of(future, core.options().callbackExecutor(), value -> value);
    }
}
