package io.uniserve.runtime.transport.http;

import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelFutureListener;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.uniserve.runtime.transport.http.HttpListener.Pages;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of the HTTP listener: one request at a time. It is closed if a request does not arrive in time, or its reply is not read
 * in time. Used on the listener's thread.
 */
final class HttpConnectionHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnectionHandler.class);
    private static final String PATHS =
            Arrays.stream(HttpRoute.values()).map(HttpRoute::path).collect(Collectors.joining(", ", "use one of ", ""));

    private final HttpListener listener;
    private final Pages pages;
    private @Nullable ScheduledFuture<?> deadline;
    private boolean answering;

    HttpConnectionHandler(HttpListener listener, Pages pages) {
        this.listener = listener;
        this.pages = pages;
    }

    /** Options of the reply, from its request: method HEAD, and whether the connection stays open. */
    private record ReplyOptions(boolean head, boolean keepAlive) {}

    @Override
    public void channelActive(ChannelHandlerContext connection) {
        listener.opened(connection.channel());
        closeIn(connection, listener.bounds().requestMillis());
    }

    @Override
    public void channelInactive(ChannelHandlerContext connection) {
        cancelDeadline();
        listener.closed(connection.channel());
    }

    private void closeIn(ChannelHandlerContext connection, long millis) {
        cancelDeadline();
        deadline = connection.executor().schedule(() -> end(connection), millis, TimeUnit.MILLISECONDS);
    }

    private static void end(ChannelHandlerContext connection) {
        ChannelFuture unused = connection.close();
    }

    private void cancelDeadline() {
        ScheduledFuture<?> present = deadline;
        if (present != null) {
            present.cancel(false);
            deadline = null;
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext connection, FullHttpRequest request) {
        if (answering) {
            end(connection); // it did not wait for the reply to the request before
            return;
        }
        answering = true;
        cancelDeadline();
        listener.removeFromWaiting(connection.channel());
        boolean head = request.method().equals(HttpMethod.HEAD);
        ReplyOptions asked = new ReplyOptions(head, HttpUtil.isKeepAlive(request));
        if (request.decoderResult().isFailure()) {
            send(
                    connection,
                    new ReplyOptions(head, false),
                    HttpReply.plain(HttpReply.BAD_REQUEST, "the request is no HTTP"));
            return;
        }
        Optional<HttpRoute> route = HttpRoute.of(new QueryStringDecoder(request.uri()).rawPath());
        if (route.isEmpty()) {
            send(connection, asked, HttpReply.plain(HttpReply.NOT_FOUND, PATHS));
        } else if (!head && !request.method().equals(HttpMethod.GET)) {
            send(connection, asked, HttpReply.plain(HttpReply.METHOD_NOT_ALLOWED, "use GET"));
        } else {
            answer(connection, asked, route.get(), caller(connection));
        }
    }

    private static HttpCaller caller(ChannelHandlerContext connection) {
        SslHandler ssl = connection.pipeline().get(SslHandler.class);
        return new HttpCaller(String.valueOf(connection.channel().remoteAddress()), ssl != null, chain(ssl));
    }

    private static List<X509Certificate> chain(@Nullable SslHandler ssl) {
        if (ssl == null) {
            return List.of();
        }
        try {
            return Arrays.stream(ssl.engine().getSession().getPeerCertificates())
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // it showed none
        }
    }

    private void answer(ChannelHandlerContext connection, ReplyOptions asked, HttpRoute route, HttpCaller caller) {
        try {
            listener.workers().execute(() -> {
                HttpReply reply = make(route, caller);
                try {
                    connection.executor().execute(() -> send(connection, asked, reply));
                } catch (RejectedExecutionException e) {
                    LOG.debug("the listener has ended", e);
                }
            });
        } catch (RejectedExecutionException e) {
            send(connection, asked, HttpReply.plain(HttpReply.UNAVAILABLE, "too many requests wait: try again"));
        }
    }

    private HttpReply make(HttpRoute route, HttpCaller caller) {
        try {
            return pages.answer(route, caller);
        } catch (RuntimeException e) {
            LOG.error("{} failed", route.action(), e);
            return HttpReply.plain(HttpReply.FAILED, "the page cannot be made: see the log");
        }
    }

    private void send(ChannelHandlerContext connection, ReplyOptions asked, HttpReply reply) {
        if (!connection.channel().isActive()) {
            return; // the caller did not wait
        }
        byte[] body = reply.body();
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(reply.status()),
                asked.head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.type())
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        if (reply.status() == HttpReply.METHOD_NOT_ALLOWED) {
            response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        HttpUtil.setKeepAlive(response, asked.keepAlive);
        answering = false;
        listener.addToWaiting(connection.channel());
        closeIn(connection, listener.bounds().requestMillis());
        ChannelFuture unused = connection.writeAndFlush(response).addListener((ChannelFutureListener) sent -> {
            if (!sent.isSuccess() || !asked.keepAlive) {
                end(connection);
            } else if (!answering) {
                closeIn(connection, listener.bounds().idleMillis());
            }
        });
    }

    /** A failed handshake, a reset connection, garbage: all of the caller's doing. */
    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
        LOG.debug("metrics: a connection of {} ends", connection.channel().remoteAddress(), cause);
        end(connection);
    }
}
