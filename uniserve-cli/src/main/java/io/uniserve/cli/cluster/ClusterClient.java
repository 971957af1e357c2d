package io.uniserve.cli.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.ServerQueries;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.WorkDone;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.ReadMode;
import java.util.List;
import java.util.Map;

/** A connection to a cluster. Every call blocks and fails with a UniserveException. Safe for use by several threads. */
public interface ClusterClient extends AutoCloseable {
    /** All tables, by name. */
    List<TableRoute> tables();

    /** One table; TABLE_NOT_FOUND where there is none. */
    TableRoute table(TableName name);

    /** Creates a table; returns when all its actors have a live primary. */
    TableRoute create(TableMeta meta);

    /** Gives a table other options, all of them; returns when all its actors have them. */
    TableRoute update(TableName name, Map<String, String> options);

    /** Asks that one replica of an actor be elsewhere; returns when the wish is recorded. */
    void move(TableName table, int actor, ServerId from, ServerId to);

    /** Asks that an actor have so many replicas, 0 for its table's rf; returns when the wish is recorded. */
    void replicate(TableName table, int actor, int copies);

    /** Asks that a server hold nothing, or allows it again; returns when the wish is recorded. */
    void drain(ServerId server, boolean drained);

    /** Drops a table and its data. */
    void drop(TableName name);

    /** Takes a backup of a table; returns when it is complete. */
    void backup(TableName table, BackupName name);

    /** Makes a backup of what durable storage has of a table that the cluster does not have. */
    void salvage(long tableId, BackupName name);

    /** Makes a table from a backup; returns when all its actors have a live primary. */
    TableRoute restore(BackupName name, TableName table);

    /** All backups in durable storage, by name. */
    List<BackupInfo> backups();

    /** Reads and checks every object of a backup. */
    void verify(BackupName name);

    /** Compares the in-sync copies of an actor. */
    Compared verify(TableName table, int actor);

    /** Deletes a backup. */
    void delete(BackupName name);

    /** How far somebody's work on this backup is. */
    WorkDone work(BackupName name);

    /** Tables that durable storage has and the cluster does not. */
    List<TableMeta> lostTables();

    /** What runs on each live server. */
    List<ServerQueries> queries();

    /** Cancels a query. */
    RunningQuery cancelQuery(long id);

    /** What a server keeps in its trash. */
    TrashReport trash(ServerId server);

    /** Puts a replica from a server's trash back into its place. */
    void restoreTrash(ServerId server, String entry);

    /** Deletes a replica from a server's trash. */
    void purgeTrash(ServerId server, String entry);

    /** Servers, tables and loads as the coordinator sees them. */
    ClusterStatus status();

    /** Live servers and the ports they offer. */
    List<ServerRecord> servers();

    /** Applies an update function to rows, each on the actor of its key; actors succeed and fail apart from each other. */
    UpdateOutcome update(TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs);

    /** Applies an update function to rows, each on every actor, as a deletion by query wants it. */
    UpdateOutcome updateEverywhere(
            TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs);

    /** Answers a query in the language of the table's port. */
    Answer query(TableName table, String text, ReadMode mode, long deadlineMs);

    /** Runs a query in the language of the table's port, and tells what its plan took in place of the answer. */
    Answer explain(TableName table, String text, ReadMode mode, long deadlineMs);

    @Override
    void close();
}
