package io.uniserve.testkit.simulation.fault;

import io.uniserve.model.TransactionLogState;
import io.uniserve.testkit.simulation.cluster.Node;
import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.registry.Ensemble;
import io.uniserve.testkit.simulation.registry.RegistrySession;
import io.uniserve.testkit.simulation.workload.RoutingFeed;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Now and then a server loses all other daemons, and at once or later the registry, or the follower of it that answers loses its leader, while clients still reach it; some of
 * them hear of no newer map, as the isolated server is the one that tells them. So a replica that was removed is asked by those who do
 * not know it yet, while others already write and read elsewhere.
 */
public final class Isolations {
    private static final long SECOND = 1_000_000_000L;
    private static final long PATIENCE_NANOS = SECOND;

    private final World world;
    private final SimCluster cluster;
    private final Map<String, RoutingFeed> feeds;
    private final Prng random;
    private final boolean frequent;
    private boolean over;
    private @Nullable ServerNode awaited;

    /** @param feeds what clients hear of the cluster */
    public Isolations(World world, SimCluster cluster, Map<String, RoutingFeed> feeds, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.feeds = feeds;
        this.random = random;
        this.frequent = random.below(2) == 0;
    }

    /** Begins, in half of all seeds. */
    public void begin() {
        if (frequent) {
            world.ensemble().listen((session, zxid, applied, changed) -> {
                if (applied.stream().anyMatch(Isolations::commits)) {
                    committed();
                } else if (applied.stream().anyMatch(Isolations::replaces) && awaited == null) {
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
                awaited = victim;
                world.queue().after(PATIENCE_NANOS, () -> {
                    if (awaited == victim) {
                        isolate(victim, false, this::next);
                    }
                });
            }
        });
    }

    /** A version was committed, and nobody knows yet: the moment when it is most worth while to cut off who is in doubt about it. */
    private void committed() {
        ServerNode victim = awaited;
        if (victim != null && victim.inDoubt()) {
            isolate(victim, true, this::next);
        }
    }

    private static boolean commits(Ensemble.Applied one) {
        return one.after() != null
                && one.before() != null
                && one.after().value() instanceof TransactionLogState after
                && one.before().value() instanceof TransactionLogState before
                && after.version() > before.version();
    }

    /** The table goes on under a new number: the moment to cut off who still answers for the old one. */
    private static boolean replaces(Ensemble.Applied one) {
        return one.after() != null
                && one.before() != null
                && one.after().value() instanceof TransactionLogState after
                && one.before().value() instanceof TransactionLogState before
                && after.tableId() != before.tableId();
    }

    private void isolate(ServerNode victim, boolean inDoubt, Runnable then) {
        awaited = null;
        if (over) {
            return;
        }
        long duration = random.between(4 * SECOND, 16 * SECOND);
        boolean follower = random.below(4) < (inDoubt ? 3 : 1);
        long cutAfter = random.below(4) < (inDoubt ? 3 : 1) ? 0 : random.below(5 * SECOND);
        String name = victim.process().name();
        world.trace().line(Fault.SERVER_ISOLATED.label() + " " + name);
        if (victim.process().alive() && victim.process().pending() > 0) {
            world.weather().count(Fault.SERVER_ISOLATED);
        }
        Set<String> deaf = new TreeSet<>();
        feeds.keySet().stream().filter(client -> random.below(2) == 0).forEach(deaf::add);
        block(name, true);
        deaf.forEach(client -> feed(client, true));
        RegistrySession session = victim.session();
        world.queue().after(cutAfter, () -> {
            if (!over && session != null && session == victim.session()) {
                if (follower) {
                    session.link().part(random.between(SECOND / 2, 5 * SECOND));
                } else {
                    session.link().cut();
                }
            }
        });
        world.queue().after(cutAfter + duration, () -> {
            deaf.forEach(client -> feed(client, false));
            if (!over) {
                block(name, false);
                if (session != null && session == victim.session()) {
                    session.link().heal();
                }
                then.run();
            }
        });
    }

    private void feed(String client, boolean hold) {
        RoutingFeed feed = feeds.get(client);
        if (feed != null && (!hold || !over)) {
            feed.hold(hold);
        }
    }

    private void block(String name, boolean block) {
        for (Node other : cluster.nodes()) {
            String there = other.process().name();
            if (block && !there.equals(name)) {
                world.wire().block(name, there);
                world.wire().block(there, name);
            } else {
                world.wire().unblock(name, there);
                world.wire().unblock(there, name);
            }
        }
    }

    /** Everybody hears of everything again; the links heal with those of all faults. */
    public void end() {
        over = true;
        feeds.values().forEach(feed -> feed.hold(false));
    }
}
