package io.uniserve.runtime.transport.server;

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
 * Transport threads of one listening port, at most as many as there are cores, started as connections arrive. gRPC's default threads
 * are shared with all outgoing calls of the process. Then a server's incoming and outgoing calls, or two servers of one process,
 * could wait for one busy thread while another is idle. Thread-safe.
 */
public final class TransportThreads implements AutoCloseable {
    /** Prefix of the threads' names. */
    public static final String NAME = "uniserve-port";

    private static final long CLOSE_SECONDS_MAX = 5;

    private final EventLoopGroup group;
    private final Class<? extends ServerChannel> channel;

    private TransportThreads(EventLoopGroup group, Class<? extends ServerChannel> channel) {
        this.group = group;
        this.channel = channel;
    }

    /** Creates the threads of one port; none is started. */
    public static TransportThreads create() {
        int most = Runtime.getRuntime().availableProcessors();
        DefaultThreadFactory threads = new DefaultThreadFactory(NAME, true);
        return Epoll.isAvailable()
                ? new TransportThreads(new EpollEventLoopGroup(most, threads), EpollServerSocketChannel.class)
                : new TransportThreads(new NioEventLoopGroup(most, threads), NioServerSocketChannel.class);
    }

    /** Makes the builder's server use these threads. */
    public NettyServerBuilder serve(NettyServerBuilder builder) {
        return builder.bossEventLoopGroup(group).workerEventLoopGroup(group).channelType(channel);
    }

    /** Stops the threads of a server that has stopped, and waits for this for at most some seconds. Do not call it on one of them. */
    @Override
    public void close() {
        group.shutdownGracefully(0, CLOSE_SECONDS_MAX, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
}
