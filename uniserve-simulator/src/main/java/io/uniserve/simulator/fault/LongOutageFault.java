package io.uniserve.simulator.fault;

import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.ClientPool;

/**
 * Fault for actors with one replica. Now and then clients pause, so that backups become complete. Then a server is down longer than the
 * grace period before another server takes over from durable storage.
 */
public final class LongOutageFault {
    private static final long SECOND = 1_000_000_000L;
    private static final long SILENCE_NANOS = 12 * SECOND;
    private static final long SILENCE_BEFORE_NANOS = 9 * SECOND;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final ClientPool clientPool;
    private final Prng random;
    private boolean ended;

    public LongOutageFault(SimulationContext world, SimCluster cluster, ClientPool clientPool, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.clientPool = clientPool;
        this.random = random;
    }

    /** Starts the faults. */
    public void begin() {
        world.queue().after(random.below(20 * SECOND), () -> {
            if (!ended) {
                clientPool.pause(SILENCE_NANOS);
                world.queue().after(SILENCE_BEFORE_NANOS, this::stopServer);
            }
        });
    }

    /** Ends the faults. */
    public void end() {
        ended = true;
    }

    private void stopServer() {
        ServerNode server = random.pick(cluster.servers());
        long away = random.between(25, 45) * SECOND;
        if (ended) {
            return;
        }
        if (server.process().alive()) {
            world.trace()
                    .line(Fault.SERVER_AWAY.label() + " " + server.process().name());
            if (server.process().pending() > 0) {
                world.faultIntensity().count(Fault.SERVER_AWAY);
            }
            server.crash(random.below(2) == 0);
            world.queue().after(away, () -> {
                if (!ended && !server.process().alive()) {
                    cluster.start(server);
                }
            });
        }
        begin();
    }
}
