package io.uniserve.cli.load;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Progress and failures of a load. Not thread-safe. */
final class BulkLoadReport {
    private static final int TOLD_MAX = 100;

    private final List<Failure> failures = new ArrayList<>();
    private final List<Rejected> rejected = new ArrayList<>();
    private long rows;
    private long deletions;
    private long rejectedRows;
    private long retries;

    /** Row that is invalid for the table, and was not applied. */
    record Rejected(String file, long line, UniserveException error) {}

    /**
     * Rows of one actor that were not acknowledged.
     *
     * @param firstLine line of the first of them
     * @param lastLine line of the last of them; rows of other actors may be between
     */
    record Failure(String file, int actor, int rows, long firstLine, long lastLine, UniserveException error) {}

    void addLoaded(int count) {
        rows += count;
    }

    /** Counts acknowledged deletions, by row or by query. */
    void addDeleted(int count) {
        deletions += count;
    }

    void addRetried(int count) {
        retries += count;
    }

    void addRejected(Rejected row) {
        rejectedRows++;
        if (rejected.size() < TOLD_MAX) {
            rejected.add(row);
        }
    }

    void addFailure(Failure failure) {
        failures.add(failure);
    }

    long rows() {
        return rows;
    }

    long deletions() {
        return deletions;
    }

    long rejectedRows() {
        return rejectedRows;
    }

    long failedRows() {
        return failures.stream().mapToLong(Failure::rows).sum();
    }

    long retries() {
        return retries;
    }

    List<Rejected> rejected() {
        return List.copyOf(rejected);
    }

    List<Failure> failures() {
        return List.copyOf(failures);
    }

    /** Returns the failure that determines the exit code: rows that may be lost come before invalid rows. */
    Optional<UniserveException> worstFailure() {
        return failures.stream()
                .map(Failure::error)
                .findFirst()
                .or(() -> rejected.stream().map(Rejected::error).findFirst());
    }
}
