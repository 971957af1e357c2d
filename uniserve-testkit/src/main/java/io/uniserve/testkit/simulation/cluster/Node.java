package io.uniserve.testkit.simulation.cluster;

import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.registry.RegistrySession;
import org.jspecify.annotations.Nullable;

/** A daemon that may crash and start again. */
public interface Node {
    Process process();

    /** The registry session of the present start, null before the first. */
    @Nullable
    RegistrySession session();

    /** Starts the daemon with a clock that drifts by this many millionths. */
    void start(long driftPerMillion);

    /** kill -9 or power off. @param tear whether the last sector of unsynced data may be garbage */
    void crash(boolean tear);

    /** What a crash means to everybody else. */
    default void crashCommon(World world, @Nullable RegistrySession session) {
        process().crash();
        world.wire.crashed(process());
        if (session != null) {
            session.link().crashed();
        }
    }
}
