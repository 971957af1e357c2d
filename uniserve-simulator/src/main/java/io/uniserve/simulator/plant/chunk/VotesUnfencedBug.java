package io.uniserve.simulator.plant.chunk;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;

/**
 * {@link Plant#VOTES_UNFENCED}: registry of a server that reads maps late. That is harmless where votes wait for the gates of such
 * servers. The fence of votes itself is off by the server's settings.
 */
public final class VotesUnfencedBug extends ForwardingRegistry {
    private static final long LATE_NANOS_MIN = 500_000_000;
    private static final long LATE_NANOS_MAX = 3_000_000_000L;

    private final Timers timers;
    private final Prng random;

    public VotesUnfencedBug(Registry registry, Timers timers, Prng random) {
        super(registry);
        this.timers = timers;
        this.random = random;
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        if (path.endsWith("/map")) {
            timers.after(random.between(LATE_NANOS_MIN, LATE_NANOS_MAX), () -> registry.read(path, completion));
        } else {
            registry.read(path, completion);
        }
    }
}
