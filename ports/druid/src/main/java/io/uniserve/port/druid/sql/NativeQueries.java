package io.uniserve.port.druid.sql;

import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;

/**
 * Executor of native queries for one SQL statement.
 *
 * <p>Used by one thread at a time. Errors of the execution are thrown unchanged.
 */
public interface NativeQueries {
    /** Runs a query. The results are final. They are computed while the caller reads them, on the same thread. */
    <T> Sequence<T> run(Query<T> query);
}
