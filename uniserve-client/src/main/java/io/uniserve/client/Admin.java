package io.uniserve.client;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.WorkDone;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.TrashCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Tables and the state of the cluster, as the leading coordinator has them. A request finds the next leader by itself when
 * one fails, until its deadline: DEADLINE_EXCEEDED, or OUTCOME_UNKNOWN where a change may have been made, with what was
 * tried. Immutable; safe for use by several threads.
 */
public final class Admin {
    private final ClientCore core;
    private final AdminOperations adminOperations;
    private final Duration deadline;

    Admin(ClientCore core, Duration deadline) {
        this.core = core;
        this.adminOperations = new AdminOperations(core);
        this.deadline = deadline;
    }

    /** The same with another deadline; more than 0, at most an hour. */
    public Admin deadline(Duration duration) {
        return new Admin(core, Deadlines.check("deadline", duration));
    }

    /**
     * Creates a table; returns when every actor has a live primary and this client can use it. TABLE_EXISTS;
     * INVALID_ARGUMENT naming what is wrong; UNKNOWN_PORT where no server has the port.
     */
    public TableRoute createTable(TableSpec spec) {
        return createTable(spec.meta());
    }

    /** Creates a table from its definition, whose table number is ignored. */
    public TableRoute createTable(TableMeta meta) {
        return ClientFuture.await(adminOperations.create(meta, end()));
    }

    /** As {@link #createTable(TableSpec)}, without waiting. */
    public CompletionStage<TableRoute> createTableAsync(TableSpec spec) {
        return stage(adminOperations.create(spec.meta(), end()));
    }

    /**
     * Gives a table other options, as its port allows for a table that has rows: the definition first, then each of its actors,
     * through their logs. Returns when all have them. TABLE_NOT_FOUND; INVALID_ARGUMENT or UNSUPPORTED naming what cannot
     * change, and nothing has; VERSION_GONE where the table was changed by somebody else meanwhile. Any other error may leave
     * some actors with the old options: the table can be used, and the same change made again completes it.
     *
     * @param options all of the port's options, by name
     */
    public TableRoute updateTable(String name, Map<String, String> options) {
        long end = end();
        TableName table = new TableName(name);
        TableMeta known =
                ClientFuture.await(adminOperations.describe(table, end)).meta();
        TableRoute changed = ClientFuture.await(adminOperations.update(known, options, end));
        Document row = MutableOptions.row(changed.meta());
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
                    "table " + name + " is changed, but not all of its actors are yet; make the same change again: "
                            + e.reason(),
                    e.tried(),
                    e);
        }
        return changed;
    }

    /** A table's definition and map; TABLE_NOT_FOUND. */
    public TableRoute describeTable(String name) {
        return ClientFuture.await(adminOperations.describe(new TableName(name), end()));
    }

    /** As {@link #describeTable}, without waiting. */
    public CompletionStage<TableRoute> describeTableAsync(String name) {
        return stage(adminOperations.describe(new TableName(name), end()));
    }

    /** All tables, by name. */
    public List<TableRoute> listTables() {
        return ClientFuture.await(adminOperations.list(end()));
    }

    /** As {@link #listTables}, without waiting. */
    public CompletionStage<List<TableRoute>> listTablesAsync() {
        return stage(adminOperations.list(end()));
    }

    /**
     * Requests the move of one replica to another server (docs/protocol.md, section 6). Returns when the request is recorded, before
     * data moves. The move continues under any coordinator while the table serves. It is complete when the actor's in-sync replicas
     * are the desired ones in {@link #describeTable}. It failed if {@code to} is no longer desired, because that server failed. A
     * request with {@code from} and {@code to} exchanged cancels it; the same request again changes nothing. TABLE_NOT_FOUND;
     * INVALID_ARGUMENT naming what is wrong; UNAVAILABLE while the actor is being moved or mended.
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
     * Asks that an actor have so many replicas, as for a range of keys that many queries ask; returns when the wish is recorded, which lasts
     * until the next one, whatever restarts. New replicas learn while the actor serves, and are read once they are in sync: it is over when
     * the actor's in-sync replicas are the desired ones in {@link #describeTable}. One that is lost is replaced as far as there are servers, and never counts
     * as missing for the table. Its updates wait for all of them. TABLE_NOT_FOUND; INVALID_ARGUMENT naming what is wrong.
     *
     * @param actor number of the actor, from 0 on; {@code describeTable(table).meta().partitioner().actorOf(key)} of a key
     * @param copies from the table's rf to {@value io.uniserve.limit.Limits#REPLICATION_FACTOR_MAX}, at most as many as live servers offer the
     *     table's port; 0 for the table's rf again
     */
    public void replicateActor(String table, int actor, int copies) {
        ClientFuture.await(adminOperations.replicate(new TableName(table), actor, copies, end()));
    }

    /**
     * Asks that a server hold nothing; returns when the wish is recorded, which outlives it and every coordinator. Its replicas
     * then move away while they serve, those that others can take without less than rf copies, and it gets no new ones; it goes on
     * running. {@link #describeTable} shows what it still holds, {@link #status} the drained servers. INVALID_ARGUMENT where no such server
     * is live, or where too few others are there for a table's rf.
     *
     * @param server id of a live server
     */
    public void drainServer(String server) {
        ClientFuture.await(adminOperations.drain(new ServerId(server), true, end()));
    }

    /** Takes {@link #drainServer} back: the server may hold replicas again. Nothing returns to it by itself. */
    public void undrainServer(String server) {
        ClientFuture.await(adminOperations.drain(new ServerId(server), false, end()));
    }

    /**
     * What a live server keeps in its trash: replicas of tables that the registry does not know and of which nothing proves that
     * they were dropped. INVALID_ARGUMENT where no such server is live.
     *
     * @param server id of a live server
     */
    public TrashReport trash(String server) {
        return ClientFuture.await(adminOperations.trash(new ServerId(server), TrashCall.list(), end()));
    }

    /**
     * Puts a replica from a server's trash back into its place, where the table's map gives it to that server; there it counts as
     * one of a server that was restarted. A server does so by itself when it sees such a map. TABLE_NOT_FOUND where the registry
     * does not know the table; INVALID_ARGUMENT where there is no such entry, or the map does not name the server.
     *
     * @param entry {@link io.uniserve.model.TrashEntry#id}
     * @return what the trash holds then
     */
    public TrashReport restoreTrash(String server, String entry) {
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.RESTORE, entry), end()));
    }

    /**
     * Deletes a replica from a server's trash for good; INVALID_ARGUMENT where there is none of that name.
     *
     * @return what the trash holds then
     */
    public TrashReport purgeTrash(String server, String entry) {
        if (entry.isEmpty()) {
            throw UniserveException.invalid("entry is empty: name one, or purge all (emptyTrash)");
        }
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.PURGE, entry), end()));
    }

    /** Deletes all replicas in a server's trash for good. */
    public TrashReport emptyTrash(String server) {
        return ClientFuture.await(
                adminOperations.trash(new ServerId(server), new TrashCall(TrashCall.Action.PURGE, ""), end()));
    }

    /**
     * Compares the digests of an actor's in-sync copies at one log position, now. Its updates wait while the primary computes its
     * digest. A copy that differs is set aside and made anew; the server logs it as an error. TABLE_NOT_FOUND; INVALID_ARGUMENT for
     * the actor; UNAVAILABLE while the actor has no primary or its copies are being compared.
     *
     * @param actor number of the actor, from 0 on
     */
    public Compared verifyActor(String table, int actor) {
        return ClientFuture.await(adminOperations.verify(new TableName(table), actor, end()));
    }

    /** The reads and plans that each live server works for now; servers that do not answer say why. */
    public List<ServerQueries> queries() {
        return ClientFuture.await(adminOperations.queries(0, end()));
    }

    /**
     * Cancels a query, which fails with CANCELLED; a part of a query takes the whole with it. INVALID_ARGUMENT where no live
     * server has it any more, UNAVAILABLE where one that did not answer may have it.
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
                                + ": no live server works for it (any more); list shows what runs")));
    }

    /** Drops a table and its data; TABLE_NOT_FOUND. */
    public void dropTable(String name) {
        ClientFuture.await(adminOperations.drop(new TableName(name), end()));
    }

    /** As {@link #dropTable}, without waiting; the stage's value means nothing. */
    public CompletionStage<?> dropTableAsync(String name) {
        return stage(adminOperations.drop(new TableName(name), end()));
    }

    /**
     * Takes a backup of a table under a name, while it serves; returns when it is complete in durable storage. Of an
     * eventual table each actor is in it with everything that it had acknowledged when its turn came; actors are not cut at one
     * moment. A table with atomic updates is in it at one version, committed when this was called or later. It shares what the continuous backup has stored already, and outlives the table. TABLE_NOT_FOUND;
     * BACKUP_EXISTS; UNSUPPORTED without durable storage; INVALID_ARGUMENT for the name; VERSION_GONE where atomic updates
     * come too fast for their actors' checkpoints; UNAVAILABLE while somebody else works on a backup of this name.
     *
     * @param name a letter or digit, then letters, digits, {@code .}, {@code _} or {@code -}; at most 128 characters
     */
    public void backupTable(String table, String name) {
        ClientFuture.await(adminOperations.acknowledged(
                new AdminRequest.BackupTable(new TableName(table), new BackupName(name)), end()));
    }

    /**
     * Makes a table from a backup, of this cluster or of one whose durable storage this one uses; returns when every actor has a
     * live primary and this client can use it. The table has the definition of the one that was backed up, but for the name. All
     * objects are checked on the way: CORRUPT or IO naming the one that is damaged or missing, and then there is no table.
     * BACKUP_NOT_FOUND; TABLE_EXISTS; what {@link #createTable(TableSpec)} refuses.
     */
    public TableRoute restoreTable(String backup, String table) {
        return ClientFuture.await(adminOperations.restore(new BackupName(backup), new TableName(table), end()));
    }

    /** All backups in durable storage, by name: incomplete and damaged ones too. UNSUPPORTED without durable storage. */
    public List<BackupInfo> listBackups() {
        return ClientFuture.await(adminOperations.backups(end()));
    }

    /** Reads every object of a backup and checks it: CORRUPT or IO naming the first that is damaged or missing. */
    public void verifyBackup(String name) {
        ClientFuture.await(adminOperations.acknowledged(new AdminRequest.VerifyBackup(new BackupName(name)), end()));
    }

    /**
     * Deletes a backup, and of the objects it refers to those that nothing else needs: at once where its table was dropped, else
     * with the next sweep of the table's continuous backup. BACKUP_NOT_FOUND; any other error may leave it incomplete: delete
     * it again.
     */
    public void deleteBackup(String name) {
        ClientFuture.await(adminOperations.acknowledged(new AdminRequest.DeleteBackup(new BackupName(name)), end()));
    }

    /** How many actors are done of the work that somebody does on this backup, and of how many; 0 of 0 for no work. */
    public WorkDone backupWork(String name) {
        return ClientFuture.await(adminOperations.work(new BackupName(name), end()));
    }

    /**
     * Definitions of tables of which durable storage has a continuous backup, and which this cluster does not have: those of a
     * cluster of the same name whose servers and registry are lost. Of several of one name the last.
     */
    public List<TableMeta> lostTables() {
        return ClientFuture.await(adminOperations.lost(end()));
    }

    /**
     * Makes a named backup of what durable storage has of a lost table, see {@link #lostTables}, to restore it from. Nobody may
     * write those objects any more. A table with atomic updates is in it at the newest version that all its actors have there.
     * TABLE_NOT_FOUND; CORRUPT where they do not go together; else as {@link #backupTable}.
     */
    public void salvageTable(long tableId, String name) {
        ClientFuture.await(
                adminOperations.acknowledged(new AdminRequest.SalvageTable(tableId, new BackupName(name)), end()));
    }

    /** Servers, actors, replicas, epochs, lag and load. */
    public ClusterStatus status() {
        return ClientFuture.await(adminOperations.status(end()));
    }

    /** As {@link #status}, without waiting. */
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
