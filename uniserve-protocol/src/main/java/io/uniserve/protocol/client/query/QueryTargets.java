package io.uniserve.protocol.client.query;

import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.routing.RouteIndex;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The actors of a query, in ascending order, with lookup by number. */
final class QueryTargets {
    /** Maximum number of actors that an error lists. */
    private static final int DESCRIBED_MAX = 8;

    /** Targets of a query before its table is found. */
    static final QueryTargets NONE = new QueryTargets(new int[0], List.of());

    private final int[] actors;
    private final List<QueryTarget> slots;
    private int unresolved;

    private QueryTargets(int[] actors, List<QueryTarget> slots) {
        this.actors = actors;
        this.slots = slots;
        this.unresolved =
                (int) slots.stream().filter(slot -> !slot.isResolved()).count();
    }

    /** These targets, and all other actors that the query has by this map. Errors as for {@link QueryActors#numbers}. */
    QueryTargets withActors(Query query, TableRoute route) {
        int[] wanted = QueryActors.numbers(query, route);
        int[] all = actors.length == 0
                ? wanted
                : IntStream.concat(Arrays.stream(actors), Arrays.stream(wanted))
                        .sorted()
                        .distinct()
                        .toArray();
        QueryTarget[] made = new QueryTarget[all.length];
        for (int i = 0; i < made.length; i++) {
            int actor = all[i];
            made[i] = find(actor).orElseGet(() -> new QueryTarget(actor));
        }
        return new QueryTargets(all, List.of(made));
    }

    /** Sets the servers that the query prefers for these targets. */
    static void setPreferences(List<QueryTarget> targets, Query query, long replicaSeed, RouteIndex index) {
        targets.forEach(slot -> slot.setPreferences(query, replicaSeed));
        if (!query.colocated().tables().isEmpty()) {
            index.colocatedServers(query.table(), query.colocated())
                    .ifPresent(common ->
                            targets.forEach(slot -> slot.preferredServers = common.getOrDefault(slot.actor, Set.of())));
        }
    }

    /** Time of the first retry of a parked target, or this time if it is earlier. */
    long nextRetry(long latestNanos) {
        long due = latestNanos;
        for (QueryTarget slot : slots) {
            if (slot.isParked() && slot.retryAtNanos - due < 0) {
                due = slot.retryAtNanos;
            }
        }
        return due;
    }

    /** Returns whether the target is one of these. */
    boolean has(QueryTarget slot) {
        return find(slot.actor).isPresent();
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
