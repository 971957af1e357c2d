package io.uniserve.placement.model;

import io.uniserve.error.UniserveException;
import java.util.Arrays;

/**
 * Assignment of actors to servers, with the share of queries per replica. Immutable.
 *
 * <p>Servers of an actor are in ascending order. Shares correspond to them by position and add up to 1, except for an actor without hosts.
 */
public final class Assignment {
    private final int[][] hosts;
    private final double[][] shares;

    private Assignment(int[][] hosts, double[][] shares) {
        this.hosts = hosts;
        this.shares = shares;
    }

    /**
     * Creates an assignment from both arrays, which must have the same shape and must not change afterwards. Sorts the hosts of each actor;
     * shares are not checked.
     */
    public static Assignment of(int[][] hosts, double[][] shares) {
        if (shares.length != hosts.length) {
            throw UniserveException.invalid(
                    "hosts are given for " + hosts.length + " actors, shares for " + shares.length);
        }
        for (int i = 0; i < hosts.length; i++) {
            if (shares[i].length != hosts[i].length) {
                throw UniserveException.invalid("actor " + i + " has " + hosts[i].length + " hosts and "
                        + shares[i].length + " shares: use one share per host");
            }
            sort(hosts[i], shares[i]);
        }
        return new Assignment(hosts, shares);
    }

    /** Creates an assignment with one host per actor; a negative server means no host. */
    public static Assignment single(int[] server) {
        int[][] hosts = new int[server.length][];
        double[][] shares = new double[server.length][];
        for (int i = 0; i < server.length; i++) {
            hosts[i] = server[i] < 0 ? new int[0] : new int[] {server[i]};
            shares[i] = server[i] < 0 ? new double[0] : new double[] {1.0};
        }
        return new Assignment(hosts, shares);
    }

    /** Creates an assignment without hosts. */
    public static Assignment empty(int actors) {
        int[] nowhere = new int[actors];
        Arrays.fill(nowhere, -1);
        return single(nowhere);
    }

    public int actors() {
        return hosts.length;
    }

    /** Number of replicas of the actor. */
    public int replicas(int actor) {
        return hosts[actor].length;
    }

    /** Returns the server of the actor's replica at this position. */
    public int server(int actor, int position) {
        return hosts[actor][position];
    }

    /** Returns the share of the actor's replica at this position. */
    public double share(int actor, int position) {
        return shares[actor][position];
    }

    /** True if the server hosts the actor. */
    public boolean isOn(int actor, int server) {
        for (int host : hosts[actor]) {
            if (host == server) {
                return true;
            }
        }
        return false;
    }

    /** Returns a copy of the actor's servers. */
    public int[] hosts(int actor) {
        return hosts[actor].clone();
    }

    /** Total number of replicas. */
    public int replicas() {
        int n = 0;
        for (int[] h : hosts) {
            n += h.length;
        }
        return n;
    }

    /** Number of replicas here that the other assignment does not have. */
    public int addedTo(Assignment before) {
        int n = 0;
        for (int i = 0; i < hosts.length; i++) {
            for (int host : hosts[i]) {
                n += before.isOn(i, host) ? 0 : 1;
            }
        }
        return n;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Assignment that
                && Arrays.deepEquals(hosts, that.hosts)
                && Arrays.deepEquals(shares, that.shares);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(hosts);
    }

    private static void sort(int[] servers, double[] shares) {
        for (int a = 1; a < servers.length; a++) {
            for (int b = a; b > 0 && servers[b - 1] > servers[b]; b--) {
                int server = servers[b];
                servers[b] = servers[b - 1];
                servers[b - 1] = server;
                double share = shares[b];
                shares[b] = shares[b - 1];
                shares[b - 1] = share;
            }
        }
    }
}
