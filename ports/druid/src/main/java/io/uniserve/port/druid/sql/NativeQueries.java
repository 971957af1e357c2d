package io.uniserve.port.druid.sql;

import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;

/**
 * Execution of native queries for one SQL statement.
 *
 * <p>Used by one thread at a time. Errors: what the execution throws, unchanged.
 */
public interface NativeQueries {
    /** Runs a query. The results are final, and computed while the caller reads them on the same thread. */
    <T> Sequence<T> run(Query<T> query);
}
