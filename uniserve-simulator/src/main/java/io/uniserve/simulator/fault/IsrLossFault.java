package io.uniserve.simulator.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.simulator.cluster.AtomicTimeWorkload;
import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.Optional;

/**
 * Fault that makes all in-sync replicas of an actor fail now and then, for a table with {@code onLoss} RESTORE_TABLE. There are three
 * kinds. The disks are destroyed. Or the servers are down longer than the grace period, and come back with intact files of the replaced
 * table. Or the servers pause for that long and continue.
 */
public final class IsrLossFault {
    private static final long SECOND = 1_000_000_000L;
    /** Delay after which operations under way on a disk have ended. */
    private static final long ENDED_NANOS = 1_500_000_000L;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final LargeFaultScheduler disasters;
    private final Prng random;
    private boolean ended;

    public IsrLossFault(SimulationContext world, SimCluster cluster, LargeFaultScheduler disasters, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.disasters = disasters;
        this.random = random;
    }

    /** Starts the faults. */
    public void begin() {
        world.queue().after(random.between(5 * SECOND, 30 * SECOND), () -> {
            if (!ended) {
                pickTable().ifPresent(this::startFault);
                again();
            }
        });
    }

    /** Waits long enough that a lost actor is sometimes restored by then. */
    private void again() {
        world.queue().after(random.between(10 * SECOND, 40 * SECOND), this::begin);
    }

    /** Ends the faults. */
    public void end() {
        ended = true;
    }

    /** The clients' table, or the table of time if there is one. */
    private Optional<TableRoute> pickTable() {
        Optional<TableRoute> events = cluster.route(AtomicTimeWorkload.EVENTS)
                .filter(route -> !route.map().actors().isEmpty());
        return events.isPresent() && random.below(2) == 0 ? events : cluster.route();
    }

    private void startFault(TableRoute route) {
        ActorState actor = random.pick(route.map().actors());
        List<ServerNode> members = cluster.servers().stream()
                .filter(server -> actor.isr().contains(server.id()))
                .filter(server -> server.process().alive())
                .toList();
        int kind = random.below(4);
        String how = kind < 2 ? " destroyed" : kind == 2 ? " away" : " asleep";
        world.trace()
                .line(Fault.ACTOR_LOST.label() + " " + actor.actor() + " of "
                        + route.meta().tableId() + " on " + actor.isr() + how);
        if (members.stream().anyMatch(member -> member.process().pending() > 0)) {
            world.faultIntensity().count(Fault.ACTOR_LOST);
        }
        for (ServerNode member : members) {
            long absence = random.between(35 * SECOND, 60 * SECOND);
            if (kind == 3) {
                disasters.pause(member, absence);
            } else if (kind == 2) {
                stopServer(member, absence);
            } else {
                stopServer(member, random.between(2 * SECOND, 20 * SECOND));
                world.queue().after(ENDED_NANOS, () -> destroy(member));
            }
        }
    }

    private void stopServer(ServerNode server, long absence) {
        server.crash(random.below(2) == 0);
        world.queue().after(absence, () -> {
            if (!ended && !server.process().alive()) {
                cluster.start(server);
            }
        });
    }

    private void destroy(ServerNode server) {
        if (!server.process().alive() && server.medium().destroy()) {
            world.trace()
                    .line(Fault.DISK_DESTROYED.label() + " " + server.process().name());
        }
    }
}
