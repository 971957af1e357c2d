package io.uniserve.benchmark.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** SQL engine on one node that Uniserve is compared with, in a JVM of its own. Not thread-safe. */
public interface BaselineSqlEngine {
    /** Returns the system, its version and its configuration, e.g. {@code Spark SQL 4.1.3, local[2], cached}. */
    String name() throws Exception;

    /**
     * Creates a table and loads its rows.
     *
     * @param columns names and types, separated by commas, in the format of Uniserve's table option
     * @param file one row per line: all columns in order, separated by bars, without a bar at the end
     */
    void load(String table, String columns, String file) throws Exception;

    /** Returns the rows of a query, with values as text: numbers as in JSON, dates as yyyy-mm-dd. */
    List<List<@Nullable String>> query(String sql) throws Exception;
}
