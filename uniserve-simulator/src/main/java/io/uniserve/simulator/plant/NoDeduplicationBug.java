package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;

/** {@link Plant#NO_DEDUPLICATION}: sends every retry of an update under a new request id. */
public final class NoDeduplicationBug implements ClientNetwork {
    private final ClientNetwork network;
    private final IdGenerator ids;

    public NoDeduplicationBug(ClientNetwork network, IdGenerator ids) {
        this.network = network;
        this.ids = ids;
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return network.read(to, request, completion);
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        network.requestChunkGeneration(to, table, timeoutNanos, completion);
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        boolean again = request.attempt() > 1 && !staged(request);
        RequestId id = again ? new RequestId(ids.next(), ids.next(), 1) : request.request();
        UpdateRequest renamed = new UpdateRequest(
                request.table(),
                request.tableId(),
                id,
                again ? 0 : request.lowWater(),
                request.attempt(),
                request.level(),
                request.function(),
                request.actors(),
                request.remainingNanos(),
                request.stageOnly());
        network.update(to, renamed, timeoutNanos, completion);
    }

    /** True for updates with staged rows, which are found by the request id. */
    private static boolean staged(UpdateRequest request) {
        return request.stageOnly() || request.actors().stream().anyMatch(rows -> rows.staged() != null);
    }
}
