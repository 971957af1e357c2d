package io.uniserve.simulator.network;

import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.List;

/** Endpoint at an address: a process and its handlers of requests. */
public record Endpoint(
        SimProcess process,
        Handler<PeerRequest, PeerReply> peers,
        Handler<UpdateRequest, UpdateReply> updates,
        Handler<ReadRequest, ReadReply> reads,
        Handler<VersionedRead, VersionedRead.Reply> versions,
        Handler<List<TableName>, ConsistentSnapshot> consistentCuts) {
    /** Handler of a request on the process's loop. */
    @FunctionalInterface
    public interface Handler<Q, R> {
        void handle(Q request, Completion<R> reply);
    }
}
