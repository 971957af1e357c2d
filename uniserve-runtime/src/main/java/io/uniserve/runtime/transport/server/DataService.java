package io.uniserve.runtime.transport.server;

import io.grpc.stub.StreamObserver;
import io.uniserve.api.plan.Answer;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.runtime.proto.ConsistentSnapshotMapping;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.QueryMapping;
import io.uniserve.runtime.proto.UpdateMapping;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.QueriesMapping;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** gRPC service of clients' reads, updates, queries and snapshots. */
final class DataService extends DataGrpc.DataImplBase {
    private final ClusterIdentity cluster;
    private final DataHandlers handlers;
    private final Set<ReadStreamHandler> callers = ConcurrentHashMap.newKeySet();
    private volatile boolean finishing;

    DataService(ClusterIdentity cluster, DataHandlers handlers) {
        this.cluster = cluster;
        this.handlers = handlers;
    }

    @Override
    public StreamObserver<DataProto.ReadsCall> reads(StreamObserver<DataProto.ReadsReply> observer) {
        ReadStreamHandler served = new ReadStreamHandler(cluster, handlers.read(), observer, callers::remove);
        callers.add(served);
        if (finishing) {
            served.finish();
        }
        return served;
    }

    /** Ends streams of reads once their running reads are answered. */
    void finish() {
        finishing = true;
        callers.forEach(ReadStreamHandler::finish);
    }

    @Override
    public void update(DataProto.UpdateCall call, StreamObserver<DataProto.UpdateReply> observer) {
        UnaryReply<UpdateReply, DataProto.UpdateReply> reply = new UnaryReply<>(observer, UpdateMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            handlers.update().update(UpdateMapping.fromProto(call.getRequest()), reply);
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    @Override
    public void cut(DataProto.CutCall call, StreamObserver<DataProto.CutReply> observer) {
        UnaryReply<ConsistentSnapshot, DataProto.CutReply> reply =
                new UnaryReply<>(observer, ConsistentSnapshotMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            handlers.snapshot().takeSnapshot(ConsistentSnapshotMapping.fromProto(call), reply);
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    @Override
    public void queries(DataProto.QueriesCall call, StreamObserver<DataProto.QueriesReply> observer) {
        UnaryReply<QueriesHandler.Running, DataProto.QueriesReply> reply =
                new UnaryReply<>(observer, QueriesMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            reply.done(Outcome.ok(handlers.queries().queries(call.getCancel())));
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    @Override
    public void query(DataProto.QueryCall call, StreamObserver<DataProto.QueryReply> observer) {
        UnaryReply<Answer, DataProto.QueryReply> reply =
                new UnaryReply<>(observer, answer -> QueryMapping.toProto(call.getRequest(), answer));
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            reply.onCancel(handlers.query()
                    .onBehalfOf(CallerIdentity.checkedName(call.getClient()))
                    .query(QueryMapping.fromProto(call.getRequest()), reply));
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }
}
