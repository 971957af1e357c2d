package io.uniserve.protocol.replica.context;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.message.PeerRequest;
import org.jspecify.annotations.Nullable;

/** Access of a replica to its server. */
public interface ReplicaContext {
    Environment env();

    ReplicaConfig config();

    ServerId self();

    /** Incarnation of this server; it grows with each start and each session. */
    long incarnation();

    /** Address of a live server, or null if unknown. */
    @Nullable
    Address addressOf(ServerId server);

    /** Sends a report to the leading coordinator, best effort: the caller repeats it. */
    void reportToCoordinator(PeerRequest request);

    /** Reads the table's map again, after a newer epoch was seen in a message. */
    void refresh(TableName table);

    /** The table's map as last read by this server, or null. */
    @Nullable
    TableMap map(TableName table);

    /** Znode version of the table's map as last read by this server, or ABSENT. */
    int mapVersion(TableName table);

    /** Returns whether no server may answer a read that lacks the chunk of this actor of a TIME table. */
    boolean isChunkFenced(ReplicaKey key);

    /** Notifies that the replica's gate may have changed. */
    void gateChanged(ReplicaKey key);

    /** Requests ticks for a replica with time-dependent work. */
    void wantTicks(ReplicaKey key);

    /** Reports an error after which the process must end. */
    void fatal(UniserveException error);
}
