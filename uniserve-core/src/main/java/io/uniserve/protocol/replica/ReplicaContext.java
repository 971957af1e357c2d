package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.message.PeerRequest;
import org.jspecify.annotations.Nullable;

/** What a replica needs of its server. */
public interface ReplicaContext {
    Environment env();

    ReplicaConfig config();

    ServerId self();

    /** Of this server: larger after each start and each session. */
    long incarnation();

    /** Address of a live server, null where it is not known. */
    @Nullable
    Address addressOf(ServerId server);

    /** Sends to the leading coordinator, best effort: the caller repeats. */
    void tellCoordinator(PeerRequest request);

    /** Reads the table's map again: somebody knows a newer epoch. */
    void refresh(TableName table);

    /** The table's map as this server has read it, null where it has not. */
    @Nullable
    TableMap map(TableName table);

    /** The version of the table's map that this server has read, ABSENT where none. */
    int mapVersion(TableName table);

    /** Something that readers may see has changed. */
    void gateChanged(ReplicaKey key);

    /** The replica has work that waits for time to pass. */
    void wantTicks(ReplicaKey key);

    /** The process must end. */
    void fatal(UniserveException error);
}
