package io.uniserve.testkit.simulation.fault;

import io.uniserve.testkit.simulation.cluster.ServerNode;
import io.uniserve.testkit.simulation.cluster.SimCluster;
import io.uniserve.testkit.simulation.cluster.World;
import io.uniserve.testkit.simulation.kernel.Fault;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.workload.ClientPool;

/**
 * Fault for actors with one replica. Now and then clients pause, so that backups become complete. Then a server is down longer than the
 * grace period before another server takes over from durable storage.
 */
public final class LongOutageFault {
    private static final long SECOND = 1_000_000_000L;
    private static final long SILENCE_NANOS = 12 * SECOND;
    private static final long SILENCE_BEFORE_NANOS = 9 * SECOND;

    private final World world;
    private final SimCluster cluster;
    private final ClientPool clientPool;
    private final Prng random;
    private boolean over;

    public LongOutageFault(World world, SimCluster cluster, ClientPool clientPool, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.clientPool = clientPool;
        this.random = random;
    }

    /** Starts the faults. */
    public void begin() {
        world.queue().after(random.below(20 * SECOND), () -> {
            if (!over) {
                clientPool.pause(SILENCE_NANOS);
                world.queue().after(SILENCE_BEFORE_NANOS, this::leave);
            }
        });
    }

    /** Ends the faults. */
    public void end() {
        over = true;
    }

    private void leave() {
        ServerNode server = random.pick(cluster.servers());
        long away = random.between(25, 45) * SECOND;
        if (over) {
            return;
        }
        if (server.process().alive()) {
            world.trace()
                    .line(Fault.SERVER_AWAY.label() + " " + server.process().name());
            if (server.process().pending() > 0) {
                world.weather().count(Fault.SERVER_AWAY);
            }
            server.crash(random.below(2) == 0);
            world.queue().after(away, () -> {
                if (!over && !server.process().alive()) {
                    cluster.start(server);
                }
            });
        }
        begin();
    }
}
