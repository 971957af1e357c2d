package io.uniserve.placement.policy.search;

import java.util.Arrays;

/** Conflicts that keep an actor from a server: replicas there of a set at its limit, or too little memory. */
final class PlacementConflictResolver {
    private final SearchState state;
    private int[] found = new int[16];

    PlacementConflictResolver(SearchState s) {
        this.state = s;
    }

    /** Counts the replicas that would have to leave the server. */
    int count(int actor, int server) {
        int n = 0;
        for (int q = 0; q < state.actorCountOn[server]; q++) {
            n += sharesFullSet(actor, state.actorsOn[server][q], server) ? 1 : 0;
        }
        return n == 0 && !state.hasRoom(actor, server) ? 1 : n;
    }

    /** Removes them. */
    int[] remove(int actor, int server) {
        int n = 0;
        for (int q = state.actorCountOn[server] - 1; q >= 0; q--) {
            int other = state.actorsOn[server][q];
            if (sharesFullSet(actor, other, server)) {
                found = n == found.length ? Arrays.copyOf(found, 2 * n) : found;
                found[n++] = other;
                state.drop(other, server);
            }
        }
        while (!state.hasRoom(actor, server) && state.actorCountOn[server] > 0) {
            int coldest = state.actorsOn[server][0];
            for (int q = 1; q < state.actorCountOn[server]; q++) {
                int other = state.actorsOn[server][q];
                if (state.loadOf[other][state.position(other, server)]
                        < state.loadOf[coldest][state.position(coldest, server)]) {
                    coldest = other;
                }
            }
            found = n == found.length ? Arrays.copyOf(found, 2 * n) : found;
            found[n++] = coldest;
            state.drop(coldest, server);
        }
        return Arrays.copyOf(found, n);
    }

    /** Puts the actor on the server and moves conflicting replicas. Returns false, without a change, if that does not help. */
    boolean forcePlacement(int actor, int server, GreedyInsertion greedyInsertion, Runnable settle) {
        int mark = state.savepoint();
        int homeless = state.actorsWithoutHost;
        double imbalance = state.imbalance();
        double contention = state.sets.contention();
        int[] away = remove(actor, server);
        if (state.mayHost(actor, server)) {
            state.add(actor, server);
            settle.run();
            for (int other : away) {
                greedyInsertion.place(other, 0);
            }
            settle.run();
            // An actor without a host has load on no server: that does not count as balance.
            boolean housed = state.actorsWithoutHost <= homeless;
            if (housed
                    && state.imbalance() < imbalance - state.epsilon
                    && state.sets.contention() <= contention * (1 + 1e-9)) {
                return true;
            }
        }
        state.rollback(mark);
        return false;
    }

    private boolean sharesFullSet(int i, int other, int server) {
        int[] a = state.sets.setsOf(i);
        int[] b = state.sets.setsOf(other);
        for (int x = 0, y = 0; x < a.length && y < b.length; ) {
            if (a[x] == b[y]) {
                if (state.sets.count(a[x], server) >= state.sets.limit[a[x]]) {
                    return true;
                }
                x++;
                y++;
            } else if (a[x] < b[y]) {
                x++;
            } else {
                y++;
            }
        }
        return false;
    }
}
