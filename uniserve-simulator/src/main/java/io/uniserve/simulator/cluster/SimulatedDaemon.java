package io.uniserve.simulator.cluster;

import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.registry.SimRegistrySession;
import org.jspecify.annotations.Nullable;

/** Daemon that may crash and start again. */
public interface SimulatedDaemon {
    SimProcess process();

    /** The registry session of the current start; null before the first start. */
    @Nullable
    SimRegistrySession session();

    /** Starts the daemon with a clock that drifts by this many parts per million. */
    void start(long driftPerMillion);

    /**
     * Crashes the daemon, as by {@code kill -9} or power off.
     *
     * @param tear true if the last sector of unsynced data may be garbage
     */
    void crash(boolean tear);

    /** The effects of a crash on other processes: lost connections and messages. */
    default void crashCommon(SimulationContext world, @Nullable SimRegistrySession session) {
        process().crash();
        world.network.onCrash(process());
        if (session != null) {
            session.link().crashed();
        }
    }
}
