package io.uniserve.client;

import io.uniserve.model.Routing;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.reader.RouteIndex;
import io.uniserve.protocol.reader.RoutingView;
import io.uniserve.runtime.transport.RoutingClient;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The newest routing, shared by all operations, each of which hears of changes on its own serial. Safe for use by several threads. */
final class RoutingHolder {
    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private volatile RouteIndex index = RouteIndex.of(new Routing("", List.of(), List.of(), null));
    private volatile @Nullable RoutingClient client;

    void attach(RoutingClient routingClient) {
        client = routingClient;
    }

    RouteIndex current() {
        return index;
    }

    /** Takes in a newer routing and tells everyone who waits for one. */
    void accept(Routing routing) {
        index = RouteIndex.of(routing);
        for (Watcher watcher : watchers) {
            if (watchers.remove(watcher)) {
                watcher.serial.execute(watcher.changed);
            }
        }
    }

    void refresh(Completion<RouteIndex> completion) {
        RoutingClient attached = client;
        if (attached != null) {
            attached.refresh(outcome -> completion.done(
                    outcome instanceof Outcome.Err<Routing> err ? Outcome.err(err.error()) : Outcome.ok(index)));
        }
    }

    /** The view of one operation. */
    RoutingView on(Executor serial) {
        return new RoutingView() {
            @Override
            public RouteIndex current() {
                return index;
            }

            @Override
            public void refresh(Completion<RouteIndex> completion) {
                RoutingHolder.this.refresh(outcome -> serial.execute(() -> completion.done(outcome)));
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
