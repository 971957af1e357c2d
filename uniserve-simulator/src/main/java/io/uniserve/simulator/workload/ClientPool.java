package io.uniserve.simulator.workload;

import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Pool of all clients. Operations start at random times, independent of the end of earlier ones. */
public final class ClientPool {
    private static final long MILLI = 1_000_000;
    private static final int OUTSTANDING_MAX = 64;

    private final EventQueue queue;
    private final Prng random;
    private final long meanGapNanos;
    private final List<ClientProcess> clients;
    private final Function<String, ClientProcess> maker;
    private boolean stopped;
    private int made;
    private long pausedUntil;

    /** @param maker factory of a client with this name */
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

    /** Starts the operations. */
    public void begin() {
        queue.after(random.below(2 * meanGapNanos), () -> {
            if (!stopped) {
                ClientProcess client = random.pick(clients);
                if (client.outstanding() < OUTSTANDING_MAX && queue.now() >= pausedUntil) {
                    client.startOperation();
                }
                begin();
            }
        });
    }

    /** Crashes one client and replaces it by a new one; false if it had no operation under way. */
    public boolean crashOne(Prng choice) {
        ClientProcess victim = choice.pick(clients);
        boolean busy = victim.outstanding() > 0;
        victim.crash();
        clients.set(clients.indexOf(victim), maker.apply("k" + ++made));
        return busy;
    }

    /** Starts no operation for this time. */
    public void pause(long nanos) {
        pausedUntil = queue.now() + nanos;
    }

    /** Starts no more operations. */
    public void stop() {
        stopped = true;
    }

    /** Starts operations again. The pause must have been longer than any delay between two operations. */
    public void resume() {
        stopped = false;
        begin();
    }

    /** Number of operations under way. */
    public int outstanding() {
        return clients.stream().mapToInt(ClientProcess::outstanding).sum();
    }

    /** Makes every client append to all actors and read them all. */
    public void probe(long deadlineNanos) {
        clients.forEach(client -> client.probe(deadlineNanos));
    }
}
