package io.uniserve.simulator.cluster;

import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.protocol.coordinator.rebalance.RebalanceConfig;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.Completion;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.List;
import java.util.function.Supplier;

/**
 * Synthetic loads of actors for the rebalancer. They are drawn anew every 8 to 40 s, so replicas keep moving under the policy that real
 * coordinators use. A run of the policy takes up to 2 s, and 5 % of the runs fail.
 */
final class HotSpotLoad {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final double TOLERANCE = 0.2;
    private static final int MOVES_MAX = 64;

    private final SimulationContext world;
    private final Prng random;
    private final long eraNanos;
    private final HottestFirstPolicy policy = new HottestFirstPolicy(TOLERANCE, MOVES_MAX);
    private List<ReplicaMove> proposed = List.of();
    private long frozen = -1;

    HotSpotLoad(SimulationContext world, Prng random) {
        this.world = world;
        this.random = random;
        this.eraNanos = random.between(8 * SECOND, 40 * SECOND);
    }

    /** Keeps the current loads from now on. */
    void freezeHotSpots() {
        frozen = era();
    }

    /** Rebalancer settings for one start of a coordinator. */
    RebalanceSetup rebalancing(SimProcess process) {
        Prng own = random.fork(process.name() + "#" + process.generation());
        RebalanceConfig config =
                new RebalanceConfig(own.between(SECOND, 6 * SECOND), own.between(1, 8), own.between(1, 3));
        return new RebalanceSetup(config, this::moves, new BackgroundExecutor() {
            @Override
            public <T> void run(Supplier<T> work, Completion<T> completion) {
                boolean fails = frozen < 0 && own.below(20) == 0;
                Supplier<T> done = fails ? HotSpotLoad::failure : work;
                process.post(own.below(2 * SECOND), () -> completion.done(BackgroundExecutor.outcome(done)));
            }
        });
    }

    private static <T> T failure() {
        throw new IllegalStateException("a policy that fails now and then");
    }

    private long era() {
        return frozen >= 0 ? frozen : world.queue.now() / eraNanos;
    }

    private List<ReplicaMove> moves(LiveCluster cluster) {
        List<Actor> actors = cluster.actors().stream().map(this::withHotSpot).toList();
        for (ReplicaMove move : proposed) {
            boolean made = actors.stream()
                    .anyMatch(actor -> actor.key().equals(move.key())
                            && actor.hosts().contains(move.to())
                            && !actor.hosts().contains(move.from()));
            if (made) {
                world.faultIntensity.count(Fault.REPLICA_REBALANCED);
            }
        }
        proposed = policy.moves(new LiveCluster(cluster.servers(), actors, cluster.coAccessedActors()));
        return proposed;
    }

    /** A quarter of the actors are hot in each period. */
    private Actor withHotSpot(Actor actor) {
        Prng drawn = random.fork("era " + era() + " " + actor.key());
        double factor = drawn.below(4) == 0 ? drawn.between(5, 30) : 1;
        return new Actor(
                actor.key(),
                actor.port(),
                actor.hosts(),
                actor.primary(),
                actor.load() * factor,
                actor.primaryLoad(),
                actor.memory(),
                actor.movable());
    }
}
