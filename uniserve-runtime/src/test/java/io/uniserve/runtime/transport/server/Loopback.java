package io.uniserve.runtime.transport.server;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Server and client over the loopback interface, with handlers that a test replaces. */
public final class Loopback implements AutoCloseable {
    public static final String CLUSTER = "cluster-a";
    public static final long SECOND = 1_000_000_000L;
    public static final ServerId SERVER = new ServerId("server-1");

    volatile PeerHandler peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Pong(SERVER, 7)));
    public volatile ReadHandler read = (request, done) -> {
        done.done(Outcome.ok(new ReadReply(
                List.of(new ReadReply.Part(List.of(request.targets().get(0).actor()), request.parameters())),
                List.of(),
                5)));
        return () -> {};
    };
    volatile UpdateRpcHandler update = (request, done) ->
            done.done(Outcome.ok(new UpdateReply(List.of(new UpdateReply.ActorAck(0, 1, 2, false)), List.of())));
    volatile QueryHandler query = (request, done) -> {
        done.done(Outcome.ok(new Answer("text/plain", Bytes.utf8(request.text()))));
        return () -> {};
    };
    public final RoutingBroadcaster routing = new RoutingBroadcaster();
    public volatile RoutingSource source = routing;
    public final AtomicReference<Throwable> fatal = new AtomicReference<>();
    public final EventLoop loop = new EventLoop("test-client", SystemClock.INSTANCE, fatal::set);
    public final ChannelPool channels;
    public final GrpcServer server;
    public final Address address;

    public Loopback() {
        this(TlsFiles.PLAIN, TlsFiles.PLAIN, Authorizer.ALLOW_ALL);
    }

    Loopback(TlsFiles serverTls, TlsFiles clientTls, Authorizer authorizer) {
        this(serverTls, clientTls, authorizer, ClusterIdentity.unknown());
    }

    Loopback(TlsFiles serverTls, TlsFiles clientTls, Authorizer authorizer, ClusterIdentity cluster) {
        channels = new ChannelPool(SystemClock.INSTANCE, clientTls, cluster);
        server = start(serverTls, authorizer, 0);
        address = new Address("localhost", server.port());
    }

    Loopback(ReloadingTls serverTls, ReloadingTls clientTls, AccessControl access, ClusterIdentity cluster) {
        channels = new ChannelPool(SystemClock.INSTANCE, clientTls, cluster);
        server = start(
                GrpcServer.builder(ClusterIdentity.of(CLUSTER)).access(access).tls(serverTls), 0);
        address = new Address("localhost", server.port());
    }

    public GrpcServer start(TlsFiles tls, Authorizer authorizer, int port) {
        return start(GrpcServer.builder(ClusterIdentity.of(CLUSTER)).tls(tls).authorizer(authorizer), port);
    }

    private GrpcServer start(GrpcServer.Builder builder, int port) {
        return builder.peers((request, done) -> peer.call(request, done))
                .data(new DataHandlers(
                        (request, done) -> read.read(request, done),
                        (request, done) -> update.update(request, done),
                        (request, done) -> query.query(request, done)))
                .routing(listener -> source.watch(listener))
                .start("localhost", port);
    }

    GrpcNetwork network(String cluster) {
        return new GrpcNetwork(channels, ClusterIdentity.of(cluster), loop);
    }

    public GrpcClientNetwork client() {
        return new GrpcClientNetwork(channels, ClusterIdentity.of(CLUSTER), loop);
    }

    public PeerReply ping() {
        return ping(CLUSTER);
    }

    PeerReply ping(String cluster) {
        return outcome(done -> network(cluster).call(address, new PeerRequest.Ping(SERVER, SERVER), 10 * SECOND, done));
    }

    public static ReadRequest readRequest(Bytes parameters) {
        return new ReadRequest(
                new TableName("t"),
                1,
                List.of(new ReadRequest.Target(3, 1, 0)),
                "kv.get@1",
                parameters,
                1,
                2,
                0,
                10 * SECOND,
                ReadMode.LINEARIZABLE);
    }

    static UpdateRequest updateRequest() {
        return new UpdateRequest(
                new TableName("t"),
                1,
                new RequestId(1, 2, 3),
                0,
                0,
                AckLevel.ISR,
                "kv.put@1",
                List.of(new UpdateRequest.ActorRows(0, 1, Bytes.EMPTY)),
                10 * SECOND);
    }

    ReadReply read(Bytes parameters) {
        return outcome(done -> {
            Timers.Cancel unused = client().read(address, readRequest(parameters), done);
        });
    }

    /** Returns the value of an operation; throws its error. */
    public static <T> T outcome(Consumer<Completion<T>> operation) {
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        operation.accept(future::complete);
        try {
            Outcome<T> outcome = future.get(20, TimeUnit.SECONDS);
            if (outcome instanceof Outcome.Err<T> failed) {
                throw failed.error();
            }
            return ((Outcome.Ok<T>) outcome).value();
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("no outcome", e);
        }
    }

    static UniserveException error(Consumer<Completion<Object>> operation) {
        try {
            Object value = outcome(operation);
            throw new AssertionError("expected an error, got " + value);
        } catch (UniserveException e) {
            return e;
        }
    }

    @Override
    public void close() {
        channels.close();
        server.close();
        loop.close();
    }
}
