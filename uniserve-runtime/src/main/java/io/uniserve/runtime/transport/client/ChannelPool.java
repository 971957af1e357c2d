package io.uniserve.runtime.transport.client;

import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.serial.CoarseTimers;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.ClusterIdentityInterceptor;
import io.uniserve.runtime.transport.TlsCredentials;
import io.uniserve.runtime.transport.login.PasswordLogin;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pool of connections, one per address, shared by all calls to it. Idle connections close automatically. The pool keeps at most
 * {@link #CHANNELS_MAX}; above this it closes the least recently used one. Thread-safe.
 */
public final class ChannelPool implements AutoCloseable {
    /** Limit of connections. */
    public static final int CHANNELS_MAX = Limits.SERVERS_MAX + 16;

    private static final int METADATA_BYTES_MAX = 64 << 10;
    private static final int FLOW_CONTROL_WINDOW_BYTES = 4 << 20;
    private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
    private static final long IDLE_SECONDS = 300;
    private static final long KEEPALIVE_SECONDS = 10;
    private static final long KEEPALIVE_TIMEOUT_SECONDS = 5;
    /** Pause before a reconnection. gRPC's default is up to two minutes, but a restarted server should be reached at once. */
    private static final long RECONNECT_NANOS = 200_000_000;

    /** Delay with which a call without an answer may time out. */
    private static final long TIMEOUT_DELAY_NANOS_MAX = 50_000_000;

    private final Clock clock;
    private final CoarseTimers timers;
    private final ChannelCredentials credentials;
    private final List<ClientInterceptor> interceptors;
    private final Optional<PasswordLogin> login;
    private final Map<Address, Entry> entries = new ConcurrentHashMap<>();
    /** Closed connections whose last calls may still be running. */
    private final Set<Entry> retired = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** Creates connections that send no cluster identity and accept any. */
    public ChannelPool(Clock clock, TlsFiles tls) {
        this(clock, tls, List.of(), () -> "", Optional.empty());
    }

    /** Creates connections to the processes of one cluster: they send its identity and fail answers of another one. */
    public ChannelPool(Clock clock, TlsFiles tls, ClusterIdentity cluster) {
        this(clock, tls, cluster, Optional.empty());
    }

    /**
     * Creates connections to the processes of one cluster, as {@link #ChannelPool(Clock, TlsFiles, ClusterIdentity)}.
     *
     * @param user logs in at each process with its password; needs TLS without a certificate of the client
     * @throws UniserveException INVALID_CONFIGURATION if a user is given, and plain text or a certificate too
     */
    public ChannelPool(Clock clock, TlsFiles tls, ClusterIdentity cluster, Optional<UserPassword> user) {
        this(
                clock,
                tls,
                List.of(new ClusterIdentityInterceptor.OfCaller(cluster)),
                cluster::nameOrEmpty,
                user.map(one -> PasswordLogin.of(clock, tls, one, cluster::nameOrEmpty)));
    }

    private ChannelPool(
            Clock clock,
            TlsFiles tls,
            List<ClientInterceptor> interceptors,
            Supplier<String> clusterName,
            Optional<PasswordLogin> login) {
        this.clock = clock;
        this.login = login;
        this.interceptors = interceptors;
        this.credentials = TlsCredentials.client(tls, clusterName);
        this.timers = new CoarseTimers("uniserve-call-timers", clock, TIMEOUT_DELAY_NANOS_MAX);
    }

    /** Connection to this address, created on first use. */
    public ManagedChannel channel(Address address) {
        return entry(address).channel;
    }

    /** Timers for the time-outs of calls. gRPC's own need two tasks on a transport thread, one to set and one to cancel. */
    Timers timers() {
        return timers;
    }

    /** Stream of reads to this address, opened on first use and again after it has ended. */
    ReadStreamClient reads(Address address, String cluster) {
        Entry entry = entry(address);
        ReadStreamClient reads = entry.reads;
        return reads == null || reads.hasEnded() ? entry.reopen(address, cluster) : reads;
    }

    private Entry entry(Address address) {
        if (closed) {
            throw shuttingDown();
        }
        Entry entry = entries.get(address);
        if (entry == null) {
            entry = entries.computeIfAbsent(address, this::open);
            evict(address);
            if (closed) { // closed meanwhile: close() may have missed it
                entry.channel.shutdownNow();
                throw shuttingDown();
            }
        }
        long now = clock.nanos();
        entry.lastUse = now;
        if (entry.channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE
                && now - entry.lastReset >= RECONNECT_NANOS) {
            entry.lastReset = now;
            entry.channel.resetConnectBackoff();
        }
        return entry;
    }

    /** Closes the connections to all other addresses once their calls have ended. */
    public void retain(Set<Address> addresses) {
        for (Map.Entry<Address, Entry> entry : entries.entrySet()) {
            if (!addresses.contains(entry.getKey())) {
                retire(entry);
            }
        }
    }

    private void retire(Map.Entry<Address, Entry> entry) {
        retired.removeIf(old -> old.channel.isTerminated());
        retired.add(entry.getValue()); // first, so that the entry is always in one of both
        entries.remove(entry.getKey(), entry.getValue());
        entry.getValue().shutdown();
    }

    private static UniserveException shuttingDown() {
        return new UniserveException(ErrorCode.UNAVAILABLE, "this process is shutting down");
    }

    /** Number of connections. */
    public int size() {
        return entries.size();
    }

    private Entry open(Address address) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.host(), address.port(), credentials)
                .directExecutor()
                .intercept(interceptors)
                .disableRetry()
                .maxInboundMessageSize(Limits.MESSAGE_BYTES_MAX)
                .maxInboundMetadataSize(METADATA_BYTES_MAX)
                .initialFlowControlWindow(FLOW_CONTROL_WINDOW_BYTES)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .idleTimeout(IDLE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        login.ifPresent(one ->
                builder.intercept(one.newChannel())); // the last one is called first, so the others see its calls
        return new Entry(builder.build(), clock.nanos());
    }

    private void evict(Address keep) {
        while (entries.size() > CHANNELS_MAX) {
            entries.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(keep))
                    .min(Comparator.comparingLong(entry -> entry.getValue().lastUse))
                    .ifPresent(this::retire);
        }
    }

    /** Closes every connection; running calls fail. */
    @Override
    public void close() {
        closed = true;
        entries.values().forEach(entry -> entry.channel.shutdownNow());
        retired.forEach(entry -> entry.channel.shutdownNow());
        entries.clear();
        retired.clear();
        timers.close();
        login.ifPresent(PasswordLogin::close);
    }

    private static final class Entry {
        private final ManagedChannel channel;
        private volatile long lastUse;
        private volatile long lastReset;
        private volatile @Nullable ReadStreamClient reads;

        private Entry(ManagedChannel channel, long now) {
            this.channel = channel;
            this.lastUse = now;
            this.lastReset = now;
        }

        private synchronized ReadStreamClient reopen(Address address, String cluster) {
            ReadStreamClient current = reads;
            if (current == null || current.hasEnded()) {
                current = ReadStreamClient.open(address, cluster, channel);
                reads = current;
            }
            return current;
        }

        /** Closes the connection once its calls have ended. */
        private synchronized void shutdown() {
            ReadStreamClient current = reads;
            if (current != null) {
                current.finish();
            }
            channel.shutdown();
        }
    }
}
