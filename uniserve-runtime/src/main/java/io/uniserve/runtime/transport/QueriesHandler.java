package io.uniserve.runtime.transport;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import java.util.List;

/** Tells what runs on a server, and ends it. Called on a transport thread: must not block. */
@FunctionalInterface
public interface QueriesHandler {
    /** A server that does not tell. */
    QueriesHandler NONE = cancel -> {
        throw new UniserveException(ErrorCode.UNSUPPORTED, "this server does not tell what runs");
    };

    /**
     * What runs now, longest first, or the one that is cancelled.
     *
     * @param stuck threads that do not come back from operators that were to end
     */
    record Running(List<RunningQuery> queries, int stuck) {
        public Running {
            queries = List.copyOf(queries);
        }
    }

    /** Lists all; or, where the number is not 0, cancels the query of that number and lists it alone, or none. */
    Running queries(long cancel);
}
