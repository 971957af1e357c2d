package io.uniserve.testkit.simulation.workload;

import io.uniserve.error.ErrorCode;
import java.util.Map;
import java.util.TreeMap;

/** Counts operations. */
public final class Tally {
    private final Map<ErrorCode, Long> errors = new TreeMap<>();
    private long started;
    private long updated;
    private long read;
    private long failed;
    private long probesFailed;

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

    void probeFailed() {
        probesFailed++;
    }

    long probeFailures() {
        return probesFailed;
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

    /** Operations that ended with an error, at least for one actor. */
    public long failures() {
        return failed;
    }

    /** Errors by code. */
    public Map<ErrorCode, Long> errors() {
        return errors;
    }
}
