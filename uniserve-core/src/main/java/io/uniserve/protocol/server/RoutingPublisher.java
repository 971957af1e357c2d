package io.uniserve.protocol.server;

import io.uniserve.model.Routing;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routing that clients are told: built when asked for, told when it has changed, changes close together once. There is none
 * before all tables and servers have been read: a client takes a table that is missing in it for one that does not exist.
 */
final class RoutingPublisher {
    private static final long GATHER_NANOS = 5_000_000;

    private final Timers timers;
    private final String clusterId;
    private final TableViews views;
    private final Members members;
    private final List<Consumer<Routing>> listeners = new ArrayList<>();
    private @Nullable Routing current;
    private boolean telling;

    RoutingPublisher(Timers timers, String clusterId, TableViews views, Members members) {
        this.timers = timers;
        this.clusterId = clusterId;
        this.views = views;
        this.members = members;
    }

    /** Empty while this server has not read everything. */
    Optional<Routing> routing() {
        Routing known = current;
        if (known == null && views.complete() && members.loaded()) {
            List<Routing.TableRoute> tables = new ArrayList<>();
            for (TableViews.View view : views.all()) {
                tables.add(new Routing.TableRoute(view.meta(), view.map(), view.mapVersion()));
            }
            known = new Routing(clusterId, tables, members.all(), members.coordinator());
            current = known;
        }
        return Optional.ofNullable(known);
    }

    void listen(Consumer<Routing> listener) {
        listeners.add(listener);
    }

    void changed() {
        current = null;
        if (!telling && !listeners.isEmpty()) {
            telling = true;
            timers.after(GATHER_NANOS, () -> {
                telling = false;
                routing().ifPresent(routing -> listeners.forEach(listener -> listener.accept(routing)));
            });
        }
    }
}
