package io.uniserve.simulator.cluster;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.placement.InitialPlacementPolicy;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.disk.SimDisk;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.engine.SimEngineHost;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.network.Endpoint;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.plant.RestorePointsDifferBug;
import io.uniserve.simulator.plant.ShrinkWithoutCasBug;
import io.uniserve.simulator.plant.chunk.CreationUncheckedBug;
import io.uniserve.simulator.plant.scaling.ScalingRecordBug;
import io.uniserve.simulator.registry.SimRegistrySession;
import io.uniserve.simulator.scaling.ScalingLoad;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Process of a coordinator. All its state is in the registry, so a restart starts empty. */
public final class CoordinatorNode implements SimulatedDaemon {
    private final SimulationContext world;
    private final SimProcess process;
    private final Address address;
    private @Nullable SimRegistrySession session;
    private @Nullable CoordinatorStateMachine machine;

    CoordinatorNode(SimulationContext world, int number) {
        this.world = world;
        this.process = world.process("c" + number);
        this.address = new Address("coordinator" + number, 7000);
    }

    @Override
    public SimProcess process() {
        return process;
    }

    @Override
    public @Nullable SimRegistrySession session() {
        return session;
    }

    /** The machine of the current start; null before the first start. */
    public @Nullable CoordinatorStateMachine machine() {
        return machine;
    }

    @Override
    public void start(long drift) {
        process.start(drift);
        SimRegistrySession own = new SimRegistrySession(
                world.queue,
                world.random.fork(process.name() + " session " + process.generation()),
                world.faultIntensity,
                world.ensemble,
                process);
        Registry registry = switch (world.plant) {
            case SHRINK_WITHOUT_CAS ->
                new ShrinkWithoutCasBug(own, world.ensemble, own.session(), world.queue, world.random.fork("late"));
            case SCALING_IN_MEMORY, SCALING_WITHOUT_TERM ->
                new ScalingRecordBug(
                        own, world.plant, world.ensemble, own.session(), world.queue, world.random.fork("record"));
            case CREATION_UNCHECKED -> new CreationUncheckedBug(own, process.timers(), world.random.fork("unchecked"));
            default -> own;
        };
        SimDiskMedium nothing = new SimDiskMedium();
        SimDisk disk = new SimDisk(
                world.queue, world.random.fork("no disk"), world.faultIntensity, process, nothing, (p, path) -> true);
        SimEngineHost engine = new SimEngineHost(
                world.queue,
                world.random.fork("no engine"),
                world.faultIntensity,
                process,
                world.engine,
                nothing,
                world.scratch,
                world.observer,
                () -> 1,
                1,
                owner -> true);
        Environment env = new Environment(
                process.clock(),
                process.timers(),
                world.plant == Plant.RESTORED_APART
                        ? new RestorePointsDifferBug(world.network.network(process))
                        : world.network.network(process),
                registry,
                disk,
                world.objects.of(process),
                engine,
                world.ids(process));
        CoordinatorEnvironment parts = CoordinatorEnvironment.of(env);
        CoordinatorStateMachine started = new CoordinatorStateMachine(
                CoordinatorConfig.defaults(process.name(), address, SimulationContext.CLUSTER)
                        .withLevels(Set.of(ConsistencyLevel.values())),
                parts,
                new InitialPlacementPolicy(),
                rebalancing(parts));
        started.onFatal(error -> world.violations.add("CODE", process.name() + " gave up: " + error.getMessage()));
        world.network.bind(
                address,
                new Endpoint(
                        process,
                        started::onPeer,
                        (request, reply) -> reply.done(Outcome.err(refusal())),
                        (request, reply) -> reply.done(Outcome.err(refusal())),
                        (request, reply) -> reply.done(Outcome.err(refusal())),
                        (request, reply) -> reply.done(Outcome.err(refusal()))));
        session = own;
        machine = started;
        process.post(0, started::start);
    }

    private RebalanceSetup rebalancing(CoordinatorEnvironment parts) {
        RebalanceSetup moves =
                world.hotSpotLoad == null ? RebalanceSetup.off(parts) : world.hotSpotLoad.rebalancing(process);
        ScalingLoad scaling = world.scalingLoad;
        return scaling == null ? moves : moves.with(scaling.setup(process));
    }

    private static UniserveException refusal() {
        return new UniserveException(ErrorCode.UNSUPPORTED, "a coordinator holds no data");
    }

    @Override
    public void crash(boolean tear) {
        crashCommon(world, session);
    }
}
