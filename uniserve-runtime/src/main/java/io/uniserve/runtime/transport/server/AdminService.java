package io.uniserve.runtime.transport.server;

import io.grpc.stub.StreamObserver;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;

/** gRPC service of administrative requests. */
final class AdminService extends AdminGrpc.AdminImplBase {
    private final ClusterIdentity cluster;
    private final AdminRpcHandler handler;

    AdminService(ClusterIdentity cluster, AdminRpcHandler handler) {
        this.cluster = cluster;
        this.handler = handler;
    }

    @Override
    public void call(AdminProto.AdminCall call, StreamObserver<AdminProto.AdminReplyEnvelope> observer) {
        UnaryReply<AdminReply, AdminProto.AdminReplyEnvelope> reply = new UnaryReply<>(observer, AdminMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            handler.call(AdminMapping.fromProto(call), reply);
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }
}
