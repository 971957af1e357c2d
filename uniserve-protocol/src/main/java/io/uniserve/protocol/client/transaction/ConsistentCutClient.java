package io.uniserve.protocol.client.transaction;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.ConsistentCut;
import java.util.List;

/** Requests a consistent snapshot of tables from a server. Errors as for {@link io.uniserve.protocol.env.Network}. */
@FunctionalInterface
public interface ConsistentCutClient {
    /** Calls the completion once, with DEADLINE_EXCEEDED if there is no reply in time. */
    void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentCut> completion);

    /** True if the same server answers for every address. After an error the caller then pauses before the next request. */
    default boolean isSingleServer() {
        return false;
    }
}
