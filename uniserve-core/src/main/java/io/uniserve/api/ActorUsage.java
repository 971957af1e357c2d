package io.uniserve.api;

import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** What an actor takes: rows, bytes of memory, bytes of disk. */
public record ActorUsage(long rows, long memoryBytes, long diskBytes) {
    /**
     * Of a {@link SnapshotActor}'s view that shares parts, such as segments, with the actor: what of its parts the actor has no
     * more, on disk.
     *
     * @param bytes of the actor
     * @param parts the view's
     * @param now the actor's
     * @param identity what a part that both have has in common
     * @param size of a part, in any unit
     */
    public static <P> ActorUsage ofView(
            long rows,
            long bytes,
            Collection<P> parts,
            Collection<P> now,
            Function<P, Object> identity,
            ToLongFunction<P> size) {
        long all = now.stream().mapToLong(size).sum();
        Set<Object> shared = now.stream().map(identity).collect(Collectors.toSet());
        double alone = parts.stream()
                .filter(part -> !shared.contains(identity.apply(part)))
                .mapToLong(size)
                .sum();
        return new ActorUsage(rows, 0, (long) (bytes * alone / Math.max(1, all)));
    }
}
