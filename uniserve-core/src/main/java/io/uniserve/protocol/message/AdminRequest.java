package io.uniserve.protocol.message;

import io.uniserve.model.BackupName;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** What clients ask of the leading coordinator. */
public sealed interface AdminRequest {
    /** Creates the table; {@code tableId} of the meta is ignored. Returns when every actor has a live primary. */
    record CreateTable(TableMeta meta) implements AdminRequest {}

    /** Definition and map of a table. */
    record DescribeTable(TableName name) implements AdminRequest {}

    /** Drops the table and its data. */
    record DropTable(TableName name) implements AdminRequest {}

    /**
     * Gives a table other options, if its definition is still the one that the caller knows, or has them already. Returns when
     * every live server knows them. VERSION_GONE where the definition is another one by now.
     */
    record UpdateTable(TableMeta known, Map<String, String> options) implements AdminRequest {
        public UpdateTable {
            options = Collections.unmodifiableMap(new TreeMap<>(options));
        }
    }

    /**
     * Asks that one replica of the actor be elsewhere. Returns when the wish is recorded; the move then goes on whoever leads,
     * and is over when the actor's in-sync replicas are the desired ones. Asked the other way round it is called off.
     */
    record MoveReplica(TableName name, int actor, ServerId from, ServerId to) implements AdminRequest {}

    /**
     * Asks that the actor have so many replicas, from the table's rf on; 0 for the table's rf. Returns when the wish is recorded, which lasts until
     * the next one: replicas that are lost are replaced as far as there are servers.
     */
    record ReplicateActor(TableName name, int actor, int copies) implements AdminRequest {}

    /** Records that the server is to hold nothing, or may again. Returns then; what it holds moves as it can. */
    record DrainServer(ServerId server, boolean drained) implements AdminRequest {}

    /** Compares the digests of the actor's in-sync copies now. Copies that differ are set aside and made anew. */
    record VerifyActor(TableName name, int actor) implements AdminRequest {}

    /** All tables. */
    record ListTables() implements AdminRequest {}

    /** Servers, actors, replicas, epochs, lag and load. */
    record Status() implements AdminRequest {}

    /** Takes a backup of a table. BACKUP_EXISTS where the name is taken. */
    record BackupTable(TableName table, BackupName name) implements AdminRequest {}

    /** Makes a backup of what durable storage has of a table that this cluster does not have. */
    record SalvageTable(long tableId, BackupName name) implements AdminRequest {}

    /** Makes a table from a backup. Returns when every actor has a live primary. */
    record RestoreTable(BackupName name, TableName table) implements AdminRequest {}

    /** All backups in durable storage. */
    record ListBackups() implements AdminRequest {}

    /** Reads and checks every object of a backup. */
    record VerifyBackup(BackupName name) implements AdminRequest {}

    /** Deletes a backup and what only it kept. */
    record DeleteBackup(BackupName name) implements AdminRequest {}

    /** How far the work under way on this backup is. */
    record BackupWork(BackupName name) implements AdminRequest {}

    /** Tables of which durable storage has a backup, and which this cluster does not have. */
    record LostTables() implements AdminRequest {}

    /** Asks for something of one server's trash. Answered with {@link AdminReply.Trashed}. */
    record ServerTrash(ServerId server, TrashCall call) implements AdminRequest {}
}
