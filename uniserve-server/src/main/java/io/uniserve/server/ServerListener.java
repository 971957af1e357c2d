package io.uniserve.server;

import io.uniserve.api.plan.Answer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.QueryRequest;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.DataHandlers;
import io.uniserve.runtime.transport.GrpcServer;
import io.uniserve.runtime.transport.PeerHandler;
import io.uniserve.runtime.transport.QueriesHandler;
import io.uniserve.runtime.transport.QueryHandler;
import io.uniserve.runtime.transport.ReadHandler;
import io.uniserve.runtime.transport.RoutingSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Listening port of the server. It is opened before the handlers exist, because the server must know its port number to register.
 * Until then requests fail with UNAVAILABLE.
 */
final class ServerListener {
    private final ServerMetrics.Kind readTimes;
    private final ServerMetrics.Kind updateTimes;
    private final ServerMetrics.Kind queryTimes;
    private final ServerMetrics.Kind cutTimes;
    private volatile @Nullable Live live;

    /** Handlers of requests. */
    record Live(PeerHandler peers, DataHandlers data) {}

    ServerListener(ServerMetrics metrics) {
        readTimes = metrics.kind("read");
        updateTimes = metrics.kind("update");
        queryTimes = metrics.kind("query");
        cutTimes = metrics.kind("cut");
    }

    GrpcServer open(Settings whole, ClusterIdentity cluster, RoutingSource routing) {
        ServerSettings settings = whole.server();
        return GrpcServer.builder(cluster)
                .tls(whole.tls())
                .peers(this::peer)
                .data(new DataHandlers(
                        new TimedReads(""), this::update, new TimedQueries(""), this::cut, this::queries))
                .routing(routing)
                .start(settings.host(), settings.port());
    }

    /** Starts to answer requests with these handlers. */
    void answerWith(Live handlers) {
        live = handlers;
    }

    private Live live() {
        Live present = live;
        if (present == null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is starting; try again or elsewhere");
        }
        return present;
    }

    private void peer(PeerRequest request, Completion<PeerReply> completion) {
        live().peers().call(request, completion);
    }

    private final class TimedReads implements ReadHandler {
        private final String client;

        private TimedReads(String client) {
            this.client = client;
        }

        @Override
        public ReadHandler of(String name) {
            return new TimedReads(name);
        }

        @Override
        public Timers.Cancel read(ReadRequest request, Completion<ReadReply> completion) {
            return live().data().read().of(client).read(request, readTimes.timed(completion));
        }

        @Override
        public Timers.Cancel read(VersionedRead request, Completion<VersionedRead.Reply> completion) {
            return live().data().read().of(client).read(request, readTimes.timed(completion));
        }
    }

    private void update(UpdateRequest request, Completion<UpdateReply> completion) {
        live().data().update().update(request, updateTimes.timed(completion));
    }

    private void cut(List<TableName> tables, Completion<ConsistentCut> completion) {
        live().data().cut().cut(tables, cutTimes.timed(completion));
    }

    private final class TimedQueries implements QueryHandler {
        private final String client;

        private TimedQueries(String client) {
            this.client = client;
        }

        @Override
        public QueryHandler of(String name) {
            return new TimedQueries(name);
        }

        @Override
        public Timers.Cancel query(QueryRequest request, Completion<Answer> completion) {
            return live().data().query().of(client).query(request, queryTimes.timed(completion));
        }
    }

    private QueriesHandler.Running queries(long cancel) {
        return live().data().queries().queries(cancel);
    }
}
