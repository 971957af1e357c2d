package io.uniserve.benchmark.demo;

import java.nio.file.Path;

/**
 * Parameters of the demonstration.
 *
 * @param queriesMin minimum number of queries, before and after the kill together
 * @param victim number of the server to kill, from 1
 */
record DemoOptions(
        int servers,
        int actors,
        int rf,
        int documents,
        int threads,
        int queriesMin,
        int victim,
        long deadlineMs,
        long seed,
        Path directory) {}
