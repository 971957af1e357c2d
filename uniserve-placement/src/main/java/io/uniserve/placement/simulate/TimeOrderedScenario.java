package io.uniserve.placement.simulate;

import io.uniserve.placement.timeorder.FutureLoadModel;
import java.util.List;

/** Scenario of time-ordered tables that append one chunk per hour and drop expired chunks: the use case of EASY. */
@SuppressWarnings("ImmutableEnumChecker") // immutable lists
public enum TimeOrderedScenario {
    /** One table, queries that favour new data. */
    ONE_TABLE(List.of(new Table(4, 1, 96, 25, new FutureLoadModel(1, -0.1, 0.02, 1, -0.8))), 0, 0),
    /** Five tables that differ in size, rate, retention and preference for new data. */
    MANY_TABLES(
            List.of(
                    new Table(4, 1, 48, 150, new FutureLoadModel(1, -0.2, 0.01, 2, -1.4)),
                    new Table(2, 2, 240, 50, new FutureLoadModel(2, 0, 0.05, 0.2, -0.3)),
                    new Table(1, 1, 24, 50, new FutureLoadModel(1, -0.1, 0.5, 1, -0.1)),
                    new Table(3, 4, 168, 40, new FutureLoadModel(0.5, 0, 0.02, 3, -1)),
                    new Table(4, 6, 336, 200, new FutureLoadModel(1, 0, 0.02, 0.5, -0.6))),
            0,
            0),
    /** The same tables on a cluster that grows by half after some time: new servers are empty. */
    GROWING(MANY_TABLES.tables, 5, 240);

    /**
     * Table of a scenario.
     *
     * @param chunks new chunks per arrival
     * @param every hours between arrivals
     * @param retention hours until a chunk expires
     * @param rows average rows per chunk
     * @param load decrease of its load with age; hidden from policies
     */
    record Table(int chunks, int every, int retention, double rows, FutureLoadModel load) {}

    final List<Table> tables;
    final int joining;
    final int joinHour;

    TimeOrderedScenario(List<Table> tables, int joining, int joinHour) {
        this.tables = tables;
        this.joining = joining;
        this.joinHour = joinHour;
    }
}
