package io.uniserve.simulator.cluster;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupName;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Simulated operator that takes named backups of the table and deletes some of them, independent of all other events, in half of all seeds.
 * After all faults have ended it checks two conditions (I14). Every backup that was complete and not deleted is intact. One of them can be
 * restored, to lists that are prefixes of the final ones.
 */
public final class BackupWorkload {
    private static final long SECOND = 1_000_000_000L;
    private static final int KEPT_MAX = 3;
    private static final TableName RESTORED = new TableName("restored");

    private final SimulationContext world;
    private final SimCluster cluster;
    private final Prng random;
    private final boolean frequent;
    private final TreeSet<String> kept = new TreeSet<>();
    private final TreeSet<String> unchecked = new TreeSet<>();
    private boolean ended;
    private boolean restored;
    private int taken;
    private long lastRequestNanos = -60 * SECOND;
    private String last = "";

    public BackupWorkload(SimulationContext world, SimCluster cluster, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.random = random;
        this.frequent = random.below(2) == 0 && !world.workload.isAtomic();
    }

    /** Starts the workload. */
    public void begin() {
        if (frequent) {
            next();
        }
    }

    private void next() {
        world.queue.after(random.between(2 * SECOND, 10 * SECOND), () -> {
            if (ended) {
                return;
            }
            if (kept.size() >= KEPT_MAX || !kept.isEmpty() && random.below(4) == 0) {
                String name = random.pick(List.copyOf(kept));
                kept.remove(name);
                sendAdmin(new AdminRequest.DeleteBackup(new BackupName(name)), outcome -> {});
            } else {
                String name = "b" + ++taken;
                sendAdmin(new AdminRequest.BackupTable(SimulationContext.TABLE, new BackupName(name)), outcome -> {
                    if (outcome instanceof Outcome.Ok && !ended) {
                        world.faultIntensity.count(Fault.BACKUP_TAKEN);
                        kept.add(name);
                    }
                });
            }
            next();
        });
    }

    private void sendAdmin(AdminRequest request, Consumer<Outcome<AdminReply>> then) {
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(request, outcome -> {
                    String end = outcome instanceof Outcome.Err<AdminReply> err
                            ? err.error().code().name()
                            : "ok";
                    world.trace.line(request + " " + end);
                    then.accept(outcome);
                }));
    }

    /** Ends the workload and starts the checks. If an object of durable storage is damaged for good, no backup is checked. */
    public void end() {
        ended = true;
        if (!world.objects.hasCorrupted("")) {
            unchecked.addAll(kept);
        }
        restored = unchecked.isEmpty();
        check();
    }

    private void check() {
        if (unchecked.isEmpty() && restored) {
            return;
        }
        if (world.queue.now() - lastRequestNanos > 10 * SECOND) { // the coordinator that got the request may be dead
            lastRequestNanos = world.queue.now();
            if (unchecked.isEmpty()) {
                String name = kept.first();
                sendAdmin(
                        new AdminRequest.RestoreTable(new BackupName(name), RESTORED),
                        outcome -> onReply(outcome, () -> restored = true));
            } else {
                String name = unchecked.first();
                sendAdmin(
                        new AdminRequest.VerifyBackup(new BackupName(name)),
                        outcome -> onReply(outcome, () -> unchecked.remove(name)));
            }
        }
        world.queue.after(SECOND / 4, this::check);
    }

    private void onReply(Outcome<AdminReply> outcome, Runnable good) {
        lastRequestNanos = world.queue.now() - 9 * SECOND;
        if (outcome instanceof Outcome.Err<AdminReply> err) {
            UniserveException error = err.error();
            last = error.getMessage();
        } else {
            good.run();
        }
        if (route().isPresent()) {
            restored = true;
        }
    }

    private Optional<TableRoute> route() {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(RESTORED))
                .findFirst();
    }

    /** Reason why the checks have not passed yet; empty once they have. */
    public Optional<String> leftovers() {
        if (!unchecked.isEmpty() || !restored) {
            return Optional.of("backups " + unchecked + " are not whole, or none is restored: " + last);
        }
        return route().filter(route -> !route.map().actors().stream()
                        .allMatch(actor -> cluster.isServing(actor, route.meta().tableId())))
                .map(route -> "the restored table does not serve: " + last);
    }

    /**
     * I14: each list of the restored table is a prefix of the final list.
     *
     * @param lists the final lists by number
     * @param judged true for actors that have lost nothing
     */
    public void compare(ActorKeys keys, Map<Integer, List<String>> lists, IntPredicate judged) {
        route().ifPresent(route -> {
            Map<Integer, List<String>> found = new TreeMap<>();
            for (ActorState actor : route.map().actors()) {
                found.putAll(keys.lists(cluster.documents(actor, route.meta().tableId())));
            }
            found.forEach((list, markers) -> {
                List<String> whole = lists.getOrDefault(list, List.of());
                boolean begins = markers.size() <= whole.size()
                        && whole.subList(0, markers.size()).equals(markers);
                if (judged.test(ActorKeys.actorOf(list)) && !begins) {
                    world.violations.add(
                            "I14", "restored list " + list + " has " + markers + ", the table has " + whole);
                }
            });
        });
    }
}
