package io.uniserve.cli.demo;

import java.nio.file.Path;

/**
 * How the demonstration runs.
 *
 * @param queriesMin queries to send at least, before and after the kill in sum
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
