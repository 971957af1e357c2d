package io.uniserve.runtime.transport.connection;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transport threads of one listening port, at most as many as there are cores, started as connections arrive. gRPC's default threads
 * are shared with all outgoing calls of the process. Then a server's incoming and outgoing calls, or two servers of one process,
 * could wait for one busy thread while another is idle. Thread-safe.
 */
public final class TransportThreads implements AutoCloseable {
    /** Prefix of the threads' names. */
    public static final String NAME = "uniserve-port";

    private static final Logger LOG = LoggerFactory.getLogger(TransportThreads.class);
    private static final long CLOSE_SECONDS_MAX = 5;

    private final EventLoopGroup group;
    private final boolean epoll;

    private TransportThreads(EventLoopGroup group, boolean epoll) {
        this.group = group;
        this.epoll = epoll;
    }

    /** Creates the threads of one port; none is started. */
    public static TransportThreads create() {
        int most = Runtime.getRuntime().availableProcessors();
        DefaultThreadFactory threads = new DefaultThreadFactory(NAME, true);
        return Epoll.isAvailable()
                ? new TransportThreads(new EpollEventLoopGroup(most, threads), true)
                : new TransportThreads(new NioEventLoopGroup(most, threads), false);
    }

    /** Makes the builder's server use these threads, and adds its connections to the tracker. */
    public NettyServerBuilder serve(NettyServerBuilder builder, ConnectionTracker connections) {
        return builder.bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .channelFactory(() -> {
                    ServerChannel port = epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
                    port.pipeline().addFirst(new AcceptedHandler(connections));
                    return port;
                })
                .addTransportFilter(connections);
    }

    /** Runs the task with this pause between two runs, until the threads stop, also after it has failed. It must not block. */
    public void repeat(Runnable task, long pauseNanos) {
        ScheduledFuture<?> unused = group.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException e) {
                        LOG.error("a check of connections failed", e);
                    }
                },
                pauseNanos,
                pauseNanos,
                TimeUnit.NANOSECONDS);
    }

    /** Stops the threads of a server that has stopped, and waits for this for at most some seconds. Do not call it on one of them. */
    @Override
    public void close() {
        group.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }

    /** Adds each connection that a port accepts to the tracker. */
    private static final class AcceptedHandler extends ChannelInboundHandlerAdapter {
        private final ConnectionTracker connections;

        private AcceptedHandler(ConnectionTracker connections) {
            this.connections = connections;
        }

        @Override
        public void channelRead(ChannelHandlerContext port, Object accepted) {
            if (accepted instanceof Channel channel) {
                connections.onAccepted(channel);
            }
            port.fireChannelRead(accepted);
        }
    }
}
