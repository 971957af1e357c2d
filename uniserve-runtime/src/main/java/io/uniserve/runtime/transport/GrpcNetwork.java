package io.uniserve.runtime.transport;

import io.grpc.MethodDescriptor;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.PeerReplyMapping;
import io.uniserve.runtime.proto.PeerRequestMapping;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Requests between daemons; completions run on the machine's loop. Brief ones that make up updates and replication share one long
 * call to each daemon, where there is a loop for them.
 */
public final class GrpcNetwork implements Network {
    /** Pieces of chunks are kept as they come. */
    private static final MethodDescriptor<PeerProto.PeerEnvelope, PeerProto.PeerReplyEnvelope> PULL =
            PiecesMarshaller.answers(PeerGrpc.getCallMethod());

    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final Executor executor;
    private final @Nullable EventLoop loop;
    /** Used on the loop only. */
    private final Map<Address, PeerStream> streams = new HashMap<>();

    /** Every request is a call of its own; completions run on the executor. */
    public GrpcNetwork(ChannelPool channels, ClusterIdentity cluster, Executor executor) {
        this(channels, cluster, executor, null);
    }

    private GrpcNetwork(ChannelPool channels, ClusterIdentity cluster, Executor executor, @Nullable EventLoop loop) {
        this.channels = channels;
        this.cluster = cluster;
        this.executor = executor;
        this.loop = loop;
    }

    /** For requests made on this loop's thread, where completions run too. */
    public static GrpcNetwork ofLoop(ChannelPool channels, ClusterIdentity cluster, EventLoop loop) {
        return new GrpcNetwork(channels, cluster, loop, loop);
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        PeerProto.PeerEnvelope envelope = PeerRequestMapping.toProto(cluster.orEmpty(), request);
        EventLoop home = loop;
        PeerStream stream = home != null && shares(request, envelope) ? stream(to, home) : null;
        if (stream != null) {
            stream.call(envelope, timeoutNanos, completion);
            return;
        }
        new UnaryCall<>(to, false, PeerReplyMapping::fromProto, executor, completion)
                .start(
                        channels,
                        request instanceof PeerRequest.PullChunks ? PULL : PeerGrpc.getCallMethod(),
                        envelope,
                        timeoutNanos);
    }

    /** Large ones would hold up those behind them, rare ones gain nothing. */
    private static boolean shares(PeerRequest request, PeerProto.PeerEnvelope envelope) {
        boolean frequent = request instanceof PeerRequest.Replicate
                || request instanceof PeerRequest.Prepare
                || request instanceof PeerRequest.Decide
                || request instanceof PeerRequest.Tell
                || request instanceof PeerRequest.Undisclosed;
        return frequent && envelope.getSerializedSize() <= Limits.PEER_CALL_BYTES_MAX;
    }

    /** Null where there is none that takes a request now. */
    private @Nullable PeerStream stream(Address to, EventLoop home) {
        PeerStream stream = streams.get(to);
        if (stream == null || stream.ended()) {
            streams.values().removeIf(PeerStream::ended);
            try {
                stream = PeerStream.open(to, home, channels.channel(to));
            } catch (UniserveException e) {
                return null; // the call of its own tells why
            }
            streams.put(to, stream);
        }
        return stream.takes() ? stream : null;
    }
}
