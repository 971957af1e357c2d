package io.uniserve.simulator.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Faults of one server's disk: flipped bits, and loss of the whole disk.
 *
 * <p>The victim is always the same server. It is damaged only while each of its in-sync actors has another in-sync replica, so the faults
 * permit no loss of acknowledged updates of level ISR. A loss is excused only if the in-sync set shrinks to the damaged replica alone. A
 * disk that was destroyed long before excuses nothing, as the server's claim to be intact was checked since.
 *
 * <p>At rf 1 a disk is destroyed only while the backups of all its actors are complete and the server has been down for a while. A flipped
 * bit excuses no loss there: the actor is either correct or absent. A takeover from an incomplete backup, which a table may permit, excuses
 * losses.
 *
 * <p>With durability REMOTE disks are destroyed at any time, also all of the cluster at once, and excuse nothing. For a table of
 * {@code onLoss} RESTORE_TABLE the only excuse is a damaged backup, by which it may stay absent.
 */
final class MediaFault {
    private static final long ENDED_NANOS = 1_500_000_000L;
    /** Time after the loss of a disk in which the coordinator may still use an earlier claim that the replica is intact. */
    private static final long REPORT_VALID_NANOS = 15_000_000_000L;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final Prng random;
    private final ServerNode victim;
    /** Actors with a flipped bit in a file. The file may be used again even after the replica has left and come back. */
    private final TreeSet<Integer> flipped = new TreeSet<>();

    /** Actors with a destroyed replica that is still in the in-sync set, with the time of the loss. */
    private final TreeMap<Integer, Long> emptied = new TreeMap<>();

    /** Actors at rf 1 with a damaged or destroyed only replica, with the epoch then, until they have restarted from storage. */
    private final TreeMap<Integer, Long> lostSoleReplicas = new TreeMap<>();

    private final TreeMap<Integer, AllowedDataLoss> excused = new TreeMap<>();

    MediaFault(SimulationContext world, SimCluster cluster, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.random = random;
        this.victim = random.pick(cluster.servers());
        world.ensemble()
                .addListener((session, zxid, applied, changed) -> applied.forEach(one -> {
                    if (one.after() != null && one.after().value() instanceof TableMap map) {
                        onMap(map);
                        if (one.before() != null && one.before().value() instanceof TableMap before) {
                            forget(before, map);
                            recordLosses(before, map);
                        }
                    }
                }));
    }

    ServerNode victim() {
        return victim;
    }

    /** The actors that may have lost data, with the reason. */
    Map<Integer, AllowedDataLoss> excused() {
        return excused;
    }

    /**
     * Called at the end of the time for recovery. An actor may stay absent if its only replica is damaged and no backup is complete, or if
     * an object of the backup is damaged. An actor that was taken over must be back, unless both replica and backup are damaged.
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
            if (away && world.objects().hasCorrupted(needed)
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
        return lostSoleReplicas.containsKey(actor.actor())
                && RecoverabilityCheck.areCopiesLost(actor, victim.id())
                && RecoverabilityCheck.isBackupLost(
                        key, cluster.backup(key), world.objects().keys(), world.objects()::isCorrupted);
    }

    /** True for {@code onLoss} RESTORE_TABLE. Then no loss is excused: the table goes back to a version, and the checks judge which one. */
    private boolean together() {
        return cluster.route()
                .filter(route -> route.meta().onLoss() == OnLoss.RESTORE_TABLE)
                .isPresent();
    }

    private void onMap(TableMap map) {
        if (!map.name().equals(SimulationContext.TABLE)) {
            return;
        }
        emptied.keySet().removeIf(actor -> !map.actors().get(actor).isr().contains(victim.id()));
        lostSoleReplicas.entrySet().removeIf(one -> {
            ActorState actor = map.actors().get(one.getKey());
            return actor.epochStarted() && actor.restoreEpoch() > one.getValue();
        });
        TreeSet<Integer> damaged = new TreeSet<>(flipped);
        if (cluster.remote()) {
            emptied.clear();
        }
        long now = world.queue().now();
        emptied.forEach((actor, since) -> {
            if (now - since < REPORT_VALID_NANOS) {
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

    /** Clears the state after a restoration under a new number, as all files are new. */
    private void forget(TableMap before, TableMap after) {
        if (after.name().equals(SimulationContext.TABLE) && before.tableId() != after.tableId()) {
            flipped.clear();
            emptied.clear();
            lostSoleReplicas.clear();
        }
    }

    private void recordLosses(TableMap before, TableMap after) {
        if (!after.name().equals(SimulationContext.TABLE) || before.tableId() != after.tableId()) {
            return;
        }
        for (ActorState actor : after.actors()) {
            boolean takenOver = actor.restoreEpoch() == actor.epoch()
                    && before.actors().get(actor.actor()).epoch() < actor.epoch();
            boolean beyond =
                    excused.get(actor.actor()) == AllowedDataLoss.ROTTEN_BACKUP; // the takeover is retried for ever
            if (takenOver && !beyond && !cluster.backupComplete(new ReplicaKey(after.tableId(), actor.actor()))) {
                excused.put(actor.actor(), AllowedDataLoss.TAKEN_OVER_BEHIND);
                world.trace().line("actor " + actor.actor() + " is taken over with what was shipped");
            }
        }
    }

    /** Destroys the disk at rf 1. The server is down, so no operation is under way, and the backup of every actor is complete. */
    private void destroySole(Fault fault, TableRoute route) {
        boolean complete = route.map().actors().stream()
                .filter(actor -> actor.isr().contains(victim.id()))
                .allMatch(actor ->
                        cluster.backupComplete(new ReplicaKey(route.meta().tableId(), actor.actor())));
        if (complete && !victim.process().alive() && victim.medium().destroy()) {
            world.trace().line(fault.label() + " " + victim.process().name());
            world.faultIntensity().count(fault);
            route.map().actors().stream()
                    .filter(actor -> actor.isr().contains(victim.id()))
                    .forEach(actor -> lostSoleReplicas.put(actor.actor(), actor.epoch()));
        }
    }

    /**
     * Flips bits at rf 1, at most one per actor, as damage of one bit is always detected. The actor must then be correct or absent. If its
     * backup is complete, it must be restored.
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
        victim.medium()
                .flip(random, path -> whole.stream().anyMatch(path::startsWith))
                .ifPresent(path -> {
                    int actor = actorOf(path);
                    flipped.add(actor);
                    lostSoleReplicas.put(actor, route.map().actors().get(actor).epoch());
                    world.trace().line(Fault.BIT_FLIPPED.label() + " " + path);
                    world.faultIntensity().count(Fault.BIT_FLIPPED);
                });
    }

    /** Destroys all disks of the cluster at once. */
    private void destroyAll(Fault fault, Runnable crashAll) {
        crashAll.run();
        for (ServerNode server : cluster.servers()) {
            if (!server.process().alive() && server.medium().destroy()) {
                world.trace().line(fault.label() + " " + server.process().name());
                world.faultIntensity().count(fault);
            }
        }
    }

    private static int actorOf(String path) {
        return Integer.parseInt(path.substring(path.indexOf("-a") + 2, path.indexOf('/')));
    }

    /**
     * Injects the fault.
     *
     * @param crash stops the victim for a while
     * @param crashAll stops all servers, each for a while, so the damaged one may be back first
     */
    void startFault(Fault fault, Runnable crash, Runnable crashAll) {
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
            met = victim.medium().destroy();
            long now = world.queue().now();
            (met ? here : List.<Integer>of()).forEach(actor -> emptied.put(actor, now));
        } else {
            Optional<String> path = victim.medium().flip(random, name -> true);
            met = path.isPresent();
            path.filter(name -> name.startsWith("t" + route.get().meta().tableId() + "-a"))
                    .ifPresent(name -> flipped.add(actorOf(name)));
        }
        if (met) {
            world.trace().line(fault.label() + " " + victim.process().name());
            world.faultIntensity().count(fault);
        }
    }
}
