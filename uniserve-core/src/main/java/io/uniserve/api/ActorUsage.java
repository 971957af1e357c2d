package io.uniserve.api;

import java.util.HashMap;
import java.util.Map;

/** What an actor takes: rows, bytes of memory, bytes of disk. */
public record ActorUsage(long rows, long memoryBytes, long diskBytes) {
    /**
     * Of a {@link SnapshotActor}'s view that shares parts, such as segments, with the actor: what of its parts the actor has no
     * more, on disk.
     *
     * @param bytes of the actor
     * @param parts the size of each of the view's, in any unit, by what it is known by in both
     * @param now those of the actor
     */
    public static ActorUsage ofView(long rows, long bytes, Map<?, Integer> parts, Map<?, Integer> now) {
        long all = now.values().stream().mapToLong(size -> size).sum();
        Map<Object, Integer> alone = new HashMap<>(parts);
        alone.keySet().removeAll(now.keySet());
        double sum = alone.values().stream().mapToLong(size -> size).sum();
        return new ActorUsage(rows, 0, (long) (bytes * sum / Math.max(1, all)));
    }
}
