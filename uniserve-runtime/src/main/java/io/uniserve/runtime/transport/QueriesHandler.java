package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import java.util.List;

/** Handler that lists and cancels running queries. Called on a transport thread: must not block. */
@FunctionalInterface
public interface QueriesHandler {
    /** Handler of a server without a list of queries. */
    QueriesHandler NONE = cancel -> {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server does not list running queries");
    };

    /**
     * Running queries, longest running first, or the cancelled one.
     *
     * @param stuck number of threads in operators that run on after their deadline or cancellation
     */
    record Running(List<RunningQuery> queries, int stuck) {
        public Running {
            queries = List.copyOf(queries);
        }
    }

    /** Lists all queries. If the number is not 0, cancels that query and returns only it, or none. */
    Running queries(long cancel);
}
