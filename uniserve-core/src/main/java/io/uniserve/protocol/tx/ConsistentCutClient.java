package io.uniserve.protocol.tx;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.ConsistentCut;
import java.util.List;

/** Asks a server for a cut of tables. Errors as for {@link io.uniserve.protocol.env.Network}. */
@FunctionalInterface
public interface ConsistentCutClient {
    /** The completion is called once, with DEADLINE_EXCEEDED when there is no answer in time. */
    void cut(Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentCut> completion);

    /** True where one and the same server answers whatever the address: after an error it is asked again only after a pause. */
    default boolean oneForAll() {
        return false;
    }
}
