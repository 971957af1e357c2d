package io.uniserve.server.query;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.port.PortBuildId;
import io.uniserve.runtime.serial.SerialExecutor;
import io.uniserve.runtime.serial.SerialTimers;
import io.uniserve.runtime.serial.SharedRoutingCache;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Environment of the state machines of one plan. They run on the plan's serial executor: first on the planner's own thread, later on
 * the thread that delivers an answer. So no answer needs a hop to another thread.
 *
 * @param localServer this server
 * @param peers network for requests of other kinds, to any server
 * @param planners planners of this server, with the builds of its ports
 * @param onFailure receives the exception of a state machine that threw
 */
record QueryContext(
        ClientContext env,
        LocalFirstQueryNetwork network,
        ServerId localServer,
        Network peers,
        SerialExecutor serialExecutor,
        CallerThreadExecutor plannerExecutor,
        PortPlanners planners,
        AtomicReference<Consumer<Throwable>> onFailure) {
    static QueryContext of(
            Clock clock,
            IdGenerator ids,
            Timers shared,
            SharedRoutingCache routing,
            PlannerTransport here,
            GrpcClientNetwork remote,
            Network peers,
            PortPlanners planners,
            ClientState state) {
        AtomicReference<Consumer<Throwable>> onBroken = new AtomicReference<>(error -> {});
        SerialExecutor serialExecutor = new SerialExecutor(
                error -> Objects.requireNonNull(onBroken.get()).accept(error));
        Timers timers = new SerialTimers(shared, serialExecutor);
        CallerThreadExecutor planner = new CallerThreadExecutor();
        LocalFirstQueryNetwork network = new LocalFirstQueryNetwork(here, remote, timers, serialExecutor, planner);
        ClientContext env = new ClientContext(clock, timers, network, routing.viewFor(serialExecutor), ids, state);
        Network peersHere = (to, request, timeout, completion) ->
                peers.call(to, request, timeout, outcome -> serialExecutor.execute(() -> completion.done(outcome)));
        return new QueryContext(env, network, here.id(), peersHere, serialExecutor, planner, planners, onBroken);
    }

    /** Qualifies the operator with this server's build of the port. Another build may decode the same bytes in another way. */
    String qualifiedOperator(String port, String operator) {
        return PortBuildId.qualify(operator, planners.buildId(port));
    }
}
