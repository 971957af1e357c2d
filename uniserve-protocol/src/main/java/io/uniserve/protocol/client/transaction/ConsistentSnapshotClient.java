package io.uniserve.protocol.client.transaction;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.List;

/** Requests a consistent snapshot of tables from a server. Errors as for {@link io.uniserve.protocol.env.Network}. */
@FunctionalInterface
public interface ConsistentSnapshotClient {
    /** Calls the completion once, with DEADLINE_EXCEEDED if there is no reply in time. */
    void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion);

    /** True if the same server answers for every address. After an error the caller then pauses before the next request. */
    default boolean isSingleServer() {
        return false;
    }
}
