package io.uniserve.port.druid.query;

import io.uniserve.model.Partitioner;
import io.uniserve.port.druid.segment.TableSchema;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.joda.time.Interval;

/**
 * Actors of a TIME table that a query asks: those whose chunks overlap its intervals. All other actors have no rows in these intervals.
 *
 * @param actors actors whose chunks overlap an interval
 * @param others range of the chunks of all other actors; a query's empty time buckets depend on the first and last row of the table
 */
record ChunkSelection(Set<Integer> actors, TimeRange others) {
    /** Selects among the live actors of a table. */
    static ChunkSelection of(
            Collection<Integer> live, Partitioner.Time time, TableSchema schema, List<Interval> intervals) {
        TreeSet<Integer> actors = new TreeSet<>();
        TimeRange others = TimeRange.EMPTY;
        for (int actor : live) {
            // A queryGranularity that is longer than a chunk stores rows before the start of their chunk.
            int ordinal = time.ordinalOf(actor);
            long first = schema.firstStoredTime(time.chunks().start(ordinal));
            long end = time.chunks().end(ordinal);
            boolean asked = intervals.stream()
                    .anyMatch(interval -> interval.getStartMillis() < end && interval.getEndMillis() > first);
            if (asked) {
                actors.add(actor);
            } else {
                others = others.plus(new TimeRange(first, end - 1));
            }
        }
        return new ChunkSelection(actors, others);
    }
}
