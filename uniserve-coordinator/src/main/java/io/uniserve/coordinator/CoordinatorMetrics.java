package io.uniserve.coordinator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.loop.EventLoop;
import java.util.concurrent.TimeUnit;

/** Metrics of a coordinator. Written on its loop, read on any thread. */
final class CoordinatorMetrics {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final MeterRegistry meters;
    private volatile boolean leads;
    private volatile long term;
    private volatile int servers;
    private volatile int tables;
    private volatile int actors;
    private volatile int actorsBelowRf;
    private volatile int actorsMoving;
    private volatile int automaticCopies;
    private volatile int actorsWithShares;
    private volatile int backlog;

    CoordinatorMetrics(MeterRegistry meters) {
        this.meters = meters;
        gauge("uniserve.coordinator.leads", "1 while this coordinator leads", () -> leads ? 1 : 0);
        gauge("uniserve.coordinator.term", "Term held, 0 for none", () -> term);
        gauge("uniserve.coordinator.servers", "Live servers", () -> servers);
        gauge("uniserve.coordinator.tables", "Tables", () -> tables);
        gauge("uniserve.coordinator.actors", "Actors of all tables", () -> actors);
        gauge(
                "uniserve.coordinator.actors.below.rf",
                "Actors with fewer replicas in sync than rf",
                () -> actorsBelowRf);
        gauge(
                "uniserve.coordinator.actors.moving",
                "Actors with in-sync replicas other than the desired ones",
                () -> actorsMoving);
        gauge(
                "uniserve.coordinator.copies.automatic",
                "Replicas in sync that the rebalancer has requested for hot actors",
                () -> automaticCopies);
        gauge(
                "uniserve.coordinator.actors.weighted",
                "Actors with unequal shares of queries per replica",
                () -> actorsWithShares);
        gauge("uniserve.coordinator.backlog", "Tasks that wait on the loop", () -> backlog);
    }

    void gauge(String name, String description, java.util.function.Supplier<Number> value) {
        Gauge.builder(name, value).description(description).register(meters);
    }

    /** Updates, periodically until the loop ends, the figures that change without a new routing map. */
    void watch(CoordinatorStateMachine machine, EventLoop loop) {
        observe(machine);
        backlog = loop.queuedTasks();
        var unused = loop.after(PERIOD_NANOS, () -> watch(machine, loop));
    }

    private void observe(CoordinatorStateMachine machine) {
        leads = machine.isLeader();
        term = machine.term().map(Integer::longValue).orElse(0L);
    }

    void observe(CoordinatorStateMachine machine, Routing routing) {
        observe(machine);
        servers = routing.servers().size();
        tables = routing.tables().size();
        int all = 0;
        int below = 0;
        int moving = 0;
        int automatic = 0;
        int weighted = 0;
        for (TableRoute table : routing.tables()) {
            for (ActorState actor : table.map().actors()) {
                all++;
                below += actor.isr().size() < table.meta().rf() ? 1 : 0;
                boolean there = actor.isr().size() == actor.desiredServers().size()
                        && actor.isr().containsAll(actor.desiredServers());
                moving += there ? 0 : 1;
                automatic += automaticCopies(table, actor);
                weighted += actor.weights().isEmpty() ? 0 : 1;
            }
        }
        actors = all;
        actorsBelowRf = below;
        actorsMoving = moving;
        automaticCopies = automatic;
        actorsWithShares = weighted;
    }

    private static int automaticCopies(TableRoute table, ActorState actor) {
        int least = Math.max(table.meta().rf(), actor.copies());
        return Math.max(0, Math.min(actor.automaticCopies(), actor.isr().size()) - least);
    }

    boolean leads() {
        return leads;
    }

    /** Counts the request by kind and result when it completes. */
    Completion<AdminReply> counted(AdminRequest request, Completion<AdminReply> completion) {
        return outcome -> {
            String result = outcome instanceof Outcome.Err<AdminReply> err
                    ? err.error().code().name()
                    : "OK";
            Counter.builder("uniserve.coordinator.requests")
                    .description("Administrators' requests by kind and result")
                    .tag("kind", request.getClass().getSimpleName())
                    .tag("result", result)
                    .register(meters)
                    .increment();
            completion.done(outcome);
        };
    }
}
