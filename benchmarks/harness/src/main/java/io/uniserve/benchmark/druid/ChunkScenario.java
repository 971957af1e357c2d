package io.uniserve.benchmark.druid;

import java.util.List;

/** Scenario of tables that grow with time, after those of EASY's evaluation, for few servers and short runs. */
@SuppressWarnings("ImmutableEnumChecker") // immutable lists
enum ChunkScenario {
    /** One table, queries that favour new data. */
    ONE(List.of(new Table("events", 2, 1, 8, 3_000, 1, 0.02, 1, -0.8)), 0),
    /** Five tables that differ in size, rate, retention and preference for new data. */
    MANY(
            List.of(
                    new Table("clicks", 2, 1, 4, 3_000, 0.35, 0.01, 2, -1.4),
                    new Table("visits", 1, 2, 8, 1_500, 0.15, 0.05, 0.2, -0.3),
                    new Table("errors", 1, 1, 3, 1_500, 0.15, 0.5, 1, -0.1),
                    new Table("orders", 1, 2, 6, 1_500, 0.2, 0.02, 3, -1),
                    new Table("prices", 2, 4, 4, 3_000, 0.15, 0.02, 0.5, -0.6)),
            0),
    /** The same tables on a cluster that gets two servers more. */
    GROWING(MANY.tables, 2);

    final List<Table> tables;
    final int joining;

    ChunkScenario(List<Table> tables, int joining) {
        this.tables = tables;
        this.joining = joining;
    }

    /**
     * Table of a scenario. At age x, in lengths of its chunk, a chunk gets queries in proportion to {@code b + c x^beta}.
     *
     * @param buckets actors per chunk
     * @param every length of a chunk, in units of the benchmark
     * @param live chunks until one expires
     * @param rows rows per actor
     * @param share part of all queries
     */
    record Table(
            String name, int buckets, int every, int live, int rows, double share, double b, double c, double beta) {
        /** Age below which a chunk counts as this old: a power has no limit at 0. */
        private static final double AGE_MIN = 0.25;

        /** Length of a chunk on the daemons' clock. */
        long chunkMillis() {
            return every * ChunkCluster.UNIT_MILLIS;
        }

        /** Time from the end of a chunk until it expires, on the daemons' clock. */
        long retentionMillis() {
            return live * chunkMillis();
        }

        /** Weight of a chunk of this age. */
        double weight(double age) {
            return b + c * Math.pow(Math.max(age, AGE_MIN), beta);
        }

        /**
         * Draws a chunk, as the number of chunks before the present one.
         *
         * @param uniform 0 to 1
         * @param sincePresent age of the present chunk, 0 to 1
         */
        int draw(double uniform, double sincePresent) {
            double sum = 0;
            for (int back = 0; back < live; back++) {
                sum += weight(back + sincePresent);
            }
            double left = uniform * sum;
            for (int back = 0; back < live - 1; back++) {
                left -= weight(back + sincePresent);
                if (left < 0) {
                    return back;
                }
            }
            return live - 1;
        }
    }
}
