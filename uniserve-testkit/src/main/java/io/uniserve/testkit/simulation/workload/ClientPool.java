package io.uniserve.testkit.simulation.workload;

import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All clients: operations begin at random times whether or not earlier ones have ended. */
public final class ClientPool {
    private static final long MILLI = 1_000_000;
    private static final int OUTSTANDING_MAX = 64;

    private final EventQueue queue;
    private final Prng random;
    private final long meanGapNanos;
    private final List<ClientProcess> clients;
    private final Function<String, ClientProcess> maker;
    private boolean resting;
    private int made;
    private long pausedUntil;

    /** @param maker makes a client of this name */
    public ClientPool(
            EventQueue queue,
            Prng random,
            int meanGapMillis,
            List<ClientProcess> clients,
            Function<String, ClientProcess> maker) {
        this.queue = queue;
        this.random = random;
        this.meanGapNanos = meanGapMillis * MILLI;
        this.clients = new ArrayList<>(clients);
        this.made = clients.size();
        this.maker = maker;
    }

    /** Begins to work. */
    public void begin() {
        queue.after(random.below(2 * meanGapNanos), () -> {
            if (!resting) {
                ClientProcess client = random.pick(clients);
                if (client.outstanding() < OUTSTANDING_MAX && queue.now() >= pausedUntil) {
                    client.act();
                }
                begin();
            }
        });
    }

    /** One client dies and a new one comes in its place; false where the dead one had nothing under way. */
    public boolean crashOne(Prng choice) {
        ClientProcess victim = choice.pick(clients);
        boolean busy = victim.outstanding() > 0;
        victim.crash();
        clients.set(clients.indexOf(victim), maker.apply("k" + ++made));
        return busy;
    }

    /** Begins nothing for this long. */
    public void pause(long nanos) {
        pausedUntil = queue.now() + nanos;
    }

    /** Begins nothing more. */
    public void rest() {
        resting = true;
    }

    /** Works again after a rest that was longer than any pause between two operations. */
    public void resume() {
        resting = false;
        begin();
    }

    /** Operations without an end. */
    public int outstanding() {
        return clients.stream().mapToInt(ClientProcess::outstanding).sum();
    }

    /** Lets every client append to all actors and read them all. */
    public void probe(long deadlineNanos) {
        clients.forEach(client -> client.probe(deadlineNanos));
    }
}
