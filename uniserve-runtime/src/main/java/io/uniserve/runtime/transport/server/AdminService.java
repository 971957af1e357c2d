package io.uniserve.runtime.transport.server;

import io.grpc.stub.StreamObserver;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.proto.AdminGrpc;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AdminAccess;
import io.uniserve.runtime.transport.access.RequestRights;

/** gRPC service of administrative requests. */
final class AdminService extends AdminGrpc.AdminImplBase {
    private final ClusterIdentity cluster;
    private final AccessControl access;
    private final AdminRpcHandler handler;

    AdminService(ClusterIdentity cluster, AccessControl access, AdminRpcHandler handler) {
        this.cluster = cluster;
        this.access = access;
        this.handler = handler;
    }

    @Override
    public void call(AdminProto.AdminCall call, StreamObserver<AdminProto.AdminReplyEnvelope> observer) {
        UnaryReply<AdminReply, AdminProto.AdminReplyEnvelope> reply = new UnaryReply<>(observer, AdminMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            AccessControl.Caller caller = access.current().requesting(RequestRights.kind(call));
            AdminRequest request = AdminAccess.check(caller, call, AdminMapping.fromProto(call));
            Completion<AdminReply> answer = AdminAccess.forCaller(caller, reply);
            if (AdminAccess.isChange(call, request)) {
                caller.audited(AdminAccess.object(request), answer, done -> handler.call(request, done));
            } else {
                handler.call(request, answer);
            }
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }
}
