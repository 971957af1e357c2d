package io.uniserve.testkit.simulation.workload;

/** A client that works by itself. */
public interface ClientProcess {
    /** Operations without an end. */
    int outstanding();

    /** Starts a random operation. */
    void act();

    /** Does what must succeed once all faults are over. */
    void probe(long deadlineNanos);

    /** Dies with whatever it has under way, which may still be done. */
    void crash();
}
