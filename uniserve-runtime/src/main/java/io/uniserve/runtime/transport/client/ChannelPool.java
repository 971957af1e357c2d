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
import io.uniserve.runtime.security.ReloadingTls;
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

    /** Age at which a connection is replaced, unless the process sets another. */
    private static final long AGE_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Time for which a replaced connection accepts calls of threads that have just taken it from the pool. */
    private static final long REPLACED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Delay with which a call without an answer may time out. */
    private static final long TIMEOUT_DELAY_NANOS_MAX = 50_000_000;

    private final Clock clock;
    private final CoarseTimers timers;
    private final ChannelCredentials credentials;
    private final List<ClientInterceptor> interceptors;
    private final ReloadingTls tls;
    private final boolean ownsTls;
    private final Optional<PasswordLogin> login;
    private final Map<Address, Entry> entries = new ConcurrentHashMap<>();
    /** Closed connections whose last calls may still be running. */
    private final Set<Entry> retired = ConcurrentHashMap.newKeySet();

    private volatile long ageNanos = AGE_NANOS;
    private volatile boolean closed;

    /** Creates connections that send no cluster identity and accept any. They follow changes of the files. */
    public ChannelPool(Clock clock, TlsFiles tls) {
        this(clock, ReloadingTls.open(tls, clock), true, List.of(), () -> "", Optional.empty());
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
        this(clock, ReloadingTls.open(tls, clock), true, cluster, user);
    }

    /** Creates connections to the processes of one cluster with files that the process follows; their owner closes them later. */
    public ChannelPool(Clock clock, ReloadingTls tls, ClusterIdentity cluster) {
        this(clock, tls, false, cluster, Optional.empty());
    }

    private ChannelPool(
            Clock clock, ReloadingTls tls, boolean ownsTls, ClusterIdentity cluster, Optional<UserPassword> user) {
        this(
                clock,
                tls,
                ownsTls,
                List.of(new ClusterIdentityInterceptor.OfCaller(cluster)),
                cluster::nameOrEmpty,
                user.map(one -> PasswordLogin.of(clock, tls.files(), one, cluster::nameOrEmpty)));
    }

    private ChannelPool(
            Clock clock,
            ReloadingTls tls,
            boolean ownsTls,
            List<ClientInterceptor> interceptors,
            Supplier<String> clusterName,
            Optional<PasswordLogin> login) {
        this.clock = clock;
        this.login = login;
        this.interceptors = interceptors;
        this.tls = tls;
        this.ownsTls = ownsTls;
        this.credentials = TlsCredentials.client(tls, clusterName);
        this.timers = new CoarseTimers("uniserve-call-timers", clock, TIMEOUT_DELAY_NANOS_MAX);
        tls.onChange(this::replaceAll);
    }

    /** Files of this pool's connections. */
    public ReloadingTls tls() {
        return tls;
    }

    /** Sets the age at which a connection is replaced by a new one. Its running calls end on it. */
    public void setConnectionAge(long nanos) {
        ageNanos = nanos;
    }

    /** Replaces all connections at their next use, so that both sides verify each other again. Running calls end on the old ones. */
    public void replaceAll() {
        entries.entrySet().forEach(this::retire);
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
        if (now - entry.opened >= ageNanos) {
            retire(Map.entry(address, entry));
            return entry(address);
        }
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
        Entry old = entry.getValue();
        retired.removeIf(one -> one.channel.isTerminated());
        retired.add(old); // first, so that the entry is always in one of both
        if (entries.remove(entry.getKey(), old)) {
            old.finishReads();
            Timers.Cancel unused = timers.after(REPLACED_NANOS, () -> {
                old.finishReads(); // another thread may have opened a stream meanwhile
                old.channel.shutdown();
            });
        }
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
        if (ownsTls) {
            tls.close();
        }
    }

    private static final class Entry {
        private final ManagedChannel channel;
        private final long opened;
        private volatile long lastUse;
        private volatile long lastReset;
        private volatile @Nullable ReadStreamClient reads;

        private Entry(ManagedChannel channel, long now) {
            this.channel = channel;
            this.opened = now;
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

        /** Ends the stream of reads once they are answered. */
        private synchronized void finishReads() {
            ReadStreamClient current = reads;
            if (current != null) {
                current.finish();
            }
        }
    }
}
