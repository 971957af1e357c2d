package io.uniserve.simulator.fault;

import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulatedDaemon;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.cluster.TableLifecycleWorkload;
import io.uniserve.simulator.disk.SimDisk;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.registry.SimRegistrySession;
import io.uniserve.simulator.registry.SimSessionLink;
import io.uniserve.simulator.workload.ClientPool;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Scheduler of large faults at random times: crashes, pauses, network partitions and outages. It also ends all of them. */
public final class LargeFaultScheduler {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final FaultPlan plan;
    private final Prng random;
    private final ClientPool clientPool;
    private final TableLifecycleWorkload lifecycleWorkload;
    private final MediaFault medium;
    private boolean ended;
    private int round;

    public LargeFaultScheduler(
            SimulationContext world,
            SimCluster cluster,
            FaultPlan plan,
            ClientPool clientPool,
            TableLifecycleWorkload side,
            Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.plan = plan;
        this.clientPool = clientPool;
        this.lifecycleWorkload = side;
        this.random = random;
        this.medium = new MediaFault(world, cluster, random.fork("medium"));
    }

    /** The actors that may have lost data, with the reason. */
    public Map<Integer, AllowedDataLoss> excused() {
        return medium.excused();
    }

    /** Called at the end of the time for recovery. */
    public void onWait() {
        medium.waited();
    }

    /** Starts the faults. */
    public void begin() {
        plan.apply(world.faultIntensity());
        if (!plan.disasters().isEmpty()) {
            next();
        }
    }

    /** Starts the faults again after {@link #heal}. */
    public void resume() {
        ended = false;
        round++;
        begin();
    }

    /** Ends every fault and starts all daemons that are down. */
    public void heal() {
        ended = true;
        world.trace().line("heal");
        world.faultIntensity().clear();
        world.network().unblockAll();
        world.ensemble().setUp(true);
        lifecycleWorkload.end();
        cluster.servers().stream().filter(ServerNode::draining).forEach(server -> server.crash(false));
        for (SimulatedDaemon node : cluster.nodes()) {
            if (!node.process().alive()) {
                cluster.start(node);
            } else if (node.process().paused()) {
                node.process().resume();
                link(node, SimSessionLink::resumed);
            }
            link(node, SimSessionLink::heal);
        }
        for (ServerNode server : cluster.servers()) {
            server.setFull(false);
        }
    }

    private void next() {
        int now = round;
        world.queue().after(random.below(2 * plan.meanGapNanos()), () -> {
            if (!ended && now == round) {
                Fault fault = random.pick(plan.disasters());
                SimulatedDaemon node = random.pick(cluster.nodes());
                node.process().whenBusy(() -> {
                    if (!ended) {
                        startFault(fault, node);
                    }
                });
                next();
            }
        });
    }

    private void startFault(Fault fault, SimulatedDaemon node) {
        switch (fault) {
            case PROCESS_CRASHED -> crash(node, Fault.PROCESS_CRASHED, random.below(plan.downNanosMax()));
            case CLUSTER_CRASHED -> {
                if (random.below(3) == 0) {
                    cluster.servers().forEach(server -> crash(server, Fault.CLUSTER_CRASHED, random.below(5 * SECOND)));
                }
            }
            case PROCESS_PAUSED -> pause(node);
            case MESSAGE_PARTITIONED -> partition();
            case REGISTRY_CONNECTION_LOST -> disconnectRegistry(node);
            case REGISTRY_SESSION_EXPIRED -> expire(node);
            case REGISTRY_DOWN -> registryDown(node);
            case DISK_FULL -> diskFull(random.pick(cluster.servers()));
            case BIT_FLIPPED, DISK_DESTROYED ->
                medium.startFault(
                        fault,
                        () -> crash(medium.victim(), fault, random.below(plan.downNanosMax())),
                        () -> cluster.servers()
                                .forEach(server ->
                                        crash(server, Fault.CLUSTER_CRASHED, random.below(plan.downNanosMax()))));
            case SERVER_DRAINED -> drain(random.pick(cluster.servers()));
            case TABLE_DROPPED -> lifecycleWorkload.toggle();
            case CLIENT_CRASHED -> {
                if (clientPool.crashOne(random)) {
                    world.faultIntensity().count(Fault.CLIENT_CRASHED);
                }
            }
            default -> throw new IllegalStateException(fault + " is no disaster");
        }
    }

    /** Drains the server, as SIGTERM does. The process ends when all replicas have left, and restarts later. */
    private void drain(ServerNode server) {
        int generation = server.process().generation();
        boolean asked = server.drain(() -> world.queue().after(0, () -> {
            if (server.process().alive() && server.process().generation() == generation) {
                world.trace().line("drained " + server.process().name());
                server.crash(false);
                world.queue().after(ended ? 0 : random.below(10 * SECOND), () -> {
                    if (!server.process().alive()) {
                        cluster.start(server);
                    }
                });
            }
        }));
        if (asked) {
            traceFault(server, Fault.SERVER_DRAINED);
        }
    }

    private void crash(SimulatedDaemon node, Fault fault, long downNanos) {
        if (!node.process().alive()) {
            return;
        }
        if (fault == Fault.PROCESS_CRASHED || fault == Fault.CLUSTER_CRASHED) {
            traceFault(node, fault);
        }
        node.crash(plan.tear());
        world.queue().after(downNanos, () -> {
            if (!node.process().alive() && !ended) {
                cluster.start(node);
            }
        });
    }

    private void pause(SimulatedDaemon node) {
        if (node.process().alive() && !node.process().paused()) {
            traceFault(node, Fault.PROCESS_PAUSED);
            pause(node, random.below(4) == 0 ? random.below(60 * SECOND) : random.below(8 * SECOND));
        }
    }

    /** Pauses a live process for this time, or until all faults end. */
    void pause(SimulatedDaemon node, long duration) {
        int generation = node.process().generation();
        node.process().pause(duration);
        link(node, SimSessionLink::paused);
        world.queue().after(duration, () -> {
            if (node.process().generation() == generation && !ended) {
                link(node, SimSessionLink::resumed);
            }
        });
    }

    private void partition() {
        List<SimulatedDaemon> nodes = cluster.nodes();
        SimulatedDaemon victim = random.pick(nodes);
        boolean in = random.below(3) > 0;
        boolean out = !in || random.below(2) == 0;
        long duration = random.below(20 * SECOND);
        boolean from = random.below(2) == 0;
        for (SimulatedDaemon other : nodes) {
            if (other != victim && (from || random.below(2) == 0)) {
                block(victim, other, in, out, duration);
            }
        }
        world.trace().line("partition " + victim.process().name() + (in ? " in" : "") + (out ? " out" : ""));
    }

    private void block(SimulatedDaemon victim, SimulatedDaemon other, boolean in, boolean out, long duration) {
        String here = victim.process().name();
        String there = other.process().name();
        if (in) {
            world.network().block(there, here);
            world.queue().after(duration, () -> world.network().unblock(there, here));
        }
        if (out) {
            world.network().block(here, there);
            world.queue().after(duration, () -> world.network().unblock(here, there));
        }
    }

    private void disconnectRegistry(SimulatedDaemon node) {
        traceFault(node, Fault.REGISTRY_CONNECTION_LOST);
        link(node, SimSessionLink::disconnect);
        SimRegistrySession session = node.session();
        world.queue().after(random.below(15 * SECOND), () -> {
            if (session != null && session == node.session()) {
                session.link().heal();
            }
        });
    }

    private void expire(SimulatedDaemon node) {
        traceFault(node, Fault.REGISTRY_SESSION_EXPIRED);
        link(node, SimSessionLink::expireNow);
    }

    private void registryDown(SimulatedDaemon node) {
        if (!world.ensemble().up()) {
            return;
        }
        traceFault(node, Fault.REGISTRY_DOWN);
        world.ensemble().setUp(false);
        cluster.nodes().forEach(each -> link(each, SimSessionLink::reset));
        world.queue().after(random.below(15 * SECOND), () -> world.ensemble().setUp(true));
    }

    private void diskFull(ServerNode server) {
        SimDisk disk = server.disk();
        if (disk != null) {
            world.trace().line("disk full " + server.process().name());
            server.setFull(true);
            world.queue().after(random.below((random.below(3) == 0 ? 40 : 10) * SECOND), () -> {
                if (server.disk() == disk) {
                    server.setFull(false);
                }
            });
        }
    }

    private void traceFault(SimulatedDaemon node, Fault fault) {
        world.trace().line(fault.label() + " " + node.process().name());
        if (node.process().pending() > 0) {
            world.faultIntensity().count(fault);
        }
    }

    private static void link(SimulatedDaemon node, Consumer<SimSessionLink> action) {
        SimRegistrySession session = node.session();
        if (session != null && node.process().alive()) {
            action.accept(session.link());
        }
    }
}
