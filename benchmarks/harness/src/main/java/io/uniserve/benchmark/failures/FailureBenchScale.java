package io.uniserve.benchmark.failures;

import java.util.List;

/**
 * Scale of a run.
 *
 * @param kills number of killed primaries; a third as many coordinators, a fifth as many whole clusters, at least one
 * @param rows rows of a key-value table
 * @param stopSeconds time for which a server is stopped
 * @param minutes duration of queries, with the kill of a server in the middle
 * @param documents speeches in a Solr table
 * @param rfs replication factors of the Solr tables, one table each
 * @param repeat number of repetitions of everything
 */
record FailureBenchScale(
        int kills, int rows, int stopSeconds, double minutes, int documents, List<Integer> rfs, int repeat) {
    private static final int KILLS_PER_COORDINATOR = 3;
    private static final int KILLS_PER_CLUSTER = 5;

    FailureBenchScale {
        rfs = List.copyOf(rfs);
    }

    int primaries() {
        return kills * repeat;
    }

    int coordinators() {
        return Math.max(1, kills / KILLS_PER_COORDINATOR) * repeat;
    }

    int clusters() {
        return Math.max(1, kills / KILLS_PER_CLUSTER) * repeat;
    }
}
