package io.uniserve.placement.policy.search;

import java.util.Arrays;

/** Conflicts that keep an actor from a server: replicas there of a set at its limit, or too little memory. */
final class PlacementConflictResolver {
    private final SearchState s;
    private int[] found = new int[16];

    PlacementConflictResolver(SearchState s) {
        this.s = s;
    }

    /** Counts the replicas that would have to leave the server. */
    int count(int actor, int server) {
        int n = 0;
        for (int q = 0; q < s.actorCountOn[server]; q++) {
            n += sharesFullSet(actor, s.actorsOn[server][q], server) ? 1 : 0;
        }
        return n == 0 && !s.hasRoom(actor, server) ? 1 : n;
    }

    /** Removes them. */
    int[] remove(int actor, int server) {
        int n = 0;
        for (int q = s.actorCountOn[server] - 1; q >= 0; q--) {
            int other = s.actorsOn[server][q];
            if (sharesFullSet(actor, other, server)) {
                found = n == found.length ? Arrays.copyOf(found, 2 * n) : found;
                found[n++] = other;
                s.drop(other, server);
            }
        }
        while (!s.hasRoom(actor, server) && s.actorCountOn[server] > 0) {
            int coldest = s.actorsOn[server][0];
            for (int q = 1; q < s.actorCountOn[server]; q++) {
                int other = s.actorsOn[server][q];
                if (s.loadOf[other][s.position(other, server)] < s.loadOf[coldest][s.position(coldest, server)]) {
                    coldest = other;
                }
            }
            found = n == found.length ? Arrays.copyOf(found, 2 * n) : found;
            found[n++] = coldest;
            s.drop(coldest, server);
        }
        return Arrays.copyOf(found, n);
    }

    /** Puts the actor on the server and moves conflicting replicas. Returns false, without a change, if that does not help. */
    boolean forcePlacement(int actor, int server, GreedyInsertion greedyInsertion, Runnable settle) {
        int mark = s.savepoint();
        int homeless = s.actorsWithoutHost;
        double imbalance = s.imbalance();
        double contention = s.sets.contention();
        int[] away = remove(actor, server);
        if (s.mayHost(actor, server)) {
            s.add(actor, server);
            settle.run();
            for (int other : away) {
                greedyInsertion.place(other, 0);
            }
            settle.run();
            // An actor without a host has load on no server: that does not count as balance.
            boolean housed = s.actorsWithoutHost <= homeless;
            if (housed && s.imbalance() < imbalance - s.epsilon && s.sets.contention() <= contention * (1 + 1e-9)) {
                return true;
            }
        }
        s.rollback(mark);
        return false;
    }

    private boolean sharesFullSet(int i, int other, int server) {
        int[] a = s.sets.setsOf(i);
        int[] b = s.sets.setsOf(other);
        for (int x = 0, y = 0; x < a.length && y < b.length; ) {
            if (a[x] == b[y]) {
                if (s.sets.count(a[x], server) >= s.sets.limit[a[x]]) {
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
