package io.uniserve.placement.policy.search;

import java.util.Arrays;

/** Saved placement of a search. */
final class SearchStateSnapshot {
    private final int[][] host;
    private final double[][] flow;
    private final int[] hosts;

    SearchStateSnapshot(SearchState s) {
        hosts = s.hosts.clone();
        host = new int[s.actors][];
        flow = new double[s.actors][];
        for (int i = 0; i < s.actors; i++) {
            host[i] = Arrays.copyOf(s.host[i], hosts[i]);
            flow[i] = Arrays.copyOf(s.loadOf[i], hosts[i]);
        }
    }

    /** Restores the state to this placement. */
    void restore(SearchState s) {
        for (int i = 0; i < s.actors; i++) {
            for (int p = s.hosts[i] - 1; p >= 0; p--) {
                if (!has(i, s.host[i][p])) {
                    s.drop(i, s.host[i][p]);
                }
            }
        }
        for (int i = 0; i < s.actors; i++) {
            for (int p = 0; p < hosts[i]; p++) {
                if (!s.isOn(i, host[i][p])) {
                    s.add(i, host[i][p]);
                }
                s.setFlow(i, host[i][p], flow[i][p]);
            }
        }
        s.commit();
    }

    private boolean has(int i, int server) {
        for (int p = 0; p < hosts[i]; p++) {
            if (host[i][p] == server) {
                return true;
            }
        }
        return false;
    }
}
