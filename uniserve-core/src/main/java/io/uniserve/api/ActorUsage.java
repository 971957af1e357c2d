package io.uniserve.api;

import java.util.HashMap;
import java.util.Map;

/**
 * Resource use of an actor or of a view: rows, bytes of memory, bytes of disk. Immutable. Placement and the status command use it.
 *
 * <pre>{@code
 * public ActorUsage usage() {
 *     return new ActorUsage(rows.size(), bytesInMemory, 0);
 * }
 * }</pre>
 *
 * @param rows published rows
 * @param memoryBytes bytes on and off the heap
 * @param diskBytes bytes of files in the scratch directory
 */
public record ActorUsage(long rows, long memoryBytes, long diskBytes) {
    /**
     * Estimates the use of a {@link io.uniserve.api.extra.SnapshotActor}'s view that shares immutable parts, such as segments, with its
     * actor. It counts the disk space of parts that only the view still holds.
     *
     * @param rows of the view
     * @param bytes of the actor on disk
     * @param parts sizes of the view's parts, in any unit, by a key that actor and view share
     * @param now sizes of the actor's current parts, in the same unit, by the same keys
     */
    public static ActorUsage ofView(long rows, long bytes, Map<?, Integer> parts, Map<?, Integer> now) {
        long all = now.values().stream().mapToLong(size -> size).sum();
        Map<Object, Integer> alone = new HashMap<>(parts);
        alone.keySet().removeAll(now.keySet());
        double sum = alone.values().stream().mapToLong(size -> size).sum();
        return new ActorUsage(rows, 0, (long) (bytes * sum / Math.max(1, all)));
    }
}
