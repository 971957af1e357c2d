package io.uniserve.protocol.client.query;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;

/**
 * Proof that a query of a TIME table covers each chunk with a row that was acknowledged before the query (docs/protocol.md, section 6.6). One
 * reply of a server suffices: no such chunk is in a later generation than the server's map. A query without actors asks a server for the
 * generation in ZooKeeper instead. If the generation is later than that of the query's map, the query waits for a newer map and continues
 * with the chunks that it lacks.
 *
 * <p>Needed in no mode STALE, and not for actors that the caller has chosen by itself: the caller compares generations then. Not thread-safe.
 */
public final class ChunkCoverage {
    private static final long CONFIRM_NANOS = 1_000_000_000L;
    private static final long PAUSE_NANOS_MIN = 5_000_000;

    private final ClientContext env;
    private final Query query;
    private final boolean inSession;
    private final Runnable again;
    private boolean needed;
    private long tableId;
    private long generation;
    private long seen;
    private boolean confirmed;
    private boolean waiting;
    private boolean stopped;
    private int rounds;
    private String lastFailure = "";
    private Timers.Cancel wait = () -> {};

    /** @param again continues the query with the newest map, or ends it */
    public ChunkCoverage(ClientContext env, Query query, boolean inSession, Runnable again) {
        this.env = env;
        this.query = query;
        this.inSession = inSession;
        this.again = again;
    }

    /** Sets the map that the query's actors are from. */
    public void onMap(TableRoute route) {
        boolean chosen = query.actors().isPresent() && query.choice().isEmpty();
        needed = route.meta().partitioner() instanceof Partitioner.Time && query.mode() != ReadMode.STALE && !chosen;
        tableId = route.meta().tableId();
        generation = route.map().generation();
    }

    /** Records the generation in a reply; 0 if it has none. */
    public void onReply(long generationOfServer) {
        seen = Math.max(seen, generationOfServer);
    }

    /** The latest generation in a reply, 0 for none. */
    public long seenGeneration() {
        return seen;
    }

    /** Returns whether the proof exists. Else the query continues later. */
    public boolean isProven() {
        if (!needed || !isStale() && (confirmed || seen > 0 || inSession)) {
            return true;
        }
        if (waiting || stopped) {
            return false;
        }
        if (isStale()) {
            refresh("no server sent the map of generation " + seen);
        } else {
            confirm();
        }
        return false;
    }

    private boolean isStale() {
        return seen > generation;
    }

    /** Continues the query after the next map, or after a pause. */
    public void refresh(String reason) {
        wait.cancel();
        waiting = true;
        lastFailure = reason;
        Timers.Cancel change = env.routing().onChange(this::resume);
        Timers.Cancel pause = env.timers().after(pauseNanos(), this::resume);
        wait = () -> {
            change.cancel();
            pause.cancel();
        };
        env.routing().refresh(outcome -> {});
    }

    private long pauseNanos() {
        return Math.max(PAUSE_NANOS_MIN, env.state().settings().backoffNanos(rounds++));
    }

    private void resume() {
        wait.cancel();
        wait = () -> {};
        if (!stopped && waiting) {
            waiting = false;
            again.run();
        }
    }

    private void confirm() {
        List<ServerRecord> servers = env.routing().current().routing().servers();
        if (servers.isEmpty()) {
            refresh("no live server is known");
            return;
        }
        waiting = true;
        int place = Math.floorMod(env.ids().next(), servers.size());
        Address server = servers.get(place).address();
        env.network().requestChunkGeneration(server, query.table(), CONFIRM_NANOS, outcome -> {
            if (!stopped) {
                onConfirmed(server, outcome);
            }
        });
    }

    private void onConfirmed(Address server, Outcome<ConsistentSnapshot> outcome) {
        if (outcome instanceof Outcome.Err<ConsistentSnapshot>) {
            UniserveException error = outcome.error();
            refresh("server " + server + " did not confirm the map: " + error.code() + " " + error.reason());
            return;
        }
        boolean same = outcome.value().tables().size() == 1
                && outcome.value().tables().get(0).tableId() == tableId;
        if (!same) {
            refresh("the table was replaced");
            return;
        }
        seen = Math.max(seen, outcome.value().tables().get(0).generation());
        confirmed = true;
        waiting = false;
        again.run();
    }

    /** Number of times that the query has waited for another map. */
    public int rounds() {
        return rounds;
    }

    /** Why the query waits, for an error; empty if it does not. */
    public String describe() {
        return waiting ? "; " + lastFailure : "";
    }

    public void stop() {
        stopped = true;
        wait.cancel();
    }
}
