package io.uniserve.benchmark.shardsets;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counters of the changes between successive maps of a table: replicas that moved, copies made and dropped, and changed shares of queries.
 * A move is a server that replaces another one. Not thread-safe.
 */
final class PlacementChanges {
    private final TreeMap<Integer, Set<ServerId>> servers = new TreeMap<>();
    private final TreeMap<Integer, Map<ServerId, Double>> weights = new TreeMap<>();
    private int moves;
    private int copies;
    private int drops;
    private int shares;
    private boolean isSettled = true;

    /** Takes the newest map. Returns true if it differs from the one before; the first one never does. */
    boolean observe(List<ActorState> actors) {
        int before = moves + copies + drops + shares;
        isSettled = true;
        for (ActorState actor : actors) {
            isSettled &= actor.isOnDesiredServers();
            Set<ServerId> now = new HashSet<>(actor.desiredServers());
            Set<ServerId> old = servers.put(actor.actor(), now);
            if (old != null) {
                count(old, now);
            }
            Map<ServerId, Double> oldWeights = weights.put(actor.actor(), Map.copyOf(actor.weights()));
            if (now.equals(old) && oldWeights != null && !oldWeights.equals(actor.weights())) {
                shares++;
            }
        }
        return moves + copies + drops + shares > before;
    }

    private void count(Set<ServerId> old, Set<ServerId> now) {
        int added = (int) now.stream().filter(server -> !old.contains(server)).count();
        int removed = (int) old.stream().filter(server -> !now.contains(server)).count();
        moves += Math.min(added, removed);
        copies += Math.max(0, added - removed);
        drops += Math.max(0, removed - added);
    }

    /** True if the newest map has every replica where it shall be. */
    boolean isSettled() {
        return isSettled;
    }

    int moves() {
        return moves;
    }

    int copies() {
        return copies;
    }

    int drops() {
        return drops;
    }

    int shares() {
        return shares;
    }
}
