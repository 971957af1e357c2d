package io.uniserve.placement.simulate;

import java.util.PriorityQueue;

/** Queue of a server's cores, first come first served; tasks must be given in the order of arrival. */
final class ServerQueue {
    private final PriorityQueue<Double> free = new PriorityQueue<>();
    private double busy;

    ServerQueue(int cores) {
        for (int c = 0; c < cores; c++) {
            free.add(0.0);
        }
    }

    /** Runs a task on the first free core. Returns its end. */
    double run(double arrival, double work) {
        double core = free.remove();
        double end = Math.max(arrival, core) + work;
        free.add(end);
        busy += work;
        return end;
    }

    /** Returns the work since the last call. */
    double takeBusy() {
        double value = busy;
        busy = 0;
        return value;
    }
}
