package io.uniserve.protocol.tx;

import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.replica.Replica;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What atomic updates need of their server. */
public interface TransactionContext {
    Environment env();

    ServerId self();

    /** The table as this server knows it, null where it does not. */
    @Nullable
    Table table(TableName name);

    /** Reads the table's map again: somebody knows a newer one. */
    void refresh(TableName name);

    /** Address of a live server, null where it is not known. */
    @Nullable
    Address addressOf(ServerId server);

    /** The replicas of the table on this server. */
    List<Replica> replicas(long tableId);

    /** What readers of the replica may have, null where it is not here. */
    @Nullable
    ReadGate gate(ReplicaKey key);

    /** Readers may be told that the table's versions through this one are decided. */
    void known(long tableId, long version);

    /** Readers may be told that nobody can know of this version of the table. */
    void denies(long tableId, UncommittedClaim uncommittedClaim);

    /** A driver here has written the table's log: what changed there is known here. */
    void wroteLog(TableName table);

    /** A table's definition and map. */
    record Table(TableMeta meta, TableMap map, int mapVersion) {}
}
