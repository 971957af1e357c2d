package io.uniserve.runtime.transport.client;

import io.grpc.MethodDescriptor;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.peer.PeerReplyMapping;
import io.uniserve.runtime.proto.peer.PeerRequestMapping;
import io.uniserve.runtime.transport.ChunkReplyMarshaller;
import io.uniserve.runtime.transport.ClusterIdentity;
import java.util.concurrent.Executor;

/** Network between daemons; completions run on the state machine's loop. */
public final class GrpcNetwork implements Network {
    /** Method with replies whose chunks are not copied. */
    private static final MethodDescriptor<PeerProto.PeerEnvelope, PeerProto.PeerReplyEnvelope> PULL =
            ChunkReplyMarshaller.withChunkReplies(PeerGrpc.getCallMethod());

    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final Executor loop;

    public GrpcNetwork(ChannelPool channels, ClusterIdentity cluster, Executor loop) {
        this.channels = channels;
        this.cluster = cluster;
        this.loop = loop;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        new UnaryCall<>(to, false, PeerReplyMapping::fromProto, loop, completion)
                .start(
                        channels,
                        request instanceof PeerRequest.PullChunks ? PULL : PeerGrpc.getCallMethod(),
                        PeerRequestMapping.toProto(cluster.nameOrEmpty(), request),
                        timeoutNanos);
    }
}
