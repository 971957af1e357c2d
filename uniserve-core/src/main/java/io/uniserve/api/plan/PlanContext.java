package io.uniserve.api.plan;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.Set;

/** What a planner may do. One query's; not thread-safe. */
public interface PlanContext {
    /** The table's definition; TABLE_NOT_FOUND where there is none. */
    TableMeta table(TableName name);

    /** Runs a retrieve on all actors of the table, one request a server, and combines; blocks. */
    <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** Runs a retrieve on some actors. */
    <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner);

    /** Nanoseconds until the query's deadline. */
    long remainingNanos();
}
