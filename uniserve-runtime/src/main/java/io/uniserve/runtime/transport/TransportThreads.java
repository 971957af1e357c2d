package io.uniserve.runtime.transport;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one port, as many as there are cores, begun as connections come. They are the port's own: gRPC's default ones
 * are shared with all that this process itself asks of others, so that a server's way out and its way in, or two servers of
 * one process, might have to wait for one thread with the other idle. Safe for use by several threads.
 */
public final class TransportThreads implements AutoCloseable {
    /** What their names begin with. */
    public static final String NAME = "uniserve-port";

    private static final long CLOSE_SECONDS_MAX = 5;

    private final EventLoopGroup group;
    private final Class<? extends ServerChannel> channel;

    private TransportThreads(EventLoopGroup group, Class<? extends ServerChannel> channel) {
        this.group = group;
        this.channel = channel;
    }

    /** Those of one port. None has begun. */
    public static TransportThreads create() {
        int most = Runtime.getRuntime().availableProcessors();
        DefaultThreadFactory threads = new DefaultThreadFactory(NAME, true);
        return Epoll.isAvailable()
                ? new TransportThreads(new EpollEventLoopGroup(most, threads), EpollServerSocketChannel.class)
                : new TransportThreads(new NioEventLoopGroup(most, threads), NioServerSocketChannel.class);
    }

    /** The builder's server will use these. */
    public NettyServerBuilder serve(NettyServerBuilder builder) {
        return builder.bossEventLoopGroup(group).workerEventLoopGroup(group).channelType(channel);
    }

    /** Ends them, for a server that has ended, and waits for that for some seconds at most; not on one of them. */
    @Override
    public void close() {
        group.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
}
