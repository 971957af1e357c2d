package io.uniserve.benchmark.peer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A SQL engine on one node that Uniserve is measured against, in a JVM of its own. Called by one thread at a time. */
public interface BaselineSqlEngine {
    /** The system, its version and how it is set up, e.g. {@code Spark SQL 4.1.3, local[2], cached}. */
    String name() throws Exception;

    /**
     * Makes a table and fills it.
     *
     * @param columns names and types with commas between, as Uniserve's table option has them
     * @param file rows a line, all columns in their order with bars between and none at the end
     */
    void load(String table, String columns, String file) throws Exception;

    /** A query's rows, values as texts: numbers as JSON would have them, days as yyyy-mm-dd. */
    List<List<@Nullable String>> query(String sql) throws Exception;
}
