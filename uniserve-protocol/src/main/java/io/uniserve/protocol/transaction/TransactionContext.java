package io.uniserve.protocol.transaction;

import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.replica.Replica;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Services of the hosting server that atomic updates need. */
public interface TransactionContext {
    Environment env();

    ServerId self();

    /** The table's definition and map in this server's copy; null if there is none. */
    @Nullable
    Table table(TableName name);

    /** Reads the table's map again, because another process has a newer one. */
    void refresh(TableName name);

    /** Address of a live server; null if it is not known. */
    @Nullable
    Address addressOf(ServerId server);

    /** The replicas of the table on this server. */
    List<Replica> replicas(long tableId);

    /** The read gate of a replica; null if the replica is not on this server. */
    @Nullable
    ReadGate gate(ReplicaKey key);

    /** Publishes to read threads that all versions of the table up to this one are decided. */
    void publishDecidedVersion(long tableId, long version);

    /** Publishes to read threads the claim that this version of the table is not visible. */
    void publishUncommittedClaim(long tableId, UncommittedClaim uncommittedClaim);

    /** Called after a manager of this server wrote the transaction log: this server's copy already has the change. */
    void onLogWritten(TableName table);

    /**
     * A table's definition and map.
     *
     * @param mapVersion znode version of the map
     */
    record Table(TableMeta meta, TableMap map, int mapVersion) {
        /**
         * Version of the map that a write of all its actors checks; null for a table without chunks, whose actors never change. A chunk that
         * was made before is then among the actors, and one made later has a first version above the versions that the write ends.
         */
        public @Nullable Integer versionIfChunked() {
            return meta.partitioner() instanceof Partitioner.Time ? mapVersion : null;
        }

        /** Returns whether the actor was in a chunk that is expired by this map. */
        public boolean isExpired(int actor) {
            return map.isExpired(meta.partitioner(), actor) && !map.has(actor);
        }
    }
}
