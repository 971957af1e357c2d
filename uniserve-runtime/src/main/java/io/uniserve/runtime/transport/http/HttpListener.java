package io.uniserve.runtime.transport.http;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObjectAggregator;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.OptionalSslHandler;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.MetricsSettings.Access;
import io.uniserve.runtime.security.ReloadingTls;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * HTTP listener of a daemon for few, small pages. One thread reads and writes all connections and never blocks; two others make the pages.
 * A connection that is slow or silent is closed in time. Thread-safe.
 */
public final class HttpListener implements AutoCloseable {
    private static final String NAME = "uniserve-metrics";
    private static final int WORKERS = 2;
    private static final int BACKLOG = 64;
    private static final long KEPT_SECONDS = 30;
    private static final long CLOSE_SECONDS_MAX = 5;

    private final EventLoopGroup group = new NioEventLoopGroup(1, new DefaultThreadFactory(NAME, true));
    private final ThreadPoolExecutor workers;
    private final Bounds bounds;
    /** Connections that wait for a request or for the end of a reply, the one that has waited longest first. Used on the listener's thread. */
    private final Set<Channel> waiting = new LinkedHashSet<>();
    /** Number of all connections. Used on the listener's thread. */
    private int connections;

    private final Channel channel;

    /** Maker of pages. It may block for some seconds. */
    @FunctionalInterface
    public interface Pages {
        /** Makes the page of a route for a caller that has not been judged yet. */
        HttpReply answer(HttpRoute route, HttpCaller caller);
    }

    /**
     * Limits of connections.
     *
     * @param requestMillis time for a request to arrive from the connection on, and for a reply to be read
     * @param idleMillis time without a further request
     */
    public record Bounds(int connections, long requestMillis, long idleMillis) {
        /** The limits in use. */
        public static final Bounds DEFAULT =
                new Bounds(Limits.HTTP_CONNECTIONS_MAX, Limits.HTTP_REQUEST_MS_MAX, Limits.HTTP_IDLE_MS_MAX);
    }

    /**
     * Opens the port.
     *
     * @throws UniserveException INVALID_CONFIGURATION if it is in use, or the host is not this machine
     */
    public HttpListener(MetricsSettings settings, ReloadingTls tls, Bounds bounds, Pages pages) {
        this.bounds = bounds;
        workers = new ThreadPoolExecutor(
                WORKERS,
                WORKERS,
                KEPT_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(bounds.connections()),
                new DefaultThreadFactory(NAME + "-pages", true));
        workers.allowCoreThreadTimeOut(true);
        boolean open = false;
        try {
            Optional<SslContext> context =
                    settings.tls() ? Optional.of(context(tls, settings.access() == Access.MONITOR)) : Optional.empty();
            ChannelFuture bound = new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel accepted) {
                            // plain HTTP stays possible for probes that cannot speak TLS; the routes for anyone answer
                            // it
                            context.ifPresent(ssl -> accepted.pipeline().addLast(new OptionalSslHandler(ssl)));
                            accepted.pipeline()
                                    .addLast(new HttpServerCodec(
                                            Limits.HTTP_LINE_BYTES_MAX,
                                            Limits.HTTP_HEADER_BYTES_MAX,
                                            Limits.HTTP_BODY_BYTES_MAX))
                                    .addLast(new HttpObjectAggregator(Limits.HTTP_BODY_BYTES_MAX, true))
                                    .addLast(new HttpConnectionHandler(HttpListener.this, pages));
                        }
                    })
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .bind(new InetSocketAddress(settings.host(), settings.port()))
                    .awaitUninterruptibly();
            if (!bound.isSuccess()) {
                throw refused(settings, bound.cause());
            }
            channel = bound.channel();
            open = true;
        } finally {
            if (!open) {
                stopThreads();
            }
        }
    }

    private static UniserveException refused(MetricsSettings settings, Throwable cause) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "cannot listen on " + settings.host() + ":" + settings.port() + " for metrics: " + cause.getMessage()
                        + "; choose another metrics.prometheus.port",
                cause);
    }

    /** A certificate is requested if the rights of callers count, and not required: probes have none. */
    private static SslContext context(ReloadingTls tls, boolean request) {
        try {
            return SslContextBuilder.forServer(tls.keyManager())
                    .sslProvider(SslProvider.JDK)
                    .trustManager(tls.trustManager())
                    .clientAuth(request ? ClientAuth.OPTIONAL : ClientAuth.NONE)
                    .build();
        } catch (SSLException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "metrics.prometheus.tls: the files of the section tls cannot be used: " + e.getMessage(),
                    e);
        }
    }

    /** Open port. */
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    Bounds bounds() {
        return bounds;
    }

    ThreadPoolExecutor workers() {
        return workers;
    }

    /** Adds a connection. With too many, one that waits is closed. Call it on the listener's thread. */
    void opened(Channel connection) {
        connections++;
        waiting.add(connection);
        if (connections > bounds.connections()) {
            ChannelFuture unused = waiting.iterator().next().close();
        }
    }

    /** Notes that a connection has a request to answer. */
    void removeFromWaiting(Channel connection) {
        waiting.remove(connection);
    }

    /** Notes that a reply is on its way. */
    void addToWaiting(Channel connection) {
        waiting.add(connection);
    }

    /** Removes a closed connection. */
    void closed(Channel connection) {
        connections--;
        waiting.remove(connection);
    }

    private void stopThreads() {
        workers.shutdownNow();
        group.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** Closes the port and all connections. */
    @Override
    public void close() {
        ChannelFuture unused = channel.close().awaitUninterruptibly();
        stopThreads();
    }
}
