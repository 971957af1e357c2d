package io.uniserve.benchmark.chaos;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Parameters of a chaos run.
 *
 * @param directory directory of data and logs
 * @param duration duration of faults and clients
 * @param history file of the history
 * @param clients clients per table
 */
record ChaosOptions(
        Path directory,
        Duration duration,
        Path history,
        long seed,
        int servers,
        int clients,
        DiskFiller.Means fullDisk) {
    static final int ZOOKEEPERS = 3;
    static final int COORDINATORS = 2;
    static final int REPLICAS = 3;
    static final int ACTORS = 4;
    static final String EVENTUAL = "lists";
    static final String ATOMIC = "atoms";
}
