package io.uniserve.testkit.process;

import io.uniserve.api.Document;
import io.uniserve.codec.Codecs;
import io.uniserve.model.Address;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Reader that sends reads to one server independent of the current map, like a client with an old map. Thread-safe. */
public final class StaleRouteReader implements AutoCloseable {
    private static final long DEADLINE_NANOS = 180_000_000_000L;

    private final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
    private final EventLoop loop = new EventLoop("direct-reads", SystemClock.INSTANCE, fatal::set);
    private final GrpcClientNetwork network;

    /** Creates a reader for a cluster with this identity, as in {@code Routing.clusterId}. */
    public StaleRouteReader(String clusterId) {
        network = new GrpcClientNetwork(channels, ClusterIdentity.of(clusterId), loop);
    }

    /** Reads a document from this server, with the actor and epoch of the route. The reply may come much later. */
    public CompletableFuture<Outcome<ReadReply>> get(Address server, TableRoute route, int actor, String key) {
        ReadRequest request = new ReadRequest(
                route.meta().name(),
                route.meta().tableId(),
                List.of(new ReadRequest.Target(
                        actor, route.map().actors().get(actor).epoch(), 0)),
                "kv.get@1",
                Codecs.STRING.encode(key),
                1,
                1,
                0,
                DEADLINE_NANOS,
                ReadMode.LINEARIZABLE);
        CompletableFuture<Outcome<ReadReply>> reply = new CompletableFuture<>();
        var unused = network.read(server, request, reply::complete);
        return reply;
    }

    /** Returns the documents of a reply; empty for a refusal. */
    public static List<Document> documents(Outcome<ReadReply> reply) {
        if (!(reply instanceof Outcome.Ok<ReadReply> ok)) {
            return List.of();
        }
        return ok.value().parts().stream()
                .flatMap(part -> Codecs.list(Document.CODEC).decode(part.value()).stream())
                .toList();
    }

    @Override
    public void close() {
        channels.close();
        loop.close();
    }
}
