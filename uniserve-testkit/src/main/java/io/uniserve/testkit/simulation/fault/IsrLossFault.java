package io.uniserve.testkit.simulation.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.List;

/**
 * For a table that goes back together when it has lost an actor: now and then every in-sync replica of one is lost. Their disks
 * are destroyed, or they are away for longer than anybody waits and come back whole with what is no longer the table, or they
 * stand still for as long and go on as if nothing had happened.
 */
public final class IsrLossFault {
    private static final long SECOND = 1_000_000_000L;
    /** What was under way on a disk has ended by then. */
    private static final long ENDED_NANOS = 1_500_000_000L;

    private final World world;
    private final SimCluster cluster;
    private final Disasters disasters;
    private final Prng random;
    private boolean over;

    public IsrLossFault(World world, SimCluster cluster, Disasters disasters, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.disasters = disasters;
        this.random = random;
    }

    /** Begins. */
    public void begin() {
        world.queue().after(random.between(5 * SECOND, 30 * SECOND), () -> {
            if (!over) {
                cluster.route().ifPresent(this::strike);
                again();
            }
        });
    }

    /** Long enough for what was lost to be back now and then. */
    private void again() {
        world.queue().after(random.between(10 * SECOND, 40 * SECOND), this::begin);
    }

    /** Nobody is lost any more. */
    public void end() {
        over = true;
    }

    private void strike(TableRoute route) {
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
            world.weather().count(Fault.ACTOR_LOST);
        }
        for (ServerNode member : members) {
            long absence = random.between(35 * SECOND, 60 * SECOND);
            if (kind == 3) {
                disasters.pause(member, absence);
            } else if (kind == 2) {
                leave(member, absence);
            } else {
                leave(member, random.between(2 * SECOND, 20 * SECOND));
                world.queue().after(ENDED_NANOS, () -> destroy(member));
            }
        }
    }

    private void leave(ServerNode server, long absence) {
        server.crash(random.below(2) == 0);
        world.queue().after(absence, () -> {
            if (!over && !server.process().alive()) {
                cluster.start(server);
            }
        });
    }

    private void destroy(ServerNode server) {
        if (!server.process().alive() && server.platter().destroy()) {
            world.trace()
                    .line(Fault.DISK_DESTROYED.label() + " " + server.process().name());
        }
    }
}
