package io.uniserve.runtime.transport.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Timers;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of the newest routing map to its watchers. It calls listeners under its lock, which keeps the order of maps for each.
 * Thread-safe.
 */
public final class RoutingBroadcaster implements RoutingSource {
    private final Set<Consumer<Routing>> watchers = new LinkedHashSet<>();
    private volatile @Nullable Routing latest;

    /** Stores a map and notifies watchers, unless it equals the last one. */
    public synchronized void publish(Routing routing) {
        if (routing.equals(latest)) {
            return;
        }
        latest = routing;
        watchers.forEach(watcher -> watcher.accept(routing));
    }

    /** Newest map, empty before the first. */
    public Optional<Routing> latest() {
        return Optional.ofNullable(latest);
    }

    /** Address of the leading coordinator by the newest map; empty if none leads. */
    public Optional<Address> coordinator() {
        return latest().map(Routing::coordinator);
    }

    /** Number of watchers. */
    public synchronized int watchers() {
        return watchers.size();
    }

    @Override
    public synchronized Timers.Cancel watch(Consumer<Routing> listener) {
        if (watchers.size() >= Limits.ROUTING_WATCHERS_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this process has " + watchers.size()
                            + " watchers of the routing map, its limit; use another server");
        }
        // A wrapper, so that the same listener may watch twice.
        Consumer<Routing> watcher = listener::accept;
        watchers.add(watcher);
        Routing now = latest;
        if (now != null) {
            watcher.accept(now);
        }
        return () -> remove(watcher);
    }

    private synchronized void remove(Consumer<Routing> watcher) {
        watchers.remove(watcher);
    }
}
