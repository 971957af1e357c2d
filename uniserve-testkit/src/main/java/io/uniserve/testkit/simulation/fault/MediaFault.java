package io.uniserve.testkit.simulation.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableMap;
import io.uniserve.testkit.simulation.check.AllowedDataLoss;
import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Bits flip on one server's disk, or it is destroyed: always the same server, and only while each actor that counts on it
 * has another copy in sync, so that nothing acknowledged at level ISR may be lost. Should the set shrink to the damaged copy
 * alone before that one has left it, a loss is excused; not so where the disk was destroyed long before, as the server must have been asked since. At rf 1 a disk is destroyed only when the backups of all actors on it
 * are complete and the server has been down for a while, and a flipped bit excuses no loss: the actor is right, or away. A takeover of what is not complete, which a table may ask for, excuses losses as well.
 * With durability REMOTE disks are destroyed without any regard, also all of the cluster at once, and excuse nothing.
 * Of a table that goes back together when it has lost an actor nothing is excused but that it stays away while its backup is wrong.
 */
final class MediaFault {
    private static final long ENDED_NANOS = 1_500_000_000L;
    /** So long after its disk was destroyed, what a server vouched for before may still be acted upon. */
    private static final long VOUCHED_NANOS = 15_000_000_000L;

    private final World world;
    private final SimCluster cluster;
    private final Prng random;
    private final ServerNode victim;
    /** Actors of which a bit of a file was flipped: the file may be used again even after the copy has left and come back. */
    private final TreeSet<Integer> flipped = new TreeSet<>();

    /** Actors whose copy was destroyed and is counted on still, and when it was. */
    private final TreeMap<Integer, Long> emptied = new TreeMap<>();

    /** At rf 1, actors whose only copy was damaged or destroyed, and the epoch then: until they have begun anew from storage. */
    private final TreeMap<Integer, Long> ruined = new TreeMap<>();

    private final TreeMap<Integer, AllowedDataLoss> excused = new TreeMap<>();

    MediaFault(World world, SimCluster cluster, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.random = random;
        this.victim = random.pick(cluster.servers());
        world.ensemble()
                .listen((session, zxid, applied, changed) -> applied.forEach(one -> {
                    if (one.after() != null && one.after().value() instanceof TableMap map) {
                        look(map);
                        if (one.before() != null && one.before().value() instanceof TableMap before) {
                            forget(before, map);
                            lookForLosses(before, map);
                        }
                    }
                }));
    }

    ServerNode victim() {
        return victim;
    }

    /** The actors that may have lost something, and why. */
    Map<Integer, AllowedDataLoss> excused() {
        return excused;
    }

    /**
     * Time for all to come back is over: who is not back may stay away if its only copy is damaged, and no backup is complete, or
     * if an object of the backup is not what was put there. Who was taken over is to be back, unless neither
     * a copy nor the backup is whole.
     */
    void waited() {
        TableRoute route = cluster.route().orElseThrow();
        boolean together = together();
        for (ActorState actor : route.map().actors()) {
            ReplicaKey key = new ReplicaKey(route.meta().tableId(), actor.actor());
            AllowedDataLoss before = excused.get(actor.actor());
            boolean diverges = cluster.divergence(one -> one == actor.actor()).isPresent();
            boolean away = diverges && before == null;
            String needed = "/" + key.tableId() + "/" + (together ? "" : key.actor() + "/");
            if (away && world.objects().rotten(needed)
                    || diverges && before == AllowedDataLoss.TAKEN_OVER_BEHIND && beyondRepair(key, actor)) {
                excused.put(actor.actor(), AllowedDataLoss.ROTTEN_BACKUP);
            } else if (away
                    && !together
                    && cluster.rf() < 2
                    && flipped.contains(actor.actor())
                    && !cluster.backupComplete(key)) {
                excused.put(actor.actor(), AllowedDataLoss.DAMAGED_LAST_COPY);
            }
        }
    }

    private boolean beyondRepair(ReplicaKey key, ActorState actor) {
        return ruined.containsKey(actor.actor())
                && RecoverabilityCheck.copiesGone(actor, victim.id())
                && RecoverabilityCheck.backupGone(
                        key, cluster.backup(key), world.objects().keys(), world.objects()::isRotten);
    }

    /** Then nothing is excused: what has lost its last copy goes back, and what that may lose is judged. */
    private boolean together() {
        return cluster.route()
                .filter(route -> route.meta().onLoss() == OnLoss.RESTORE_TABLE)
                .isPresent();
    }

    private void look(TableMap map) {
        if (!map.name().equals(SimCluster.TABLE)) {
            return;
        }
        emptied.keySet().removeIf(actor -> !map.actors().get(actor).isr().contains(victim.id()));
        ruined.entrySet().removeIf(one -> {
            ActorState actor = map.actors().get(one.getKey());
            return actor.begun() && actor.restoreEpoch() > one.getValue();
        });
        TreeSet<Integer> damaged = new TreeSet<>(flipped);
        if (cluster.remote()) {
            emptied.clear();
        }
        long now = world.queue().now();
        emptied.forEach((actor, since) -> {
            if (now - since < VOUCHED_NANOS) {
                damaged.add(actor);
            }
        });
        for (int actor : damaged) {
            boolean alone = map.actors().get(actor).isr().equals(List.of(victim.id()));
            if (cluster.rf() > 1
                    && alone
                    && !together()
                    && excused.putIfAbsent(actor, AllowedDataLoss.DAMAGED_LAST_COPY) == null) {
                world.trace().line("actor " + actor + " is left with a damaged copy");
            }
        }
    }

    /** Of a table that went back under a new number all files are new. */
    private void forget(TableMap before, TableMap after) {
        if (after.name().equals(SimCluster.TABLE) && before.tableId() != after.tableId()) {
            flipped.clear();
            emptied.clear();
            ruined.clear();
        }
    }

    private void lookForLosses(TableMap before, TableMap after) {
        if (!after.name().equals(SimCluster.TABLE) || before.tableId() != after.tableId()) {
            return;
        }
        for (ActorState actor : after.actors()) {
            boolean takenOver = actor.restoreEpoch() == actor.epoch()
                    && before.actors().get(actor.actor()).epoch() < actor.epoch();
            boolean beyond =
                    excused.get(actor.actor()) == AllowedDataLoss.ROTTEN_BACKUP; // tried again and again, and no nearer
            if (takenOver && !beyond && !cluster.backupComplete(new ReplicaKey(after.tableId(), actor.actor()))) {
                excused.put(actor.actor(), AllowedDataLoss.TAKEN_OVER_BEHIND);
                world.trace().line("actor " + actor.actor() + " is taken over with what was shipped");
            }
        }
    }

    /** At rf 1: the server is down, so what was under way has ended, and every actor is whole in durable storage. */
    private void destroySole(Fault fault, TableRoute route) {
        boolean complete = route.map().actors().stream()
                .filter(actor -> actor.isr().contains(victim.id()))
                .allMatch(actor ->
                        cluster.backupComplete(new ReplicaKey(route.meta().tableId(), actor.actor())));
        if (complete && !victim.process().alive() && victim.platter().destroy()) {
            world.trace().line(fault.label() + " " + victim.process().name());
            world.weather().count(fault);
            route.map().actors().stream()
                    .filter(actor -> actor.isr().contains(victim.id()))
                    .forEach(actor -> ruined.put(actor.actor(), actor.epoch()));
        }
    }

    /**
     * At rf 1: one bit of each actor's files at most, as damage of one bit is always told. The actor must be right then, or away; and
     * it must be back if its backup is complete.
     */
    private void flipSole(TableRoute route, Runnable crash) {
        if (random.below(2) == 0) {
            crash.run();
        }
        long table = route.meta().tableId();
        List<String> whole = route.map().actors().stream()
                .map(ActorState::actor)
                .filter(actor -> !flipped.contains(actor))
                .map(actor -> new ReplicaKey(table, actor) + "/")
                .toList();
        victim.platter()
                .flip(random, path -> whole.stream().anyMatch(path::startsWith))
                .ifPresent(path -> {
                    int actor = actorOf(path);
                    flipped.add(actor);
                    ruined.put(actor, route.map().actors().get(actor).epoch());
                    world.trace().line(Fault.BIT_FLIPPED.label() + " " + path);
                    world.weather().count(Fault.BIT_FLIPPED);
                });
    }

    /** All disks of the cluster in one moment. */
    private void destroyAll(Fault fault, Runnable crashAll) {
        crashAll.run();
        for (ServerNode server : cluster.servers()) {
            if (!server.process().alive() && server.platter().destroy()) {
                world.trace().line(fault.label() + " " + server.process().name());
                world.weather().count(fault);
            }
        }
    }

    private static int actorOf(String path) {
        return Integer.parseInt(path.substring(path.indexOf("-a") + 2, path.indexOf('/')));
    }

    /**
     * @param crash stops the victim for a while
     * @param crashAll stops all servers, each for a while: the damaged one may be back first
     */
    void strike(Fault fault, Runnable crash, Runnable crashAll) {
        Optional<TableRoute> route = cluster.route();
        if (route.isEmpty()) {
            return;
        }
        if (cluster.remote() && fault == Fault.DISK_DESTROYED && random.below(2) == 0) {
            destroyAll(fault, crashAll);
            return;
        }
        if (cluster.rf() < 2) {
            if (fault == Fault.DISK_DESTROYED) {
                crash.run();
                world.queue().after(ENDED_NANOS, () -> cluster.route().ifPresent(later -> destroySole(fault, later)));
            } else {
                flipSole(route.get(), crash);
            }
            return;
        }
        TreeSet<Integer> here = new TreeSet<>();
        for (ActorState actor : route.get().map().actors()) {
            if (actor.isr().contains(victim.id())) {
                here.add(actor.actor());
            }
            boolean any = cluster.remote() && fault == Fault.DISK_DESTROYED;
            if (actor.isr().contains(victim.id()) && actor.isr().size() < 2 && !any) {
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
            long now = world.queue().now();
            (met ? here : List.<Integer>of()).forEach(actor -> emptied.put(actor, now));
        } else {
            Optional<String> path = victim.platter().flip(random, name -> true);
            met = path.isPresent();
            path.filter(name -> name.startsWith("t" + route.get().meta().tableId() + "-a"))
                    .ifPresent(name -> flipped.add(actorOf(name)));
        }
        if (met) {
            world.trace().line(fault.label() + " " + victim.process().name());
            world.weather().count(fault);
        }
    }
}
