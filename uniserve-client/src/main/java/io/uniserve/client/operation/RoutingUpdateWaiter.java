package io.uniserve.client.operation;

import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.function.Predicate;

/**
 * Wait until this client's routing map has a change that the coordinator has already made. It ends successfully after a time-out too:
 * the change is made, and only this client's map may be older. Methods run on the operation's serial executor.
 */
public final class RoutingUpdateWaiter {
    private static final long LOOK_AGAIN_NANOS = 500_000_000;

    private final ClientContext environment;
    private final Predicate<RouteIndex> condition;
    private final Operation<Done> operation;
    private Timers.Cancel watch = () -> {};
    private Timers.Cancel timer = () -> {};
    private Timers.Cancel deadline = () -> {};

    public RoutingUpdateWaiter(ClientContext environment, Predicate<RouteIndex> shown, Operation<Done> operation) {
        this.environment = environment;
        this.condition = shown;
        this.operation = operation;
    }

    public void start(long patienceNanos) {
        deadline = environment.timers().after(patienceNanos, this::end);
        checkRouting();
    }

    private void checkRouting() {
        watch.cancel();
        timer.cancel();
        if (operation.isDone()) {
            return;
        }
        if (condition.test(environment.routing().current())) {
            end();
            return;
        }
        watch = environment.routing().onChange(this::checkRouting);
        timer = environment.timers().after(LOOK_AGAIN_NANOS, this::checkRouting);
        environment.routing().refresh(outcome -> {});
    }

    public void end() {
        watch.cancel();
        timer.cancel();
        deadline.cancel();
        operation.end(Outcome.ok(Done.DONE));
    }
}
