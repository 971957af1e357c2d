package io.uniserve.protocol.client.query;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The actors of a query, in ascending order, with lookup by number. */
final class QueryTargets {
    /** Maximum number of actors that an error lists. */
    private static final int DESCRIBED_MAX = 8;

    /** Targets of a query before its table is found. */
    static final QueryTargets NONE = new QueryTargets(new int[0]);

    private final int[] actors;
    private final List<QueryTarget> slots;
    private int unresolved;

    private QueryTargets(int[] actors) {
        this.actors = actors;
        QueryTarget[] made = new QueryTarget[actors.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = new QueryTarget(actors[i]);
        }
        this.slots = List.of(made);
        this.unresolved = actors.length;
    }

    /**
     * The chosen actors, or all. Fails with INVALID_ARGUMENT if an actor is chosen twice or does not exist. Chosen actors of expired chunks
     * are left out: they have no rows.
     */
    static QueryTargets of(Optional<List<Integer>> chosen, TableRoute route) {
        TableMap map = route.map();
        if (chosen.isEmpty()) {
            int[] all = new int[map.actors().size()];
            Arrays.setAll(all, i -> map.actors().get(i).actor());
            return new QueryTargets(all);
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
                throw UniserveException.invalid(
                        "actor " + sorted[i] + " does not exist: the table has " + map.describeNumbers());
            }
            if (i > 0 && sorted[i] == sorted[i - 1]) {
                throw UniserveException.invalid("actor " + sorted[i] + " is listed twice");
            }
        }
        return new QueryTargets(sorted);
    }

    /** True if the map lacks the actor because its chunk is expired. */
    static boolean isExpired(TableRoute route, int actor) {
        return actor >= 0
                && !route.map().has(actor)
                && route.map().isExpired(route.meta().partitioner(), actor);
    }

    List<QueryTarget> all() {
        return slots;
    }

    /**
     * All actors, if this is the first request of a query that is sampled for statistics and has several actors but not too many; else
     * empty.
     */
    List<Integer> sample(long lot, int request) {
        boolean drawn = request == 1 && Math.floorMod(lot, Limits.SHARD_SET_SAMPLE) == 0;
        return drawn && actors.length > 1 && actors.length <= Limits.SHARD_SET_ACTORS_MAX
                ? Arrays.stream(actors).boxed().toList()
                : List.of();
    }

    List<QueryTarget> unresolved() {
        return slots.stream().filter(slot -> !slot.isResolved()).toList();
    }

    Optional<QueryTarget> find(int actor) {
        if (actor >= 0 && actor < actors.length && actors[actor] == actor) {
            return Optional.of(slots.get(actor));
        }
        int at = Arrays.binarySearch(actors, actor);
        return at < 0 ? Optional.empty() : Optional.of(slots.get(at));
    }

    void resolve(QueryTarget slot) {
        slot.resolve();
        unresolved--;
    }

    boolean isComplete() {
        return unresolved == 0;
    }

    /** The number of actors without an answer, and the first of them, for an error. */
    String describeUnresolved() {
        List<QueryTarget> open = unresolved();
        List<String> first = open.stream()
                .limit(DESCRIBED_MAX)
                .map(slot -> String.valueOf(slot.actor))
                .toList();
        return open.size() + " actors " + first + (open.size() > DESCRIBED_MAX ? " and others" : "");
    }

    /** The last failure of the first actor without an answer, for an error; empty if it has not failed. */
    String lastFailure() {
        List<QueryTarget> open = unresolved();
        if (open.isEmpty() || (open.get(0).attempts > 0 && !open.get(0).failedOnce)) {
            return "";
        }
        return "; the last failure: " + open.get(0).lastCode + " " + open.get(0).lastMessage;
    }
}
