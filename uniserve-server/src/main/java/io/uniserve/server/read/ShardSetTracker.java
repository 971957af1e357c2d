package io.uniserve.server.read;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import io.uniserve.stats.SpaceSavingSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Statistics of the sets of actors that queries read together, from sampled requests, in bounded memory. Counts have a half-life of
 * one minute. Thread-safe.
 */
public final class ShardSetTracker {
    private static final long HALF_LIFE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record Key(long tableId, List<Integer> actors) {}

    private final Clock clock;
    private final SpaceSavingSketch<Key> sketch = new SpaceSavingSketch<>(Limits.SHARD_SET_COUNTERS);
    private long since;
    private double secondsBefore;

    /** Creates empty statistics. */
    public ShardSetTracker(Clock clock) {
        this.clock = clock;
        since = clock.nanos();
    }

    /** Counts the set of a sampled query. */
    public void record(long tableId, List<Integer> actors) {
        synchronized (sketch) {
            decay();
            sketch.add(new Key(tableId, actors), Limits.SHARD_SET_SAMPLE);
        }
    }

    /** Returns the most frequent sets. */
    public List<PopularSet> top() {
        List<PopularSet> told = new ArrayList<>();
        synchronized (sketch) {
            decay();
            double seconds = Math.max(1, secondsBefore + secondsSince());
            for (SpaceSavingSketch.Entry<Key> entry : sketch.top(Limits.SHARD_SETS_TOLD_MAX)) {
                Key key = entry.key();
                told.add(new PopularSet(key.tableId(), key.actors(), entry.count() / seconds, entry.error() / seconds));
            }
        }
        return told;
    }

    private double secondsSince() {
        return (clock.nanos() - since) / 1e9;
    }

    private void decay() {
        for (int n = 0; clock.nanos() - since >= HALF_LIFE_NANOS; n++) {
            if (n == Long.SIZE) {
                since = clock.nanos(); // idle for so long that all counts are zero
                secondsBefore = 0;
                return;
            }
            sketch.halve();
            secondsBefore = (secondsBefore + HALF_LIFE_NANOS / 1e9) / 2;
            since += HALF_LIFE_NANOS;
        }
    }
}
