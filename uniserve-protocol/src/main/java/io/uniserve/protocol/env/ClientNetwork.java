package io.uniserve.protocol.env;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;

/** Requests of clients, and of planning servers, to servers. Errors as for {@link Network}. */
public interface ClientNetwork {
    /**
     * Sends one server's share of a query; the result cancels it there. There is no time-out: the caller has a timer for its own deadline
     * and cancels. A timer per request would cost more than a small operator.
     */
    Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion);

    /**
     * Requests the chunk generation of a TIME table of level EVENTUAL, as of a time after this call, from any server. The result has one
     * table, with the generation as its version.
     */
    void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion);

    /** Sends one server's share of an update. */
    void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion);
}
