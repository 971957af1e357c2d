package io.uniserve.cli.chaos;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a chaos run looks.
 *
 * @param directory where data and logs live
 * @param duration how long faults and clients go on
 * @param history where the history goes
 * @param clients clients of each table
 */
record ChaosOptions(
        Path directory, Duration duration, Path history, long seed, int servers, int clients, FullDisk.Means fullDisk) {
    static final int ZOOKEEPERS = 3;
    static final int COORDINATORS = 2;
    static final int REPLICAS = 3;
    static final int ACTORS = 4;
    static final String EVENTUAL = "lists";
    static final String ATOMIC = "atoms";
}
