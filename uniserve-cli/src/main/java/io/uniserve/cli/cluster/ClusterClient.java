package io.uniserve.cli.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.client.ServerQueries;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Scaling;
import io.uniserve.protocol.message.AdminReply.UserInfo;
import io.uniserve.protocol.message.AdminReply.UserRoles;
import io.uniserve.protocol.message.AdminReply.WorkProgress;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import java.util.Map;

/** Connection of a command to a cluster. Every call blocks and fails with a UniserveException. Thread-safe. */
public interface ClusterClient extends AutoCloseable {
    /** Returns all tables, by name. */
    List<TableRoute> tables();

    /** Returns one table. Fails with TABLE_NOT_FOUND if there is none. */
    TableRoute table(TableName name);

    /** Creates a table. Returns when all its actors have a live primary. */
    TableRoute create(TableMeta meta);

    /** Replaces all options of a table. Returns when all its actors have them. */
    TableRoute update(TableName name, Map<String, String> options);

    /** Requests the move of one replica of an actor. Returns when the request is recorded. */
    void move(TableName table, int actor, ServerId from, ServerId to);

    /** Requests this many replicas of an actor, 0 for its table's rf. Returns when the request is recorded. */
    void replicate(TableName table, int actor, int copies);

    /** Requests the drain of a server, or its end. Returns when the request is recorded. */
    void drain(ServerId server, boolean drained);

    /** Drops a table and its data. */
    void drop(TableName name);

    /** Takes a backup of a table. Returns when it is complete. */
    void backup(TableName table, BackupName name);

    /** Creates a backup from the durable storage of a table that the cluster does not have. */
    void salvage(long tableId, BackupName name);

    /** Creates a table from a backup. Returns when all its actors have a live primary. */
    TableRoute restore(BackupName name, TableName table);

    /** Returns all backups in durable storage, by name. */
    List<BackupInfo> backups();

    /** Reads and checks every object of a backup. */
    void verify(BackupName name);

    /** Explains the placement of the chunk that contains this time, in milliseconds since 1970. */
    ChunkExplanation explainChunk(TableName table, long millis);

    /** Compares the in-sync replicas of an actor. */
    Compared verify(TableName table, int actor);

    /** Deletes a backup. */
    void delete(BackupName name);

    /** Returns the progress of the current work on this backup. */
    WorkProgress backupProgress(BackupName name);

    /** Returns the tables that are in durable storage but not in the cluster. */
    List<TableMeta> lostTables();

    /** Returns the running queries of each live server. */
    List<ServerQueries> queries();

    /** Cancels a query. */
    RunningQuery cancelQuery(long id);

    /** Returns the content of a server's trash. */
    TrashReport trash(ServerId server);

    /** Restores a replica from a server's trash to its place. */
    void restoreTrash(ServerId server, String entry);

    /** Deletes a replica from a server's trash. */
    void purgeTrash(ServerId server, String entry);

    /** Returns servers, tables and loads as the coordinator knows them. */
    ClusterStatus status();

    /** Returns the state of the auto-scaler. Fails with UNSUPPORTED if the coordinator has no provider of servers. */
    Scaling scaling();

    /** Holds automatic scaling for this reason; an empty one resumes it. */
    void holdScaling(String reason);

    /** Gives a role to a user, or takes it. */
    void changeGrant(RoleGrant grant, boolean revoke);

    /** Revokes a certificate or an identity, or takes that back. */
    void changeRevocation(Revocation revocation, boolean undo);

    /** Sets a limit on the requests of each user with a role, or removes it with 0. */
    void changeLimit(Role role, LimitKind kind, long value);

    /** Returns the certificates of each live server and of the leading coordinator. */
    List<ProcessCertificate> certificates();
    /** Sets the password of a user that must not have one ({@code add}), or must have one. */
    void putUser(UserCredential credential, boolean add);

    /** Removes the password of a user. */
    void removeUser(String name);

    /** Users with a password. */
    List<UserInfo> users();

    /** Returns the rules of a user; of the caller, with its name, for an empty one. */
    UserRoles grants(String user);

    /** Returns the rules of all users. */
    UserRoles allGrants();

    /** Returns live servers with their ports. */
    List<ServerRecord> servers();

    /** Applies an update function to rows, each on the actor of its key. Actors succeed and fail independently. */
    UpdateOutcome update(TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs);

    /** Applies an update function to rows, each on every actor, e.g. for a deletion by query. */
    UpdateOutcome updateEverywhere(
            TableName table, String function, List<Document> rows, AckLevel ack, long deadlineMs);

    /** Answers a query in the language of the table's port. */
    Answer query(TableName table, String text, ReadMode mode, long deadlineMs);

    /** Runs a query in the language of the table's port, and returns its plan with statistics in place of the answer. */
    Answer explain(TableName table, String text, ReadMode mode, long deadlineMs);

    @Override
    void close();
}
