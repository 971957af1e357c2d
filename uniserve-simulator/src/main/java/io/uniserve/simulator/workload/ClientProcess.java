package io.uniserve.simulator.workload;

/** Client that draws its own operations. */
public interface ClientProcess {
    /** Number of operations under way. */
    int outstanding();

    /** Starts a random operation. */
    void startOperation();

    /** Starts the operations that must succeed once all faults are over. */
    void probe(long deadlineNanos);

    /** Crashes the client. Its operations under way may still take effect. */
    void crash();
}
