package io.uniserve.simulator.workload;

import io.uniserve.error.ErrorCode;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Counters of operations, results and errors. */
public final class OperationCounters {
    /** Stands for all actors, in place of an actor's number. */
    public static final int ALL_ACTORS = -1;

    private final Map<ErrorCode, Long> errors = new TreeMap<>();
    private long started;
    private long updated;
    private long read;
    private long failed;
    private final TreeSet<Integer> probesFailed = new TreeSet<>();

    void started() {
        started++;
    }

    void ended(boolean update, boolean good) {
        if (!good) {
            failed++;
        } else if (update) {
            updated++;
        } else {
            read++;
        }
    }

    void probeFailed(Collection<Integer> actors) {
        probesFailed.addAll(actors);
    }

    /** The actors with a failed operation after the last fault. */
    public Set<Integer> probesFailed() {
        return Collections.unmodifiableSet(probesFailed);
    }

    void error(ErrorCode code) {
        errors.merge(code, 1L, Long::sum);
    }

    /** Operations started. */
    public long operations() {
        return started;
    }

    /** Updates that every actor acknowledged. */
    public long updates() {
        return updated;
    }

    /** Reads with an answer. */
    public long reads() {
        return read;
    }

    /** Operations that ended with an error for at least one actor. */
    public long failures() {
        return failed;
    }

    /** Number of errors per code. */
    public Map<ErrorCode, Long> errors() {
        return errors;
    }
}
