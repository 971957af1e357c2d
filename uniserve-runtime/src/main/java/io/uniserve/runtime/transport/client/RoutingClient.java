package io.uniserve.runtime.transport.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.ModelProto;
import io.uniserve.runtime.proto.RoutingMapping;
import io.uniserve.runtime.proto.RoutingServiceGrpc;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watcher of the routing map. It watches one server or coordinator at a time, and moves to the next if that one fails, is silent for
 * too long, or belongs to another cluster. It uses the bootstrap addresses only at the start; after the first map it uses every
 * server of the map.
 *
 * <p>State is used on the loop only, and the listener is called there; the methods are thread-safe.
 */
public final class RoutingClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RoutingClient.class);
    private static final long BACKOFF_MIN_NANOS = 50_000_000;
    private static final long BACKOFF_MAX_NANOS = 1_000_000_000;
    private static final long FIRST_STATE_NANOS = 1_000_000_000;
    private static final int FIRST_STATE_DOUBLINGS_MAX = 3;
    private static final long REFRESH_MIN_NANOS = 250_000_000;
    private static final int TRIED_MAX = 16;

    private final Set<Address> bootstrap;
    private final ChannelPool channels;
    private final ClusterIdentity cluster;
    private final EventLoop loop;
    private final Clock clock;
    private final IdGenerator ids;
    private final Consumer<Routing> listener;

    private final Deque<Attempt> failedAttempts = new ArrayDeque<>();
    private List<Completion<Routing>> waiting = new ArrayList<>();
    private boolean moveDue;
    /** Consecutive watches that ended without any map. */
    private int emptyWatches;

    private @Nullable Routing latest;
    private @Nullable Watch current;
    private @Nullable Address lastTarget;
    private long backoffNanos = BACKOFF_MIN_NANOS;
    private long lastMoveNanos;
    private boolean closed;

    /** Creates the watcher. An unknown {@code cluster} is set by the first map; maps of other clusters are rejected. */
    public RoutingClient(
            Set<Address> bootstrap,
            ChannelPool channels,
            ClusterIdentity cluster,
            EventLoop loop,
            Clock clock,
            IdGenerator ids,
            Consumer<Routing> listener) {
        if (bootstrap.isEmpty()) {
            throw UniserveException.invalid(
                    "no bootstrap address; set at least one HOST:PORT of a server or coordinator");
        }
        this.bootstrap = new LinkedHashSet<>(bootstrap);
        this.channels = channels;
        this.cluster = cluster;
        this.loop = loop;
        this.clock = clock;
        this.ids = ids;
        this.listener = listener;
    }

    /** Starts to watch. */
    public void start() {
        loop.execute(this::watchNext);
    }

    /** Requests a newer map, as the present one has proved old: watches another address, unless it has just done so. */
    public void refresh() {
        loop.execute(this::watchNextSoon);
    }

    /**
     * Requests a newer map as {@link #refresh()}. Completes on the loop once a map that was requested after this call is stored,
     * equal or not, or with the error of the next address.
     */
    public void refresh(Completion<Routing> completion) {
        loop.execute(() -> {
            waiting.add(completion);
            watchNextSoon();
        });
    }

    /** Newest failed attempts, oldest first, for error messages. Call on the loop. */
    public List<Attempt> failedAttempts() {
        return new ArrayList<>(failedAttempts);
    }

    @Override
    public void close() {
        loop.execute(() -> {
            closed = true;
            Watch watch = current;
            current = null;
            if (watch != null) {
                watch.cancel();
            }
        });
    }

    /** Moves once the current watch has answered or failed, and not too often, so that a slow source has time to answer. */
    private void watchNextSoon() {
        boolean asking = current != null && !current.answered;
        if (moveDue || asking) {
            return;
        }
        long since = clock.nanos() - lastMoveNanos;
        if (lastTarget == null || since >= REFRESH_MIN_NANOS) {
            watchNext();
        } else {
            moveDue = true;
            Timers.Cancel unused = loop.after(REFRESH_MIN_NANOS - since, this::watchNext);
        }
    }

    private void watchNext() {
        if (closed) {
            return;
        }
        Watch old = current;
        moveDue = false;
        lastMoveNanos = clock.nanos();
        Address target = nextAddress();
        lastTarget = target;
        Watch watch = new Watch(target, waiting);
        waiting = new ArrayList<>();
        if (old != null) {
            watch.waiting.addAll(old.takeWaiting());
        }
        current = watch;
        watch.start();
        if (old != null) {
            old.cancel();
        }
    }

    /** Addresses of the newest map, then the bootstrap addresses. */
    private List<Address> knownAddresses() {
        Set<Address> known = new LinkedHashSet<>();
        if (latest != null) {
            latest.servers().stream().map(ServerRecord::address).forEach(known::add);
        }
        known.addAll(bootstrap);
        return List.copyOf(known);
    }

    /** Time for a source to send its map. It grows after all sources were silent, as on overloaded machines. */
    private long sourceTimeoutNanos() {
        return FIRST_STATE_NANOS
                << Math.min(
                        FIRST_STATE_DOUBLINGS_MAX,
                        emptyWatches / knownAddresses().size());
    }

    /** Address after the last one. */
    private Address nextAddress() {
        List<Address> all = knownAddresses();
        int last = lastTarget == null ? -1 : all.indexOf(lastTarget);
        // Clients start at different servers, to distribute the watchers.
        int place = last < 0 ? (int) Long.remainderUnsigned(ids.next(), all.size()) : (last + 1) % all.size();
        return all.get(place);
    }

    private void onRouting(Watch watch, Routing routing) {
        if (watch != current) {
            return;
        }
        try {
            cluster.setName(routing.clusterId());
        } catch (UniserveException e) {
            watch.cancel();
            onWatchFailure(watch, e);
            return;
        }
        boolean first = !watch.answered;
        watch.answered = true;
        emptyWatches = 0;
        backoffNanos = BACKOFF_MIN_NANOS;
        Routing merged = latest == null ? routing : RoutingMerge.merge(latest, routing);
        boolean changed = !merged.equals(latest);
        latest = merged;
        if (changed) {
            listener.accept(merged);
        }
        watch.takeWaiting().forEach(completion -> completion.done(Outcome.ok(merged)));
        if (first && !waiting.isEmpty()) {
            watchNextSoon(); // requested while this answer was in transit
        }
    }

    private void onWatchFailure(Watch watch, UniserveException error) {
        if (watch != current || closed) {
            return;
        }
        LOG.debug("routing map from {}: {}", watch.target, error.getMessage());
        current = null;
        failedAttempts.add(new Attempt(watch.target.toString(), error.code(), error.reason()));
        if (failedAttempts.size() > TRIED_MAX) {
            failedAttempts.remove();
        }
        long jitter = Long.remainderUnsigned(ids.next(), backoffNanos);
        Timers.Cancel unused = loop.after(backoffNanos / 2 + jitter / 2, this::watchNextIfIdle);
        backoffNanos = Math.min(BACKOFF_MAX_NANOS, backoffNanos * 2);
        watch.takeWaiting().forEach(completion -> completion.done(Outcome.err(error)));
    }

    private void watchNextIfIdle() {
        if (current == null) {
            watchNext();
        }
    }

    /** One watch. */
    private final class Watch extends ClientCall.Listener<ModelProto.Routing> {
        private final Address target;
        private List<Completion<Routing>> waiting;
        private volatile @Nullable ClientCall<AdminProto.WatchCall, ModelProto.Routing> call;
        private Timers.Cancel timeout = () -> {};
        private boolean answered;

        private Watch(Address target, List<Completion<Routing>> waiting) {
            this.target = target;
            this.waiting = waiting;
        }

        private List<Completion<Routing>> takeWaiting() {
            List<Completion<Routing>> taken = waiting;
            waiting = new ArrayList<>();
            return taken;
        }

        private void start() {
            timeout = loop.after(sourceTimeoutNanos(), this::checkAnswered);
            try {
                ClientCall<AdminProto.WatchCall, ModelProto.Routing> started =
                        channels.channel(target).newCall(RoutingServiceGrpc.getWatchMethod(), CallOptions.DEFAULT);
                call = started;
                started.start(this, new Metadata());
                started.request(1);
                started.sendMessage(AdminProto.WatchCall.newBuilder()
                        .setCluster(cluster.nameOrEmpty())
                        .build());
                started.halfClose();
            } catch (RuntimeException e) {
                UniserveException error = StatusMapping.fromStatus(e, target.toString(), false, true);
                loop.execute(() -> onWatchFailure(this, error));
            }
        }

        private void checkAnswered() {
            if (!answered && this == current) {
                emptyWatches++;
                cancel();
                onWatchFailure(
                        this,
                        new UniserveException(
                                ErrorCode.DEADLINE_EXCEEDED, target + " did not send its routing map in time"));
            }
        }

        @Override
        public void onMessage(ModelProto.Routing message) {
            try {
                Routing routing = RoutingMapping.fromProto(message);
                loop.execute(() -> onRouting(this, routing));
            } catch (UniserveException e) {
                loop.execute(() -> {
                    cancel();
                    onWatchFailure(this, e);
                });
            }
            ClientCall<AdminProto.WatchCall, ModelProto.Routing> running = call;
            if (running != null) {
                running.request(1);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            UniserveException error = status.isOk()
                    ? new UniserveException(ErrorCode.UNAVAILABLE, target + " ended the watch")
                    : StatusMapping.fromStatus(status.asRuntimeException(trailers), target.toString(), true, true);
            loop.execute(() -> onWatchFailure(this, error));
        }

        private void cancel() {
            timeout.cancel();
            if (call != null) {
                call.cancel("another source is watched", null);
            }
        }
    }
}
