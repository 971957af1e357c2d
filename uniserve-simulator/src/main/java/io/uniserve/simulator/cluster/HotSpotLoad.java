package io.uniserve.simulator.cluster;

import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.protocol.coordinator.rebalance.RebalanceConfig;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.coordinator.rebalance.ReplicationSetup;
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
    private static final double HOT_LOAD = 10_000;
    private static final double HOT_LOAD_MIN = 100;
    private static final double HORIZON_SECONDS = 10_000;

    private final SimulationContext world;
    private final Prng random;
    private long eraNanos;
    private final HottestFirstPolicy policy = new HottestFirstPolicy(TOLERANCE, MOVES_MAX);
    private final int copiesMax;
    private List<ReplicaMove> proposed = List.of();
    private boolean heatsOneActor;
    private long frozen = -1;

    HotSpotLoad(SimulationContext world, Prng random) {
        this.world = world;
        this.random = random;
        this.copiesMax = random.fork("copies").between(4, 6);
        this.eraNanos = random.between(8 * SECOND, 40 * SECOND);
    }

    /** Keeps the current loads from now on. */
    void freezeHotSpots() {
        frozen = era();
    }

    /** Rebalancer settings for one start of a coordinator. */
    RebalanceSetup rebalancing(SimProcess process) {
        Prng own = random.fork(process.name() + "#" + process.generation());
        long periodMax = heatsOneActor ? 2 * SECOND : 6 * SECOND;
        RebalanceConfig config =
                new RebalanceConfig(own.between(SECOND, periodMax), own.between(1, 8), own.between(1, 3));
        return new RebalanceSetup(config, this::moves, copies(own), new BackgroundExecutor() {
            @Override
            public <T> void run(Supplier<T> work, Completion<T> completion) {
                boolean fails = frozen < 0 && own.below(20) == 0;
                Supplier<T> done = fails ? HotSpotLoad::failure : work;
                process.post(own.below(2 * SECOND), () -> completion.done(BackgroundExecutor.outcome(done)));
            }
        });
    }

    /** Makes one actor hot in every second era, and all actors cold when loads are frozen. */
    void heatOneActor() {
        heatsOneActor = true;
        eraNanos = random.fork("heat").between(15 * SECOND, 25 * SECOND);
    }

    /** Maximum number of automatic copies of an actor. */
    int copiesMax() {
        return copiesMax;
    }

    /** Automatic copies for one start of a coordinator. */
    private ReplicationSetup copies(Prng own) {
        if (!heatsOneActor) {
            return ReplicationSetup.off();
        }
        ReplicationPolicy greedy = new GreedyReplicationPolicy(
                new ReplicationLimits(copiesMax, 1, 0.5, HOT_LOAD_MIN, 1L << 40, HORIZON_SECONDS), TOLERANCE);
        return ReplicationSetup.of(
                (cluster, costs) -> greedy.plan(withHotActor(cluster), costs), own.below(4 * SECOND));
    }

    /** The loads of this era: actor 0 is hot in every second one. */
    private LiveCluster withHotActor(LiveCluster cluster) {
        boolean hot = frozen < 0 && era() % 2 == 0;
        List<Actor> actors = cluster.actors().stream()
                .map(actor -> withQueries(actor, hot && actor.key().actor() == 0 ? HOT_LOAD : 1))
                .toList();
        return new LiveCluster(cluster.servers(), actors, cluster.coAccessedActors());
    }

    private static Actor withQueries(Actor actor, double load) {
        CopyState state = actor.copies();
        return new Actor(
                actor.key(),
                actor.port(),
                actor.hosts(),
                actor.primary(),
                load / Math.max(1, actor.hosts().size()) + 1,
                actor.primaryLoad(),
                actor.memory(),
                actor.movable(),
                new CopyState(
                        load,
                        load,
                        state.weights(),
                        state.least(),
                        state.automatic(),
                        state.bytes(),
                        state.updatesPerSecond(),
                        state.permitted(),
                        state.growable(),
                        state.shrinkable()));
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
                actor.movable(),
                actor.copies());
    }
}
