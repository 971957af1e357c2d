package io.uniserve.server.query;

import io.uniserve.model.Routing;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.reader.RouteIndex;
import io.uniserve.protocol.reader.RoutingView;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.transport.RoutingSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The routing map this server itself pushes to clients, as the client's machines see it. Lives on the query loop. */
final class HubRoutingView implements RoutingView {
    private final EventLoop loop;
    private final Consumer<Completion<Routing>> refresh;
    private final Timers.Cancel watch;
    private final Set<Runnable> listeners = new LinkedHashSet<>();
    private volatile RouteIndex current = RouteIndex.of(new Routing("", List.of(), List.of(), null));

    /** {@code refresh} reads the map again and tells when it has been published; called and completed on any thread. */
    HubRoutingView(EventLoop loop, RoutingSource source, Consumer<Completion<Routing>> refresh) {
        this.loop = loop;
        this.refresh = refresh;
        this.watch = source.watch(routing -> loop.execute(() -> take(routing)));
    }

    private void take(Routing routing) {
        current = RouteIndex.of(routing);
        List<Runnable> told = new ArrayList<>(listeners);
        listeners.clear();
        told.forEach(Runnable::run);
    }

    @Override
    public RouteIndex current() {
        return current;
    }

    @Override
    public void refresh(Completion<RouteIndex> completion) {
        refresh.accept(outcome -> loop.execute(() -> {
            if (outcome instanceof Outcome.Err<Routing> failed) {
                completion.done(Outcome.err(failed.error()));
            } else {
                completion.done(Outcome.ok(current));
            }
        }));
    }

    @Override
    public Timers.Cancel onChange(Runnable changed) {
        Runnable once = changed::run;
        listeners.add(once);
        return () -> listeners.remove(once);
    }

    void close() {
        watch.cancel();
    }
}
