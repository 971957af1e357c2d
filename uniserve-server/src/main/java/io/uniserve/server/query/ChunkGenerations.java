package io.uniserve.server.query;

import io.uniserve.model.TableName;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * Chunk generations of the TIME tables that one attempt of a plan reads: those of the maps by which actors were chosen, and those of the
 * servers that answered. If a server had a later one, the plan may lack a chunk, and is attempted again. Used by the planner's thread only.
 */
final class ChunkGenerations {
    private final Map<TableName, Long> chosen = new TreeMap<>();
    private final Map<TableName, Long> seen = new TreeMap<>();
    /** Watermark of the map before the first read of an atomic table. */
    private final Map<TableName, Integer> watermarks = new TreeMap<>();

    private final Map<TableName, Integer> reads = new TreeMap<>();

    /** Records that actors of a table were chosen by a map of this generation. The first one counts. */
    void onChosen(TableName table, long generation) {
        chosen.putIfAbsent(table, generation);
    }

    /** Records the generation of a server that has answered; 0 for none. */
    void onRead(TableName table, long generation) {
        seen.merge(table, generation, Math::max);
    }

    /** Tables with chosen actors that no server with a generation has answered for. */
    List<TableName> unconfirmed() {
        return chosen.keySet().stream()
                .filter(table -> seen.getOrDefault(table, 0L) == 0)
                .toList();
    }

    /** Records the generation in ZooKeeper. */
    void onConfirmed(TableName table, long generation) {
        seen.merge(table, Math.max(generation, chosen.getOrDefault(table, 0L)), Math::max);
    }

    /** Tables with actors chosen by a map that is not the newest. */
    Set<TableName> stale() {
        Set<TableName> tables = new TreeSet<>();
        chosen.forEach((table, generation) -> {
            if (seen.getOrDefault(table, 0L) > generation) {
                tables.add(table);
            }
        });
        return tables;
    }

    /** Records that a read of an atomic table starts, when the map has this watermark. */
    void onVersionedRead(TableName table, int watermark) {
        watermarks.putIfAbsent(table, watermark);
        reads.merge(table, 1, Integer::sum);
    }

    /**
     * Atomic tables of which a chunk has expired since the first of several reads. The later reads may lack a chunk that an earlier one had.
     *
     * @param current watermark of the table's newest map
     */
    Set<TableName> expired(ToIntFunction<TableName> current) {
        Set<TableName> tables = new TreeSet<>();
        watermarks.forEach((table, watermark) -> {
            if (reads.getOrDefault(table, 0) > 1 && current.applyAsInt(table) > watermark) {
                tables.add(table);
            }
        });
        return tables;
    }

    /** Forgets everything, for another attempt. */
    void clear() {
        chosen.clear();
        watermarks.clear();
        reads.clear();
        seen.clear();
    }
}
