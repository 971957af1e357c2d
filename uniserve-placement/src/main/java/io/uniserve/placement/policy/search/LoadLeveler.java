package io.uniserve.placement.policy.search;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Leveler that moves whole actors from servers above their tolerance to those with most room, hot ones first, as long as no actor must be
 * split. {@link RepairHeuristic} handles the rest. On large clusters with many moves this is by far faster.
 */
final class LoadLeveler {
    /** Number of servers that are tried per actor. */
    private static final int TRIES = 16;

    private final SearchState s;
    private final int[] needed;
    private final PriorityQueue<FreeLoad> rooms = new PriorityQueue<>(
            Comparator.comparingDouble((FreeLoad r) -> -r.load).thenComparingInt(r -> r.server));

    private record FreeLoad(int server, double load) {}

    LoadLeveler(SearchState s, int[] needed) {
        this.s = s;
        this.needed = needed;
    }

    void level() {
        double[] over = new double[s.servers];
        for (int j = 0; j < s.servers; j++) {
            over[j] = s.overload(j);
            if (s.serverLoad[j] < s.high[j]) {
                rooms.add(new FreeLoad(j, s.high[j] - s.serverLoad[j]));
            }
        }
        for (int j : IndexSorter.descending(over)) {
            if (s.overload(j) <= s.epsilon) {
                return;
            }
            relieve(j);
        }
    }

    private void relieve(int j) {
        double[] loads = new double[s.actorCountOn[j]];
        int[] actors = new int[s.actorCountOn[j]];
        for (int q = 0; q < actors.length; q++) {
            actors[q] = s.actorsOn[j][q];
            loads[q] = s.hosts[actors[q]] == 1 && needed[actors[q]] == 1 ? s.load[actors[q]] : 0;
        }
        for (int q : IndexSorter.descending(loads)) {
            if (loads[q] <= s.epsilon || s.overload(j) <= s.epsilon) {
                return;
            }
            if (s.serverLoad[j] - loads[q] >= s.low[j]) {
                move(actors[q], j);
            }
        }
    }

    private void move(int i, int from) {
        FreeLoad[] asked = new FreeLoad[TRIES];
        int n = 0;
        while (n < TRIES && !rooms.isEmpty() && rooms.peek().load >= s.load[i]) {
            FreeLoad room = rooms.remove();
            int to = room.server;
            if (s.mayHost(i, to)) {
                s.drop(i, from);
                s.add(i, to);
                s.setFlow(i, to, s.load[i]);
                rooms.add(new FreeLoad(to, s.high[to] - s.serverLoad[to]));
                break;
            }
            asked[n++] = room;
        }
        for (int a = 0; a < n; a++) {
            rooms.add(asked[a]);
        }
    }
}
