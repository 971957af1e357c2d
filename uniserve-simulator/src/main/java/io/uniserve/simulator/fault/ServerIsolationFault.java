package io.uniserve.simulator.fault;

import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulatedDaemon;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.registry.SimRegistrySession;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Fault that isolates a server from all other daemons now and then, while clients still reach it.
 *
 * <p>At once or later the server also loses its connection to the registry, or the registry's follower that serves it loses its leader.
 * Half of the clients get no newer map. So clients with an old map read from a removed replica, while others already write and read
 * elsewhere.
 */
public final class ServerIsolationFault {
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_NANOS = SECOND;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final Map<String, SimRoutingView> feeds;
    private final Prng random;
    private final boolean frequent;
    private boolean ended;
    private @Nullable ServerNode waitingVictim;

    /** @param feeds the feeds of routing maps per client */
    public ServerIsolationFault(
            SimulationContext world, SimCluster cluster, Map<String, SimRoutingView> feeds, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.feeds = feeds;
        this.random = random;
        this.frequent = random.below(2) == 0;
    }

    /** Starts the faults, in half of all seeds. */
    public void begin() {
        if (frequent) {
            world.ensemble().addListener((session, zxid, applied, changed) -> {
                if (applied.stream().anyMatch(ServerIsolationFault::commits)) {
                    committed();
                } else if (applied.stream().anyMatch(ServerIsolationFault::replaces) && waitingVictim == null) {
                    isolate(random.pick(cluster.servers()), true, () -> {});
                }
            });
            next();
        }
    }

    private void next() {
        world.queue().after(random.between(2 * SECOND, 20 * SECOND), () -> {
            ServerNode victim = random.pick(cluster.servers());
            if (random.below(2) == 0) {
                isolate(victim, false, this::next);
            } else {
                waitingVictim = victim;
                world.queue().after(PATIENCE_NANOS, () -> {
                    if (waitingVictim == victim) {
                        isolate(victim, false, this::next);
                    }
                });
            }
        });
    }

    /** Called when a version is committed that no server has seen yet. A server with this version in doubt is then the best victim. */
    private void committed() {
        ServerNode victim = waitingVictim;
        if (victim != null && victim.inDoubt()) {
            isolate(victim, true, this::next);
        }
    }

    private static boolean commits(SimEnsemble.Applied one) {
        return one.after() != null
                && one.before() != null
                && one.after().value() instanceof TransactionLogState after
                && one.before().value() instanceof TransactionLogState before
                && after.committedVersion() > before.committedVersion();
    }

    /** True when the table continues under a new number. Servers that still answer for the old one are then good victims. */
    private static boolean replaces(SimEnsemble.Applied one) {
        return one.after() != null
                && one.before() != null
                && one.after().value() instanceof TransactionLogState after
                && one.before().value() instanceof TransactionLogState before
                && after.tableId() != before.tableId();
    }

    private void isolate(ServerNode victim, boolean inDoubt, Runnable then) {
        waitingVictim = null;
        if (ended) {
            return;
        }
        long duration = random.between(4 * SECOND, 16 * SECOND);
        boolean follower = random.below(4) < (inDoubt ? 3 : 1);
        long cutAfter = random.below(4) < (inDoubt ? 3 : 1) ? 0 : random.below(5 * SECOND);
        String name = victim.process().name();
        world.trace().line(Fault.SERVER_ISOLATED.label() + " " + name);
        if (victim.process().alive() && victim.process().pending() > 0) {
            world.faultIntensity().count(Fault.SERVER_ISOLATED);
        }
        Set<String> deaf = new TreeSet<>();
        feeds.keySet().stream().filter(client -> random.below(2) == 0).forEach(deaf::add);
        block(name, true);
        deaf.forEach(client -> feed(client, true));
        SimRegistrySession session = victim.session();
        world.queue().after(cutAfter, () -> {
            if (!ended && session != null && session == victim.session()) {
                if (follower) {
                    session.link().partition(random.between(SECOND / 2, 5 * SECOND));
                } else {
                    session.link().disconnect();
                }
            }
        });
        world.queue().after(cutAfter + duration, () -> {
            deaf.forEach(client -> feed(client, false));
            if (!ended) {
                block(name, false);
                if (session != null && session == victim.session()) {
                    session.link().heal();
                }
                then.run();
            }
        });
    }

    private void feed(String client, boolean hold) {
        SimRoutingView feed = feeds.get(client);
        if (feed != null && (!hold || !ended)) {
            feed.setHeld(hold);
        }
    }

    private void block(String name, boolean block) {
        for (SimulatedDaemon other : cluster.nodes()) {
            String there = other.process().name();
            if (block && !there.equals(name)) {
                world.network().block(name, there);
                world.network().block(there, name);
            } else {
                world.network().unblock(name, there);
                world.network().unblock(there, name);
            }
        }
    }

    /** Ends the faults and resumes all feeds. The links to the registry end with all other faults. */
    public void end() {
        ended = true;
        feeds.values().forEach(feed -> feed.setHeld(false));
    }
}
