package io.uniserve.protocol.client.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The actors that a query asks by a table's map. */
public final class QueryActors {
    private QueryActors() {}

    /**
     * The chosen actors, or all, ascending. Fails with INVALID_ARGUMENT if an actor is chosen twice or does not exist. If a TIME table lacks
     * one, it fails with STALE_EPOCH, because a newer map may have it. Chosen actors of expired chunks are left out: they have no rows.
     */
    public static int[] numbers(Query query, TableRoute route) {
        Optional<List<Integer>> chosen =
                query.choice().map(choice -> choice.apply(route)).or(query::actors);
        TableMap map = route.map();
        if (chosen.isEmpty()) {
            int[] all = new int[map.actors().size()];
            Arrays.setAll(all, i -> map.actors().get(i).actor());
            return all;
        }
        List<Integer> wanted = chosen.get().stream()
                .filter(actor -> map.has(actor) || !isExpired(route, actor))
                .toList();
        int[] sorted = new int[wanted.size()];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = wanted.get(i);
        }
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            if (!map.has(sorted[i])) {
                String message = "actor " + sorted[i] + " does not exist: the table has " + map.describeNumbers();
                throw route.meta().partitioner() instanceof Partitioner.Time
                        ? new UniserveException(ErrorCode.STALE_EPOCH, message + " in this map")
                        : UniserveException.invalid(message);
            }
            if (i > 0 && sorted[i] == sorted[i - 1]) {
                throw UniserveException.invalid("actor " + sorted[i] + " is listed twice");
            }
        }
        return sorted;
    }

    /** True if the map lacks the actor because its chunk is expired. */
    public static boolean isExpired(TableRoute route, int actor) {
        return actor >= 0
                && !route.map().has(actor)
                && route.map().isExpired(route.meta().partitioner(), actor);
    }
}
