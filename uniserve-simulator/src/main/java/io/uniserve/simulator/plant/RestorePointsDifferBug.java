package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/**
 * {@link Plant#RESTORED_APART}: network of a coordinator that requests all decided versions of an actor, regardless of the other actors.
 */
public final class RestorePointsDifferBug implements Network {
    private final Network network;

    public RestorePointsDifferBug(Network network) {
        this.network = network;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        boolean part = request instanceof PeerRequest.Archive archive
                && archive.request() instanceof ArchiveRequest.PinLostActor salvage
                && salvage.versionLimit() > 0;
        if (part && ((PeerRequest.Archive) request).request() instanceof ArchiveRequest.PinLostActor salvage) {
            ArchiveRequest all = new ArchiveRequest.PinLostActor(salvage.key(), salvage.backup(), Long.MAX_VALUE);
            network.call(to, new PeerRequest.Archive(all), timeoutNanos, completion);
        } else {
            network.call(to, request, timeoutNanos, completion);
        }
    }
}
