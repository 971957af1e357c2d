package io.uniserve.client.operation;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.util.concurrent.Executor;

/** Network whose answers arrive on an operation's serial executor. */
public record SerialNetwork(ClientNetwork network, Executor serial) implements ClientNetwork {
    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return network.read(to, request, outcome -> serial.execute(() -> completion.done(outcome)));
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        network.requestChunkGeneration(
                to, table, timeoutNanos, outcome -> serial.execute(() -> completion.done(outcome)));
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        network.update(to, request, timeoutNanos, outcome -> serial.execute(() -> completion.done(outcome)));
    }
}
