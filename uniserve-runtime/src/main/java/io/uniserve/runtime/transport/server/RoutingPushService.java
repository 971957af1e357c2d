package io.uniserve.runtime.transport.server;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.model.access.Right;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.ModelProto;
import io.uniserve.runtime.proto.RoutingMapping;
import io.uniserve.runtime.proto.RoutingServiceGrpc;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import io.uniserve.runtime.transport.access.RequestRights;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * gRPC service that pushes the routing map, to each caller with the tables that it may describe. A slow watcher gets the newest map when it
 * is ready, and skips those between.
 */
final class RoutingPushService extends RoutingServiceGrpc.RoutingServiceImplBase {
    private static final Right WATCH =
            RequestRights.ofMethod(RoutingServiceGrpc.getWatchMethod().getFullMethodName());

    private final ClusterIdentity cluster;
    private final AccessControl access;
    private final RoutingSource source;
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Encoded last;

    RoutingPushService(ClusterIdentity cluster, AccessControl access, RoutingSource source) {
        this.cluster = cluster;
        this.access = access;
        this.source = source;
    }

    @Override
    public void watch(AdminProto.WatchCall call, StreamObserver<ModelProto.Routing> observer) {
        try {
            MalformedMessageGuard.refuse(call);
            if (!call.getCluster().isEmpty()) {
                cluster.checkName(call.getCluster());
            }
            new Watcher(access.current(), (ServerCallStreamObserver<ModelProto.Routing>) observer).start();
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
        }
    }

    /** Ends the watches of this age, 0 for all: watchers move to another source. */
    void finish(long ageNanos) {
        long now = SystemClock.INSTANCE.nanos();
        watchers.stream()
                .filter(watcher -> now - watcher.openedNanos >= ageNanos)
                .forEach(Watcher::finish);
    }

    /** Encodes the map, once for all watchers. */
    private ModelProto.Routing encode(Routing routing) {
        Encoded encoded = last;
        if (encoded == null || !encoded.isOf(routing)) {
            encoded = new Encoded(routing, RoutingMapping.toProto(routing));
            last = encoded;
        }
        return encoded.message;
    }

    private record Encoded(Routing routing, ModelProto.Routing message) {
        @SuppressWarnings("ReferenceEquality") // optimization only: an equal map is encoded again
        private boolean isOf(Routing other) {
            return routing == other;
        }
    }

    /** One watch: it has the newest map that is not sent yet, and sends it when the stream is ready. */
    private final class Watcher {
        private final Caller caller;
        private final ServerCallStreamObserver<ModelProto.Routing> observer;
        private @Nullable Routing newest;
        private @Nullable Routing pending;
        private boolean finished;
        private final long openedNanos = SystemClock.INSTANCE.nanos();

        private Watcher(Caller caller, ServerCallStreamObserver<ModelProto.Routing> observer) {
            this.caller = caller;
            this.observer = observer;
        }

        private void start() {
            CancellationLink cancellation = new CancellationLink();
            observer.setOnReadyHandler(this::flush);
            observer.setOnCancelHandler(() -> onEnd(cancellation));
            observer.setOnCloseHandler(() -> onEnd(cancellation));
            Timers.Cancel watch = source.watch(this::offer);
            Runnable rules = access.onChange(this::offerAgain);
            offerAgain(); // the rules may have changed before the listener was there
            cancellation.onCancel(() -> {
                rules.run();
                watch.cancel();
            });
            watchers.add(this);
        }

        private void onEnd(CancellationLink cancellation) {
            watchers.remove(this);
            cancellation.cancel();
        }

        private synchronized void finish() {
            if (!finished) {
                finished = true;
                observer.onCompleted();
            }
        }

        private void offer(Routing routing) {
            synchronized (this) {
                newest = routing;
                pending = routing;
            }
            flush();
        }

        /** Sends the newest map again, as the caller may have other rights now. Ends the watch if its login has ended. */
        private void offerAgain() {
            if (caller.isLoggedOut()) {
                finish();
                return;
            }
            synchronized (this) {
                pending = newest;
            }
            flush();
        }

        private Routing visible(Routing routing) {
            List<TableRoute> tables = routing.tables().stream()
                    .filter(table ->
                            caller.permits(WATCH, Optional.of(table.meta().name())))
                    .toList();
            return tables.size() == routing.tables().size() ? routing : routing.withTables(tables);
        }

        private synchronized void flush() {
            Routing routing = pending;
            if (routing != null && !finished && caller.isDecidable() && observer.isReady()) {
                pending = null;
                observer.onNext(encode(visible(routing)));
            }
        }
    }
}
