package io.uniserve.protocol.server;

import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of the routing for clients. It builds the routing on request, and notifies listeners of changes; changes in short succession
 * cause one notification. There is no routing before all tables and servers have been read, because a client takes a missing table for a
 * dropped one.
 */
final class RoutingPublisher {
    private static final long GATHER_NANOS = 5_000_000;

    private final Timers timers;
    private final String clusterId;
    private final TableViewCache views;
    private final ClusterMembers members;
    private final List<Consumer<Routing>> listeners = new ArrayList<>();
    private @Nullable Routing current;
    private boolean notifyScheduled;

    RoutingPublisher(Timers timers, String clusterId, TableViewCache views, ClusterMembers members) {
        this.timers = timers;
        this.clusterId = clusterId;
        this.views = views;
        this.members = members;
    }

    /** The routing; empty until this server has read everything. */
    Optional<Routing> routing() {
        Routing known = current;
        if (known == null && views.isComplete() && members.isLoaded()) {
            List<Routing.TableRoute> tables = new ArrayList<>();
            for (TableViewCache.View view : views.all()) {
                tables.add(new Routing.TableRoute(view.meta(), view.map(), view.mapVersion()));
            }
            known = new Routing(clusterId, tables, members.all(), members.coordinator());
            current = known;
        }
        return Optional.ofNullable(known);
    }

    void addListener(Consumer<Routing> listener) {
        listeners.add(listener);
    }

    void onChange() {
        current = null;
        if (!notifyScheduled && !listeners.isEmpty()) {
            notifyScheduled = true;
            timers.after(GATHER_NANOS, () -> {
                notifyScheduled = false;
                routing().ifPresent(routing -> listeners.forEach(listener -> listener.accept(routing)));
            });
        }
    }
}
