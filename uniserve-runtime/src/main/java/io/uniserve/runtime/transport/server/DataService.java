package io.uniserve.runtime.transport.server;

import io.grpc.stub.StreamObserver;
import io.uniserve.api.plan.Answer;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Right;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.data.ConsistentSnapshotMapping;
import io.uniserve.runtime.proto.data.QueryMapping;
import io.uniserve.runtime.proto.data.UpdateMapping;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.QueriesMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.RequestRights;
import io.uniserve.runtime.transport.access.UserRequestLimiter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** gRPC service of clients' reads, updates, queries and snapshots. */
final class DataService extends DataGrpc.DataImplBase {
    private static final Right UPDATE =
            RequestRights.ofMethod(DataGrpc.getUpdateMethod().getFullMethodName());
    private static final Right CUT =
            RequestRights.ofMethod(DataGrpc.getCutMethod().getFullMethodName());
    private static final Right QUERIES =
            RequestRights.ofMethod(DataGrpc.getQueriesMethod().getFullMethodName());
    private static final Right QUERY =
            RequestRights.ofMethod(DataGrpc.getQueryMethod().getFullMethodName());

    private final ClusterIdentity cluster;
    private final AccessControl access;
    private final DataHandlers handlers;
    private final UserRequestLimiter limiter = new UserRequestLimiter(SystemClock.INSTANCE);
    private final Set<ReadStreamHandler> callers = ConcurrentHashMap.newKeySet();
    private volatile boolean finishing;

    DataService(ClusterIdentity cluster, AccessControl access, DataHandlers handlers) {
        this.cluster = cluster;
        this.access = access;
        this.handlers = handlers;
    }

    @Override
    public StreamObserver<DataProto.ReadsCall> reads(StreamObserver<DataProto.ReadsReply> observer) {
        ReadStreamHandler served =
                new ReadStreamHandler(cluster, access.current(), limiter, handlers.read(), observer, callers::remove);
        callers.add(served);
        if (finishing) {
            served.finish();
        }
        return served;
    }

    /** Ends streams of reads of this age once their running reads are answered; 0 for all, and for those that begin later. */
    void finish(long ageNanos) {
        finishing |= ageNanos == 0;
        callers.stream().filter(stream -> stream.ageNanos() >= ageNanos).forEach(ReadStreamHandler::finish);
    }

    @Override
    public void update(DataProto.UpdateCall call, StreamObserver<DataProto.UpdateReply> observer) {
        UnaryReply<UpdateReply, DataProto.UpdateReply> reply = new UnaryReply<>(observer, UpdateMapping::toProto);
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            UpdateRequest request = UpdateMapping.fromProto(call.getRequest());
            AccessControl.Caller caller = access.current();
            caller.check(UPDATE, Optional.of(request.table()));
            limiter.recordUpdate(caller, request);
            handlers.update().update(request, reply);
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
            List<TableName> tables = ConsistentSnapshotMapping.fromProto(call);
            AccessControl.Caller caller = access.current();
            tables.forEach(table -> caller.check(CUT, Optional.of(table)));
            Completion<ConsistentSnapshot> counted = limiter.start(caller, reply);
            Timers.Cancel unused = CancellationLink.start(
                    () -> {
                        handlers.snapshot().takeSnapshot(tables, counted);
                        return () -> {};
                    },
                    counted);
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
            access.current().check(call.getCancel() == 0 ? QUERIES : Right.OPERATE, Optional.empty());
            if (call.getCancel() == 0) {
                reply.done(Outcome.ok(handlers.queries().queries(0)));
            } else {
                access.current()
                        .requesting("cancel_query")
                        .audited(Long.toHexString(call.getCancel()), reply, done -> cancel(call.getCancel(), done));
            }
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    private void cancel(long query, Completion<QueriesHandler.Running> done) {
        try {
            done.done(Outcome.ok(handlers.queries().queries(query)));
        } catch (UniserveException e) {
            done.done(Outcome.err(e));
        }
    }

    @Override
    public void query(DataProto.QueryCall call, StreamObserver<DataProto.QueryReply> observer) {
        UnaryReply<Answer, DataProto.QueryReply> reply =
                new UnaryReply<>(observer, answer -> QueryMapping.toProto(call.getRequest(), answer));
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            AccessControl.Caller caller = access.current();
            QueryRequest request = QueryMapping.fromProto(call.getRequest());
            caller.check(QUERY, Optional.of(request.table()));
            QueryHandler handler = handlers.query()
                    .onBehalfOf(caller.queueName(CallerIdentity.checkedName(call.getClient())), caller::mayRead);
            Completion<Answer> counted = limiter.start(caller, outcome -> send(caller, outcome, reply));
            reply.onCancel(CancellationLink.start(() -> handler.query(request, counted), counted));
        } catch (RuntimeException e) {
            reply.fail(e);
        }
    }

    /** Sends an answer, or an error if the user leaves too many bytes of answers unread. */
    private void send(AccessControl.Caller caller, Outcome<Answer> outcome, UnaryReply<Answer, ?> reply) {
        if (outcome instanceof Outcome.Ok<Answer> ok) {
            long bytes = ok.value().body().size();
            try {
                limiter.checkUnsent(caller, bytes);
            } catch (UniserveException e) {
                reply.fail(e);
                return;
            }
            limiter.addUnsent(caller, bytes);
            reply.onClose(() -> limiter.addUnsent(caller, -bytes));
        }
        reply.done(outcome);
    }
}
