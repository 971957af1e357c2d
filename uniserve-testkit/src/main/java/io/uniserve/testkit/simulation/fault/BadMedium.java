package io.uniserve.testkit.simulation.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableMap;
import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Bits flip on one server's disk, or it is destroyed: always the same server, and only while each actor that counts on it
 * has another copy in sync, so that nothing acknowledged at level ISR may be lost. Should the set shrink to the damaged copy
 * alone before that one has left it, a loss is excused.
 */
final class BadMedium {
    private final World world;
    private final SimCluster cluster;
    private final Prng random;
    private final ServerNode victim;
    /** Actors of which a bit of a file was flipped: the file may be used again even after the copy has left and come back. */
    private final TreeSet<Integer> flipped = new TreeSet<>();

    private final TreeSet<Integer> emptied = new TreeSet<>();
    private boolean excused;

    BadMedium(World world, SimCluster cluster, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.random = random;
        this.victim = random.pick(cluster.servers());
        world.ensemble()
                .listen((session, zxid, applied, changed) -> applied.forEach(one -> {
                    if (one.after() != null && one.after().value() instanceof TableMap map) {
                        look(map);
                    }
                }));
    }

    ServerNode victim() {
        return victim;
    }

    boolean excused() {
        return excused;
    }

    private void look(TableMap map) {
        if (!map.name().equals(SimCluster.TABLE)) {
            return;
        }
        emptied.removeIf(actor -> !map.actors().get(actor).isr().contains(victim.id()));
        TreeSet<Integer> damaged = new TreeSet<>(emptied);
        damaged.addAll(flipped);
        for (int actor : damaged) {
            if (!excused && map.actors().get(actor).isr().equals(List.of(victim.id()))) {
                excused = true;
                world.trace().line("actor " + actor + " is left with a damaged copy");
            }
        }
    }

    /**
     * @param crash stops the victim for a while
     * @param crashAll stops all servers, each for a while: the damaged one may be back first
     */
    void strike(Fault fault, Runnable crash, Runnable crashAll) {
        Optional<TableRoute> route = cluster.route();
        if (cluster.rf() < 2 || route.isEmpty()) {
            return;
        }
        TreeSet<Integer> here = new TreeSet<>();
        for (ActorState actor : route.get().map().actors()) {
            if (actor.isr().contains(victim.id())) {
                here.add(actor.actor());
            }
            if (actor.isr().contains(victim.id()) && actor.isr().size() < 2) {
                return;
            }
        }
        if (random.below(3) == 0) {
            crashAll.run();
        } else if (fault == Fault.DISK_DESTROYED || random.below(3) > 0) {
            crash.run();
        }
        boolean met = false;
        if (fault == Fault.DISK_DESTROYED) {
            met = victim.platter().destroy();
            emptied.addAll(met ? here : List.of());
        } else {
            Optional<String> path = victim.platter().flip(random);
            met = path.isPresent();
            path.filter(name -> name.startsWith("t" + route.get().meta().tableId() + "-a"))
                    .ifPresent(name ->
                            flipped.add(Integer.parseInt(name.substring(name.indexOf("-a") + 2, name.indexOf('/')))));
        }
        if (met) {
            world.trace().line(fault.label() + " " + victim.process().name());
            world.weather().count(fault);
        }
    }
}
