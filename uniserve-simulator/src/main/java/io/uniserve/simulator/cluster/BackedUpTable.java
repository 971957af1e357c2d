package io.uniserve.simulator.cluster;

import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import java.util.Map;
import java.util.TreeSet;

/** Table that is partitioned by time, as the operator of backups needs it: its rows, as clients sent them. */
interface BackedUpTable {
    /** The name of the table. */
    TableName name();

    /** The table's division into chunks and buckets. */
    Partitioner.Time time();

    /** Actor per row that was sent. */
    Map<String, Integer> sent();

    /** Rows that were acknowledged until now, per actor. */
    Map<Integer, TreeSet<String>> acknowledged();

    /** Checks the rows of all live actors of a restored table together. */
    void checkRestored(Map<Integer, TreeSet<String>> rows);
}
