package io.uniserve.api;

import java.util.Map;

/** What an actor takes: rows, bytes of memory, bytes of disk. */
public record ActorUsage(long rows, long memoryBytes, long diskBytes) {
    /**
     * Of a {@link SnapshotActor}'s view that shares parts, such as segments, with the actor: what of its parts the actor has no
     * more, on disk.
     *
     * @param bytes of the actor
     * @param parts the view's, by identity, with their size in any unit
     * @param now the actor's
     */
    public static ActorUsage ofView(long rows, long bytes, Map<Object, Integer> parts, Map<Object, Integer> now) {
        long all = now.values().stream().mapToLong(Integer::longValue).sum();
        double alone = 0;
        for (Map.Entry<Object, Integer> part : parts.entrySet()) {
            alone += now.containsKey(part.getKey()) ? 0 : part.getValue();
        }
        return new ActorUsage(rows, 0, (long) (bytes * alone / Math.max(1, all)));
    }
}
