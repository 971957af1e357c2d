package io.uniserve.runtime.transport.connection;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import java.net.SocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Open connections of a listening port whose callers have shown a certificate. gRPC itself closes connections for their age only; this closes
 * those of a certificate that is no longer accepted. A caller that resumes a TLS session is not verified by the handshake, so each new
 * connection is verified here. Thread-safe.
 */
public final class ConnectionTracker extends ServerTransportFilter {
    /** Chain of the caller's certificate, leaf first; absent without one that is accepted. */
    public static final Attributes.Key<List<X509Certificate>> CHAIN = Attributes.Key.create("uniserve-chain");

    private final Predicate<List<X509Certificate>> accepted;
    private final Map<SocketAddress, Channel> channels = new ConcurrentHashMap<>();
    private final Map<SocketAddress, List<X509Certificate>> chains = new ConcurrentHashMap<>();

    /**
     * Creates a tracker without connections.
     *
     * @param accepted true for the chain of a caller that may connect, leaf first
     */
    public ConnectionTracker(Predicate<List<X509Certificate>> accepted) {
        this.accepted = accepted;
    }

    /** Adds a connection. */
    void onAccepted(Channel channel) {
        SocketAddress address = channel.remoteAddress();
        if (address != null) { // null if the caller is gone already
            channels.put(address, channel);
            ChannelFuture unused = channel.closeFuture().addListener(closed -> channels.remove(address, channel));
        }
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        SocketAddress address = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        List<X509Certificate> chain = chain(attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
        if (address == null || chain.isEmpty()) {
            return attributes;
        }
        if (!accepted.test(chain)) {
            close(address);
            return attributes; // a call that is here already comes from a caller without an identity
        }
        chains.put(address, chain);
        return attributes.toBuilder().set(CHAIN, chain).build();
    }

    @Override
    public void transportTerminated(@Nullable Attributes attributes) {
        SocketAddress address = attributes == null ? null : attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        List<X509Certificate> chain = attributes == null ? null : attributes.get(CHAIN);
        if (address != null && chain != null) {
            chains.remove(address, chain);
        }
    }

    /** Closes the connections whose chain the predicate refuses, and returns these chains. Running calls on them fail. */
    public List<List<X509Certificate>> closeIf(Predicate<List<X509Certificate>> refused) {
        List<List<X509Certificate>> closed = new ArrayList<>();
        chains.forEach((address, chain) -> {
            if (refused.test(chain)) {
                closed.add(chain);
                close(address);
            }
        });
        return closed;
    }

    private void close(SocketAddress address) {
        Channel channel = channels.get(address);
        if (channel != null) { // null if it is closed already
            // Not through the handlers of HTTP/2, which would wait for running calls.
            channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        }
    }

    private static List<X509Certificate> chain(@Nullable SSLSession session) {
        if (session == null) {
            return List.of();
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            return Stream.of(chain)
                    .filter(X509Certificate.class::isInstance)
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // TLS permits a caller without a certificate unless one is required
        }
    }
}
