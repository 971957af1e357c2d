package io.uniserve.port.druid.query;

import io.uniserve.model.Partitioner;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.joda.time.Interval;

/**
 * Actors of a TIME table that a query of some intervals asks. All other actors have rows outside of these intervals only.
 *
 * @param actors actors whose chunks overlap an interval
 * @param others times of the chunks of all other actors, as time buckets depend on the first and last row of the table
 */
record ChunkSelection(Set<Integer> actors, TimeRange others) {
    /** Selects among the live actors of a table. */
    static ChunkSelection of(Collection<Integer> live, Partitioner.Time time, List<Interval> intervals) {
        TreeSet<Integer> actors = new TreeSet<>();
        TimeRange others = TimeRange.EMPTY;
        for (int actor : live) {
            boolean asked = intervals.stream()
                    .anyMatch(interval -> time.overlaps(actor, interval.getStartMillis(), interval.getEndMillis()));
            if (asked) {
                actors.add(actor);
            } else {
                int ordinal = time.ordinalOf(actor);
                others = others.plus(new TimeRange(
                        time.chunks().start(ordinal), time.chunks().end(ordinal) - 1));
            }
        }
        return new ChunkSelection(actors, others);
    }
}
