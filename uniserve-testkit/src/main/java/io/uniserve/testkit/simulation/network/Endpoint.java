package io.uniserve.testkit.simulation.network;

import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.testkit.simulation.kernel.Process;
import java.util.List;

/** Endpoint at an address: a process and its handlers of requests. */
public record Endpoint(
        Process process,
        Handler<PeerRequest, PeerReply> peers,
        Handler<UpdateRequest, UpdateReply> updates,
        Handler<ReadRequest, ReadReply> reads,
        Handler<VersionedRead, VersionedRead.Reply> versions,
        Handler<List<TableName>, ConsistentCut> cuts) {
    /** Handler of a request on the process's loop. */
    @FunctionalInterface
    public interface Handler<Q, R> {
        void handle(Q request, Completion<R> reply);
    }
}
