package io.uniserve.simulator.scaling;

import io.uniserve.placement.ScalingLimits;
import io.uniserve.placement.ThresholdScalingPolicy;
import io.uniserve.protocol.coordinator.scaling.ScalingConfig;
import io.uniserve.protocol.coordinator.scaling.ScalingSetup;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Synthetic CPU time of queries, drawn anew every 8 to 20 s, and settings of the auto-scaler for each start of a coordinator. */
public final class ScalingLoad {
    private static final long SECOND = 1_000_000_000L;
    private static final double CORES_PER_SERVER = 4;
    private static final double MILLIS = 1_000;

    private final EventQueue queue;
    private final Prng random;
    private final SimServerProvider provider;
    private final IntSupplier liveServers;
    private final int serversMin;
    private final int serversMax;
    private final long eraNanos;
    private boolean frozen;

    /**
     * Creates the load.
     *
     * @param serversMin servers that the auto-scaler has not launched
     * @param liveServers number of servers that run now
     */
    public ScalingLoad(
            EventQueue queue, Prng random, SimServerProvider provider, int serversMin, IntSupplier liveServers) {
        this.queue = queue;
        this.random = random;
        this.provider = provider;
        this.liveServers = liveServers;
        this.serversMin = serversMin;
        this.serversMax = serversMin + 3;
        this.eraNanos = random.fork("era").between(8 * SECOND, 20 * SECOND);
    }

    /** Keeps the load between the limits from now on, so that nothing is decided any more. */
    public void freeze() {
        frozen = true;
        provider.calm();
    }

    /** The same report with the CPU time of queries and updates: an equal share of the cluster's. */
    public PeerReply withCpu(PeerReply reply) {
        if (!(reply instanceof PeerReply.Load load)) {
            return reply;
        }
        double servers = Math.max(1, liveServers.getAsInt());
        double share = frozen ? 0.5 : cores() / (servers * CORES_PER_SERVER);
        return load.withCosts(
                load.replicas(),
                load.cpuMillisPerSecond(),
                share * CORES_PER_SERVER * MILLIS,
                load.memoryBytes(),
                load.sets());
    }

    /** Cores that queries use in this era: from a tenth of the smallest to nine tenths of the largest cluster. */
    private double cores() {
        double part = random.fork("load " + queue.now() / eraNanos).below(1_000) / 1_000.0;
        return CORES_PER_SERVER * (0.1 * serversMin + part * (0.9 * serversMax - 0.1 * serversMin));
    }

    /** Auto-scaler of one start of a coordinator. */
    public ScalingSetup setup(SimProcess process) {
        Prng own = random.fork(process.name() + "#" + process.generation());
        ScalingConfig config = new ScalingConfig(
                own.between(2 * SECOND, 5 * SECOND),
                serversMin,
                serversMax,
                1,
                1,
                own.below(2 * SECOND),
                own.below(4 * SECOND),
                20 * SECOND,
                30 * SECOND,
                SECOND,
                own.between(SECOND, 3 * SECOND),
                5 * SECOND,
                60 * SECOND,
                "");
        return new ScalingSetup(
                config,
                new ThresholdScalingPolicy(new ScalingLimits(0.3, 0.7, 1, 1, serversMin, serversMax, 0)),
                provider.of(process),
                new BackgroundExecutor() {
                    @Override
                    public <T> void run(Supplier<T> work, Completion<T> completion) {
                        process.post(own.below(SECOND), () -> completion.done(BackgroundExecutor.outcome(work)));
                    }
                });
    }
}
