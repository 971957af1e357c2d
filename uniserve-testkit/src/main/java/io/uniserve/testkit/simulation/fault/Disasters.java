package io.uniserve.testkit.simulation.fault;

import io.uniserve.testkit.simulation.check.AllowedDataLoss;
import io.uniserve.testkit.simulation.cluster.Node;
import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.TableLifecycleWorkload;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.disk.SimDisk;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.registry.Link;
import io.uniserve.testkit.simulation.registry.RegistrySession;
import io.uniserve.testkit.simulation.workload.ClientPool;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Scheduler of large faults at random times: crashes, pauses, network partitions and outages. It also ends all of them. */
public final class Disasters {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final World world;
    private final SimCluster cluster;
    private final FaultPlan plan;
    private final Prng random;
    private final ClientPool clientPool;
    private final TableLifecycleWorkload side;
    private final MediaFault medium;
    private boolean over;
    private int round;

    public Disasters(
            World world,
            SimCluster cluster,
            FaultPlan plan,
            ClientPool clientPool,
            TableLifecycleWorkload side,
            Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.plan = plan;
        this.clientPool = clientPool;
        this.side = side;
        this.random = random;
        this.medium = new MediaFault(world, cluster, random.fork("medium"));
    }

    /** The actors that may have lost data, with the reason. */
    public Map<Integer, AllowedDataLoss> excused() {
        return medium.excused();
    }

    /** Called at the end of the time for recovery. */
    public void waited() {
        medium.waited();
    }

    /** Starts the faults. */
    public void begin() {
        plan.apply(world.weather());
        if (!plan.disasters().isEmpty()) {
            next();
        }
    }

    /** Starts the faults again after {@link #heal}. */
    public void resume() {
        over = false;
        round++;
        begin();
    }

    /** Ends every fault and starts all daemons that are down. */
    public void heal() {
        over = true;
        world.trace().line("heal");
        world.weather().calm();
        world.wire().unblockAll();
        world.ensemble().setUp(true);
        side.end();
        cluster.servers().stream().filter(ServerNode::draining).forEach(server -> server.crash(false));
        for (Node node : cluster.nodes()) {
            if (!node.process().alive()) {
                cluster.start(node);
            } else if (node.process().paused()) {
                node.process().resume();
                link(node, Link::resumed);
            }
            link(node, Link::heal);
        }
        for (ServerNode server : cluster.servers()) {
            server.setFull(false);
        }
    }

    private void next() {
        int now = round;
        world.queue().after(random.below(2 * plan.meanGapNanos()), () -> {
            if (!over && now == round) {
                Fault fault = random.pick(plan.disasters());
                Node node = random.pick(cluster.nodes());
                node.process().whenBusy(() -> {
                    if (!over) {
                        strike(fault, node);
                    }
                });
                next();
            }
        });
    }

    private void strike(Fault fault, Node node) {
        switch (fault) {
            case PROCESS_CRASHED -> crash(node, Fault.PROCESS_CRASHED, random.below(plan.downNanosMax()));
            case CLUSTER_CRASHED -> {
                if (random.below(3) == 0) {
                    cluster.servers().forEach(server -> crash(server, Fault.CLUSTER_CRASHED, random.below(5 * SECOND)));
                }
            }
            case PROCESS_PAUSED -> pause(node);
            case MESSAGE_PARTITIONED -> partition();
            case REGISTRY_CONNECTION_LOST -> cut(node);
            case REGISTRY_SESSION_EXPIRED -> expire(node);
            case REGISTRY_DOWN -> registryDown(node);
            case DISK_FULL -> diskFull(random.pick(cluster.servers()));
            case BIT_FLIPPED, DISK_DESTROYED ->
                medium.strike(
                        fault,
                        () -> crash(medium.victim(), fault, random.below(plan.downNanosMax())),
                        () -> cluster.servers()
                                .forEach(server ->
                                        crash(server, Fault.CLUSTER_CRASHED, random.below(plan.downNanosMax()))));
            case SERVER_DRAINED -> drain(random.pick(cluster.servers()));
            case TABLE_DROPPED -> side.toggle();
            case CLIENT_CRASHED -> {
                if (clientPool.crashOne(random)) {
                    world.weather().count(Fault.CLIENT_CRASHED);
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
                world.queue().after(over ? 0 : random.below(10 * SECOND), () -> {
                    if (!server.process().alive()) {
                        cluster.start(server);
                    }
                });
            }
        }));
        if (asked) {
            told(server, Fault.SERVER_DRAINED);
        }
    }

    private void crash(Node node, Fault fault, long downNanos) {
        if (!node.process().alive()) {
            return;
        }
        if (fault == Fault.PROCESS_CRASHED || fault == Fault.CLUSTER_CRASHED) {
            told(node, fault);
        }
        node.crash(plan.tear());
        world.queue().after(downNanos, () -> {
            if (!node.process().alive() && !over) {
                cluster.start(node);
            }
        });
    }

    private void pause(Node node) {
        if (node.process().alive() && !node.process().paused()) {
            told(node, Fault.PROCESS_PAUSED);
            pause(node, random.below(4) == 0 ? random.below(60 * SECOND) : random.below(8 * SECOND));
        }
    }

    /** Pauses a live process for this time, or until all faults end. */
    void pause(Node node, long duration) {
        int generation = node.process().generation();
        node.process().pause(duration);
        link(node, Link::paused);
        world.queue().after(duration, () -> {
            if (node.process().generation() == generation && !over) {
                link(node, Link::resumed);
            }
        });
    }

    private void partition() {
        List<Node> nodes = cluster.nodes();
        Node victim = random.pick(nodes);
        boolean in = random.below(3) > 0;
        boolean out = !in || random.below(2) == 0;
        long duration = random.below(20 * SECOND);
        boolean from = random.below(2) == 0;
        for (Node other : nodes) {
            if (other != victim && (from || random.below(2) == 0)) {
                block(victim, other, in, out, duration);
            }
        }
        world.trace().line("partition " + victim.process().name() + (in ? " in" : "") + (out ? " out" : ""));
    }

    private void block(Node victim, Node other, boolean in, boolean out, long duration) {
        String here = victim.process().name();
        String there = other.process().name();
        if (in) {
            world.wire().block(there, here);
            world.queue().after(duration, () -> world.wire().unblock(there, here));
        }
        if (out) {
            world.wire().block(here, there);
            world.queue().after(duration, () -> world.wire().unblock(here, there));
        }
    }

    private void cut(Node node) {
        told(node, Fault.REGISTRY_CONNECTION_LOST);
        link(node, Link::cut);
        RegistrySession session = node.session();
        world.queue().after(random.below(15 * SECOND), () -> {
            if (session != null && session == node.session()) {
                session.link().heal();
            }
        });
    }

    private void expire(Node node) {
        told(node, Fault.REGISTRY_SESSION_EXPIRED);
        link(node, Link::expireNow);
    }

    private void registryDown(Node node) {
        if (!world.ensemble().up()) {
            return;
        }
        told(node, Fault.REGISTRY_DOWN);
        world.ensemble().setUp(false);
        cluster.nodes().forEach(each -> link(each, Link::reset));
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

    private void told(Node node, Fault fault) {
        world.trace().line(fault.label() + " " + node.process().name());
        if (node.process().pending() > 0) {
            world.weather().count(fault);
        }
    }

    private static void link(Node node, Consumer<Link> action) {
        RegistrySession session = node.session();
        if (session != null && node.process().alive()) {
            action.accept(session.link());
        }
    }
}
