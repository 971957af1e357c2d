package io.uniserve.placement;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Placement policy that spreads a new table by counting.
 *
 * <p>Goals, the most important first: (1) replicas of one actor are on different servers; (2) they are in different zones as long as there
 * are unused zones; (3) primaries are even over servers; (4) replicas are even over servers; (5) the followers of one server's primaries
 * are spread, so that its failure adds a little load to all others instead of much to one.
 *
 * <p>Algorithm: greedy, actor by actor. The primary goes to the server with the fewest primaries, then the fewest replicas. Each further
 * replica goes to a server of an unused zone, or of any zone once all are used. Among these it takes the one with the fewest replicas, then
 * with the fewest actors shared with this primary. Ties go to the smaller id, so the result depends only on the arguments. Cost: actors x
 * rf x servers.
 *
 * <p>Example: servers A B C D, rf 2, four actors give A+B, C+D, B+A, D+C for two zones {A,C} {B,D}: two replicas and one primary each.
 */
public final class InitialPlacementPolicy implements PlacementPolicy {
    @Override
    public List<List<ServerId>> place(int actors, int rf, List<ServerView> servers) {
        if (rf < 1 || rf > servers.size()) {
            throw UniserveException.invalid("rf is " + rf + ": use 1 to " + servers.size() + ", the number of servers");
        }
        List<Slot> slots = new ArrayList<>();
        for (ServerView server : servers) {
            slots.add(new Slot(server));
        }
        List<List<ServerId>> placed = new ArrayList<>(actors);
        for (int actor = 0; actor < actors; actor++) {
            placed.add(placeActor(rf, slots));
        }
        return placed;
    }

    private static List<ServerId> placeActor(int rf, List<Slot> slots) {
        Slot primary =
                min(slots, Comparator.<Slot>comparingInt(s -> s.primaries).thenComparingInt(s -> s.replicas));
        primary.primaries++;
        primary.replicas++;
        List<ServerId> servers = new ArrayList<>(List.of(primary.id));
        Set<String> zones = new TreeSet<>(Set.of(primary.zone));
        while (servers.size() < rf) {
            List<Slot> free =
                    slots.stream().filter(s -> !servers.contains(s.id)).toList();
            List<Slot> elsewhere =
                    free.stream().filter(s -> !zones.contains(s.zone)).toList();
            Slot next = min(
                    elsewhere.isEmpty() ? free : elsewhere,
                    Comparator.<Slot>comparingInt(s -> s.replicas)
                            .thenComparingInt(s -> s.sharedActors.getOrDefault(primary.id, 0)));
            next.replicas++;
            next.sharedActors.merge(primary.id, 1, Integer::sum);
            servers.add(next.id);
            zones.add(next.zone);
        }
        return servers;
    }

    @Override
    public Optional<ServerId> replacement(List<ServerView> candidates, List<ServerView> holders) {
        Set<String> used = holders.stream().map(ServerView::zone).collect(Collectors.toCollection(TreeSet::new));
        return candidates.stream()
                .min(Comparator.<ServerView, Boolean>comparing(c -> used.contains(c.zone()))
                        .thenComparingInt(ServerView::replicas)
                        .thenComparing(ServerView::id))
                .map(ServerView::id);
    }

    private static Slot min(List<Slot> slots, Comparator<Slot> order) {
        return slots.stream().min(order.thenComparing(s -> s.id)).orElseThrow();
    }

    /** Server with its replicas so far. */
    private static final class Slot {
        final ServerId id;
        final String zone;
        final Map<ServerId, Integer> sharedActors = new TreeMap<>();
        int primaries;
        int replicas;

        Slot(ServerView view) {
            id = view.id();
            zone = view.zone();
            primaries = view.primaries();
            replicas = view.replicas();
        }
    }
}
