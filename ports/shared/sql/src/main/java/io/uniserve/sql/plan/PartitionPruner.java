package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Partition pruning: the actors that can have rows, given conditions on the table's key. */
public final class PartitionPruner {
    private PartitionPruner() {}

    /**
     * Returns the actors that can have rows.
     *
     * @param side the table's conditions; only those on the key matter
     */
    public static Set<Integer> actors(TableMeta meta, FragmentedPlan.Side side, List<Integer> asked) {
        List<String> values = side.constants().get(meta.keyField());
        if (values != null && !(meta.partitioner() instanceof Partitioner.Time)) {
            return actorsOfValues(meta, values, asked);
        }
        ColumnRange columnRange = side.ranges().get(meta.keyField());
        return columnRange != null && meta.partitioner() instanceof Partitioner.Range range
                ? notEmpty(actorsInRange(range, columnRange), asked)
                : new TreeSet<>(asked);
    }

    /** Returns the actors of a range. In a range-partitioned table actors are in the order of their numbers. */
    private static Set<Integer> actorsInRange(Partitioner.Range range, ColumnRange columnRange) {
        BigInteger least = BigInteger.valueOf(Long.MIN_VALUE);
        BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);
        BigInteger low = columnRange.low().orElse(least).max(least);
        BigInteger high = columnRange.high().orElse(most).min(most);
        return low.compareTo(high) > 0
                ? new TreeSet<>()
                : IntStream.rangeClosed(actorOfValue(range, low), actorOfValue(range, high))
                        .boxed()
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    private static int actorOfValue(Partitioner.Range range, BigInteger value) {
        return range.actorOf(new PartitionKey.Number(value.longValueExact()));
    }

    private static Set<Integer> actorsOfValues(TableMeta meta, List<String> values, List<Integer> asked) {
        ColumnSchema columns = ColumnSchema.of(meta);
        Set<Integer> actors = new TreeSet<>();
        for (String value : values) {
            try {
                actors.add(meta.partitioner()
                        .actorOf(columns.parseRow(meta.keyField(), List.of(meta.keyField()), List.of(value))
                                .partitionKey()));
            } catch (UniserveException e) {
                // The value cannot be a key, so the engine must compare it.
                return new TreeSet<>(asked);
            }
        }
        return notEmpty(actors, asked);
    }

    /** Returns the intersection with the called actors. At least one actor is called, so that there is an answer, if only an empty one. */
    private static Set<Integer> notEmpty(Set<Integer> actors, List<Integer> asked) {
        actors.retainAll(asked);
        return actors.isEmpty() ? new TreeSet<>(asked.subList(0, Math.min(1, asked.size()))) : actors;
    }
}
