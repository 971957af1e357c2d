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

    private final SearchState state;
    private final int[] needed;
    private final PriorityQueue<FreeLoad> serversByFreeLoad = new PriorityQueue<>(
            Comparator.comparingDouble((FreeLoad r) -> -r.load).thenComparingInt(r -> r.server));

    private record FreeLoad(int server, double load) {}

    LoadLeveler(SearchState s, int[] needed) {
        this.state = s;
        this.needed = needed;
    }

    void level() {
        double[] over = new double[state.servers];
        for (int j = 0; j < state.servers; j++) {
            over[j] = state.overload(j);
            if (state.serverLoad[j] < state.high[j]) {
                serversByFreeLoad.add(new FreeLoad(j, state.high[j] - state.serverLoad[j]));
            }
        }
        for (int j : IndexSorter.descending(over)) {
            if (state.overload(j) <= state.epsilon) {
                return;
            }
            relieve(j);
        }
    }

    private void relieve(int j) {
        double[] loads = new double[state.actorCountOn[j]];
        int[] actors = new int[state.actorCountOn[j]];
        for (int q = 0; q < actors.length; q++) {
            actors[q] = state.actorsOn[j][q];
            loads[q] = state.hosts[actors[q]] == 1 && needed[actors[q]] == 1 ? state.load[actors[q]] : 0;
        }
        for (int q : IndexSorter.descending(loads)) {
            if (loads[q] <= state.epsilon || state.overload(j) <= state.epsilon) {
                return;
            }
            if (state.serverLoad[j] - loads[q] >= state.low[j]) {
                move(actors[q], j);
            }
        }
    }

    private void move(int i, int from) {
        FreeLoad[] asked = new FreeLoad[TRIES];
        int n = 0;
        while (n < TRIES && !serversByFreeLoad.isEmpty() && serversByFreeLoad.peek().load >= state.load[i]) {
            FreeLoad room = serversByFreeLoad.remove();
            int to = room.server;
            if (state.mayHost(i, to)) {
                state.drop(i, from);
                state.add(i, to);
                state.setFlow(i, to, state.load[i]);
                serversByFreeLoad.add(new FreeLoad(to, state.high[to] - state.serverLoad[to]));
                break;
            }
            asked[n++] = room;
        }
        for (int a = 0; a < n; a++) {
            serversByFreeLoad.add(asked[a]);
        }
    }
}
