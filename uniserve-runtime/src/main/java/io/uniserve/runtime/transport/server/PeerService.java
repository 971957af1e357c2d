package io.uniserve.runtime.transport.server;

import io.grpc.stub.StreamObserver;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.proto.PeerGrpc;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.peer.PeerReplyMapping;
import io.uniserve.runtime.proto.peer.PeerRequestMapping;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;

/** gRPC service of requests between daemons. */
final class PeerService extends PeerGrpc.PeerImplBase {
    private final ClusterIdentity cluster;
    private final PeerHandler handler;

    PeerService(ClusterIdentity cluster, PeerHandler handler) {
        this.cluster = cluster;
        this.handler = handler;
    }

    @Override
    public void call(PeerProto.PeerEnvelope envelope, StreamObserver<PeerProto.PeerReplyEnvelope> observer) {
        UnaryReply<PeerReply, PeerProto.PeerReplyEnvelope> reply =
                new UnaryReply<>(observer, PeerReplyMapping::toProto);
        try {
            MalformedMessageGuard.refuse(envelope);
            cluster.checkName(envelope.getCluster());
            handler.call(PeerRequestMapping.fromProto(envelope), reply);
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }
}
