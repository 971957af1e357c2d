package io.uniserve.cli.bench.failures;

import java.util.List;

/**
 * How much of everything.
 *
 * @param kills primaries that are killed; a third as many coordinators, a fifth as many whole clusters, at least one
 * @param rows of a key-value table
 * @param stopSeconds how long a server stands still
 * @param minutes of queries by which a server is killed in the middle
 * @param documents speeches in a Solr table
 * @param rfs copies in the Solr tables, one table each
 * @param repeat how often all of that
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
