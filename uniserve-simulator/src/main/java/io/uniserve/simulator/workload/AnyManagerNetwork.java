package io.uniserve.simulator.workload;

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
import io.uniserve.simulator.kernel.Prng;
import java.util.List;

/**
 * Network of a client that sends each atomic update to a random server. Any server may be the transaction manager, so managers compete as
 * they do only rarely otherwise.
 */
public final class AnyManagerNetwork implements ClientNetwork {
    private final ClientNetwork network;
    private final List<Address> servers;
    private final Prng random;

    public AnyManagerNetwork(ClientNetwork network, List<Address> servers, Prng random) {
        this.network = network;
        this.servers = List.copyOf(servers);
        this.random = random;
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

    /** Staged rows go to their primaries, all else to any server. */
    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        network.update(request.stageOnly() ? to : random.pick(servers), request, timeoutNanos, completion);
    }
}
