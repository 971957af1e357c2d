package io.uniserve.balance.simulate;

import java.util.PriorityQueue;

/** A server's cores, first come first served; tasks are given in the order of their arrival. */
final class ServerQueue {
    private final PriorityQueue<Double> free = new PriorityQueue<>();
    private double busy;

    ServerQueue(int cores) {
        for (int c = 0; c < cores; c++) {
            free.add(0.0);
        }
    }

    /** Runs a task on the core that is free first; returns when it ends. */
    double run(double arrival, double work) {
        double core = free.remove();
        double end = Math.max(arrival, core) + work;
        free.add(end);
        busy += work;
        return end;
    }

    /** Work since the last call. */
    double takeBusy() {
        double value = busy;
        busy = 0;
        return value;
    }
}
