package io.uniserve.runtime.serial;

import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.RoutingView;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Newest routing map, shared by all operations; each is notified of changes on its own serial executor. Thread-safe. */
public final class SharedRoutingCache {
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private final Consumer<Completion<Routing>> refresh;
    private volatile RouteIndex index = RouteIndex.of(new Routing("", List.of(), List.of(), null));

    /**
     * Starts with an empty map.
     *
     * @param refresh gets the map again and completes when it has been {@link #accept accepted}; called and completed on any
     *     thread
     */
    public SharedRoutingCache(Consumer<Completion<Routing>> refresh) {
        this.refresh = refresh;
    }

    /** Newest map. */
    public RouteIndex current() {
        return index;
    }

    /** Stores a newer map and notifies all waiting operations. */
    public void accept(Routing routing) {
        index = RouteIndex.of(routing);
        for (Watcher watcher : watchers) {
            if (watchers.remove(watcher)) {
                watcher.serial.execute(watcher.changed);
            }
        }
    }

    /** View for one operation. */
    public RoutingView viewFor(Executor serial) {
        return new RoutingView() {
            @Override
            public RouteIndex current() {
                return index;
            }

            @Override
            public void refresh(Completion<RouteIndex> completion) {
                refresh.accept(outcome -> serial.execute(() -> completion.done(outcome.map(routing -> index))));
            }

            @Override
            public Timers.Cancel onChange(Runnable changed) {
                Watcher watcher = new Watcher(serial, changed);
                watchers.add(watcher);
                return () -> watchers.remove(watcher);
            }
        };
    }

    /** Compared by identity. */
    private static final class Watcher {
        private final Executor serial;
        private final Runnable changed;

        private Watcher(Executor serial, Runnable changed) {
            this.serial = serial;
            this.changed = changed;
        }
    }
}
