package io.uniserve.runtime.transport.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ReadMapping;
import io.uniserve.runtime.proto.data.ConsistentSnapshotMapping;
import io.uniserve.runtime.proto.data.QueryMapping;
import io.uniserve.runtime.proto.data.UpdateMapping;
import io.uniserve.runtime.proto.data.VersionedReadMapping;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.QueriesMapping;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Network of a client: requests to servers, with completions on the given executor. Thread-safe. */
public final class GrpcClientNetwork implements ClientNetwork, SnapshotReadClient, ConsistentSnapshotClient {
    /** Limit of attempts: a stream may end while a read is being sent; a second one that ends means that the server is stopping. */
    private static final int STREAMS_TRIED_MAX = 2;

    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final Executor executor;
    private final String client;

    /** Creates the network of a client without a name. */
    public GrpcClientNetwork(ChannelPool channels, ClusterIdentity cluster, Executor executor) {
        this(channels, cluster, executor, "");
    }

    private GrpcClientNetwork(ChannelPool channels, ClusterIdentity cluster, Executor executor, String client) {
        this.channels = channels;
        this.cluster = cluster;
        this.executor = executor;
        this.client = client;
    }

    /** Returns the network on behalf of a client of this name: servers share their threads fairly between clients. */
    public GrpcClientNetwork onBehalfOf(String name) {
        return new GrpcClientNetwork(channels, cluster, executor, name);
    }

    /** Lists the running queries of a server. If the number is not 0, cancels that query and returns only it. */
    public void queries(Address to, long cancel, long timeoutNanos, Completion<QueriesHandler.Running> completion) {
        DataProto.QueriesCall message = DataProto.QueriesCall.newBuilder()
                .setCluster(cluster.nameOrEmpty())
                .setCancel(cancel)
                .build();
        new UnaryCall<DataProto.QueriesReply, QueriesHandler.Running>(
                        to, true, QueriesMapping::fromProto, executor, completion)
                .start(channels, DataGrpc.getQueriesMethod(), message, timeoutNanos);
    }

    @Override
    public Timers.Cancel read(Address to, ReadRequest request, Completion<ReadReply> completion) {
        return read(
                to,
                DataProto.ReadsCall.newBuilder().setClient(client).setRead(ReadMapping.toProto(request)),
                ReadMapping::fromProto,
                completion);
    }

    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return read(
                to,
                DataProto.ReadsCall.newBuilder().setClient(client).setVersioned(VersionedReadMapping.toProto(request)),
                VersionedReadMapping::replyFromProto,
                completion);
    }

    private <M> Timers.Cancel read(
            Address to,
            DataProto.ReadsCall.Builder message,
            Function<DataProto.ReadReply, M> mapping,
            Completion<M> completion) {
        @Nullable UniserveException error = null;
        try {
            for (int i = 0; i < STREAMS_TRIED_MAX; i++) {
                ReadStreamClient stream = channels.reads(to, cluster.nameOrEmpty());
                PendingRead<M> read = stream.read(message, executor, mapping, completion);
                if (read != null) {
                    return read;
                }
                error = stream.failure();
            }
        } catch (UniserveException e) {
            error = e;
        }
        Outcome<M> failed = Outcome.err(
                error == null ? new UniserveException(ErrorCode.UNAVAILABLE, to + " accepts no more reads") : error);
        executor.execute(() -> completion.done(failed));
        return () -> {};
    }

    @Override
    public void requestChunkGeneration(
            Address to, TableName table, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        requestConsistentCut(to, List.of(table), timeoutNanos, completion);
    }

    @Override
    public void update(Address to, UpdateRequest request, long timeoutNanos, Completion<UpdateReply> completion) {
        DataProto.UpdateCall message = DataProto.UpdateCall.newBuilder()
                .setCluster(cluster.nameOrEmpty())
                .setRequest(UpdateMapping.toProto(request))
                .build();
        new UnaryCall<DataProto.UpdateReply, UpdateReply>(to, false, UpdateMapping::fromProto, executor, completion)
                .start(channels, DataGrpc.getUpdateMethod(), message, timeoutNanos);
    }

    @Override
    public void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        new UnaryCall<DataProto.CutReply, ConsistentSnapshot>(
                        to, true, ConsistentSnapshotMapping::fromProto, executor, completion)
                .start(
                        channels,
                        DataGrpc.getCutMethod(),
                        ConsistentSnapshotMapping.toProto(cluster.nameOrEmpty(), tables),
                        timeoutNanos);
    }

    /** Sends a query in the engine's own language, planned on the server; the returned handle cancels it there. */
    public Timers.Cancel query(Address to, QueryRequest request, long timeoutNanos, Completion<Answer> completion) {
        UnaryCall<DataProto.QueryReply, Answer> call =
                new UnaryCall<>(to, true, reply -> QueryMapping.fromProto(request, reply), executor, completion);
        DataProto.QueryCall message = DataProto.QueryCall.newBuilder()
                .setCluster(cluster.nameOrEmpty())
                .setRequest(QueryMapping.toProto(request))
                .setClient(client)
                .build();
        call.start(channels, DataGrpc.getQueryMethod(), message, timeoutNanos);
        return call;
    }
}
