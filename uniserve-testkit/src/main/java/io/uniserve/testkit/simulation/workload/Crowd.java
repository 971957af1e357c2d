package io.uniserve.testkit.simulation.workload;

import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.List;

/** All clients: operations begin at random times whether or not earlier ones have ended. */
public final class Crowd {
    private static final long MILLI = 1_000_000;
    private static final int OUTSTANDING_MAX = 64;

    private final EventQueue queue;
    private final Prng random;
    private final long meanGapNanos;
    private final List<SimClient> clients;
    private final Tally tally;
    private boolean resting;
    private long pausedUntil;

    public Crowd(EventQueue queue, Prng random, int meanGapMillis, List<SimClient> clients, Tally tally) {
        this.queue = queue;
        this.random = random;
        this.meanGapNanos = meanGapMillis * MILLI;
        this.clients = List.copyOf(clients);
        this.tally = tally;
    }

    /** Begins to work. */
    public void begin() {
        queue.after(random.below(2 * meanGapNanos), () -> {
            if (!resting) {
                SimClient client = random.pick(clients);
                if (client.outstanding() < OUTSTANDING_MAX && queue.now() >= pausedUntil) {
                    client.act();
                }
                begin();
            }
        });
    }

    /** Begins nothing for this long. */
    public void pause(long nanos) {
        pausedUntil = queue.now() + nanos;
    }

    /** Begins nothing more. */
    public void rest() {
        resting = true;
    }

    /** Operations without an end. */
    public int outstanding() {
        return clients.stream().mapToInt(SimClient::outstanding).sum();
    }

    /** Lets every client append to all actors and read them all. */
    public void probe(long deadlineNanos) {
        clients.forEach(client -> client.probe(deadlineNanos));
    }

    /** True when every probe succeeded. */
    public boolean probed() {
        return tally.probeFailures() == 0;
    }
}
