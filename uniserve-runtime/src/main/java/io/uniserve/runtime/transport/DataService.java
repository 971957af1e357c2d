package io.uniserve.runtime.transport;

import io.grpc.stub.StreamObserver;
import io.uniserve.api.plan.Answer;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.QueryMapping;
import io.uniserve.runtime.proto.ReadMapping;
import io.uniserve.runtime.proto.UpdateMapping;

/** Reads, updates and queries of clients. */
final class DataService extends DataGrpc.DataImplBase {
    private final ClusterIdentity cluster;
    private final DataHandlers handlers;

    DataService(ClusterIdentity cluster, DataHandlers handlers) {
        this.cluster = cluster;
        this.handlers = handlers;
    }

    @Override
    public void read(DataProto.ReadCall call, StreamObserver<DataProto.ReadReply> observer) {
        Reply<ReadReply, DataProto.ReadReply> reply = new Reply<>(observer, ReadMapping::toProto);
        try {
            Unparsed.refuse(call);
            cluster.check(call.getCluster());
            reply.onCancel(handlers.read().read(ReadMapping.fromProto(call.getRequest()), reply));
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    @Override
    public void update(DataProto.UpdateCall call, StreamObserver<DataProto.UpdateReply> observer) {
        Reply<UpdateReply, DataProto.UpdateReply> reply = new Reply<>(observer, UpdateMapping::toProto);
        try {
            Unparsed.refuse(call);
            cluster.check(call.getCluster());
            handlers.update().update(UpdateMapping.fromProto(call.getRequest()), reply);
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    @Override
    public void query(DataProto.QueryCall call, StreamObserver<DataProto.QueryReply> observer) {
        Reply<Answer, DataProto.QueryReply> reply = new Reply<>(observer, QueryMapping::toProto);
        try {
            Unparsed.refuse(call);
            cluster.check(call.getCluster());
            reply.onCancel(handlers.query().query(QueryMapping.fromProto(call.getRequest()), reply));
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }
}
