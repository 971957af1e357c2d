package io.uniserve.protocol.message;

import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupName;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.TableMeta;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Requests of clients to the leading coordinator. */
public sealed interface AdminRequest {
    /** Creates the table; {@code tableId} of the meta is ignored. Returns when every actor has a live primary. */
    record CreateTable(TableMeta meta) implements AdminRequest {}

    /**
     * Makes the actors of chunks of a TIME table, if they are absent. Returns the table when its map has them. Idempotent, so lost replies and
     * several clients at once are harmless. Fails with CHUNK_EXPIRED or INVALID_ROW if one of the chunks is expired or too far ahead by the
     * leader's clock; then no chunk is made.
     *
     * @param tableId number of the table that the client knows
     * @param ordinals ordinals of the chunks
     */
    record CreateChunks(TableName name, long tableId, List<Integer> ordinals) implements AdminRequest {
        public CreateChunks {
            ordinals = List.copyOf(ordinals);
        }
    }

    /**
     * The servers that the chunk with this time would get now, with the reasons. Nothing changes.
     *
     * @param millis a time in the chunk, in milliseconds since 1970
     */
    record ExplainChunk(TableName name, long millis) implements AdminRequest {}

    /** Definition and map of a table. */
    record DescribeTable(TableName name) implements AdminRequest {}

    /** Drops the table and its data. */
    record DropTable(TableName name) implements AdminRequest {}

    /**
     * Changes a table's options, if its definition still equals {@code known} or has the new options already. Returns when every live
     * server uses them. Fails with VERSION_GONE if the definition has changed.
     */
    record UpdateTable(TableMeta known, Map<String, String> options) implements AdminRequest {
        public UpdateTable {
            options = Collections.unmodifiableMap(new TreeMap<>(options));
        }
    }

    /**
     * Requests the move of one replica of the actor. Returns when the request is recorded; any later leader continues the move. It is
     * finished when the actor's in-sync replicas are the desired ones. A request with {@code from} and {@code to} swapped cancels it.
     */
    record MoveReplica(TableName name, int actor, ServerId from, ServerId to) implements AdminRequest {}

    /**
     * Requests a number of replicas of the actor, at least the table's rf; 0 for the rf. Returns when the request is recorded. It holds
     * until the next one: lost replicas are replaced as long as there are enough servers.
     */
    record ReplicateActor(TableName name, int actor, int replicas) implements AdminRequest {}

    /** Records that the server must have no replicas, or may have some again. Returns at once; the replicas then move away step by step. */
    record DrainServer(ServerId server, boolean drained) implements AdminRequest {}

    /** Holds automatic scaling for this reason; an empty reason resumes it. It holds until the next request. */
    record HoldScaling(String reason) implements AdminRequest {}

    /** Returns the state of the auto-scaler, with the reasons of its last decisions. */
    record ScalingStatus() implements AdminRequest {}

    /** Grants a role to a user, or revokes it. Returns when the rule is recorded; processes apply it within two seconds. */
    record ChangeGrant(RoleGrant grant, boolean revoke) implements AdminRequest {}

    /**
     * Revokes a certificate or an identity, or takes that back. Returns when it is recorded; processes apply it within two seconds, and then
     * close connections.
     */
    record ChangeRevocation(Revocation revocation, boolean undo) implements AdminRequest {}

    /**
     * Sets a limit on the requests of each user with a role, or removes it. Returns when it is recorded; servers apply it within two
     * seconds.
     *
     * @param value see {@link RoleLimit}; 0 removes the limit
     */
    record ChangeLimit(Role role, LimitKind kind, long value) implements AdminRequest {
        /** Fails with INVALID_ARGUMENT if there can be no such limit. */
        public ChangeLimit {
            RoleLimit.check(role, kind, Math.max(1, value));
            if (value < 0) {
                throw UniserveException.invalid(
                        "limit " + kind.text() + " is " + value + ": use at least 1, or 0 to remove it");
            }
        }
    }

    /**
     * Returns rules.
     *
     * @param user the user whose rules are wanted; empty for the caller's
     * @param all true for the rules of all users
     */
    record ListGrants(String user, boolean all) implements AdminRequest {}

    /**
     * Sets the password of a user. Fails with INVALID_ARGUMENT if the user has one already and {@code add} is true, or has none and it is
     * false. Returns when the credential is recorded; processes use it within two seconds.
     *
     * @param add true for a user without a password, false to replace it
     */
    record PutUser(UserCredential credential, boolean add) implements AdminRequest {}

    /** Removes the password of a user, and nothing else. Fails with INVALID_ARGUMENT if the user has none. */
    record RemoveUser(String name) implements AdminRequest {}

    /** Returns the users with a password, without keys. */
    record ListUsers() implements AdminRequest {}

    /** Compares the digests of the actor's in-sync copies now. A differing copy goes to quarantine and is copied anew. */
    record VerifyActor(TableName name, int actor) implements AdminRequest {}

    /** Returns all tables. */
    record ListTables() implements AdminRequest {}

    /** Returns servers, actors, replicas, epochs, lag and load. */
    record Status() implements AdminRequest {}

    /** Takes a backup of a table. Fails with BACKUP_EXISTS if the name is used. */
    record BackupTable(TableName table, BackupName name) implements AdminRequest {}

    /** Makes a named backup of a table that exists in durable storage but not in this cluster. */
    record SalvageTable(long tableId, BackupName name) implements AdminRequest {}

    /** Creates a table from a backup. Returns when every actor has a live primary. */
    record RestoreTable(BackupName name, TableName table) implements AdminRequest {}

    /** Returns all backups in durable storage. */
    record ListBackups() implements AdminRequest {}

    /** Reads and checks every object of a backup. */
    record VerifyBackup(BackupName name) implements AdminRequest {}

    /** Deletes a backup and the objects that only it needed. */
    record DeleteBackup(BackupName name) implements AdminRequest {}

    /** Returns the progress of the work on this backup. */
    record BackupWork(BackupName name) implements AdminRequest {}

    /** Returns the tables that have a backup in durable storage and do not exist in this cluster. */
    record LostTables() implements AdminRequest {}

    /** Performs an action on one server's trash. Answered with {@link AdminReply.Trashed}. */
    record ServerTrash(ServerId server, TrashCall call) implements AdminRequest {}
}
