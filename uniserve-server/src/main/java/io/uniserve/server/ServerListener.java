package io.uniserve.server;

import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.certificate.ProcessCertificates;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.DataHandlers;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.PeerHandler;
import io.uniserve.runtime.transport.server.QueryHandler;
import io.uniserve.runtime.transport.server.ReadHandler;
import io.uniserve.runtime.transport.server.RoutingSource;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Listening port of the server. It is opened before the handlers exist, because the server must know its port number to register.
 * Until then requests fail with UNAVAILABLE.
 */
final class ServerListener {
    private final ServerMetrics.RequestMetrics readTimes;
    private final ServerMetrics.RequestMetrics updateTimes;
    private final ServerMetrics.RequestMetrics queryTimes;
    private final ServerMetrics.RequestMetrics snapshotTimes;
    private volatile @Nullable Handlers liveHandlers;

    /** Handlers of requests. */
    record Handlers(PeerHandler peers, DataHandlers data) {}

    ServerListener(ServerMetrics metrics) {
        readTimes = metrics.requestMetrics("read");
        updateTimes = metrics.requestMetrics("update");
        queryTimes = metrics.requestMetrics("query");
        snapshotTimes = metrics.requestMetrics("cut");
    }

    GrpcServer open(
            Settings whole, ClusterIdentity cluster, AccessControl access, ReloadingTls tls, RoutingSource routing) {
        ServerSettings settings = whole.server();
        return GrpcServer.builder(cluster)
                .access(access)
                .tls(tls)
                .connectionAge(whole.connectionAge().toNanos())
                .certificates(new ProcessCertificates(tls))
                .authorizer(Authorizer.of(
                        whole.security(ListenerKind.SERVER), whole.zookeeper().cluster()))
                .peers(this::handlePeerRequest)
                .data(new DataHandlers(
                        new TimedReads(""),
                        this::update,
                        new TimedQueries("", table -> false),
                        this::takeSnapshot,
                        this::queries))
                .routing(routing)
                .start(settings.host(), settings.port());
    }

    /** Starts to answer requests with these handlers. */
    void setHandlers(Handlers handlers) {
        liveHandlers = handlers;
    }

    private Handlers requireHandlers() {
        Handlers present = liveHandlers;
        if (present == null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is starting; try again or elsewhere");
        }
        return present;
    }

    private void handlePeerRequest(PeerRequest request, Completion<PeerReply> completion) {
        requireHandlers().peers().call(request, completion);
    }

    private final class TimedReads implements ReadHandler {
        private final String client;

        private TimedReads(String client) {
            this.client = client;
        }

        @Override
        public ReadHandler onBehalfOf(String name) {
            return new TimedReads(name);
        }

        @Override
        public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
            return requireHandlers().data().read().onBehalfOf(client).read(request, readTimes.timed(completion));
        }

        @Override
        public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
            return requireHandlers().data().read().onBehalfOf(client).read(request, readTimes.timed(completion));
        }
    }

    private void update(UpdateRequest request, Completion<UpdateReply> completion) {
        requireHandlers().data().update().update(request, updateTimes.timed(completion));
    }

    private void takeSnapshot(List<TableName> tables, Completion<ConsistentSnapshot> completion) {
        requireHandlers().data().snapshot().takeSnapshot(tables, snapshotTimes.timed(completion));
    }

    private final class TimedQueries implements QueryHandler {
        private final String client;
        private final Predicate<TableName> readable;

        private TimedQueries(String client, Predicate<TableName> readable) {
            this.client = client;
            this.readable = readable;
        }

        @Override
        public QueryHandler onBehalfOf(String name, Predicate<TableName> tables) {
            return new TimedQueries(name, tables);
        }

        @Override
        public Timers.Cancel query(QueryRequest request, Completion<Answer> completion) {
            return requireHandlers()
                    .data()
                    .query()
                    .onBehalfOf(client, readable)
                    .query(request, queryTimes.timed(completion));
        }
    }

    private QueriesHandler.Running queries(long cancel) {
        return requireHandlers().data().queries().queries(cancel);
    }
}
