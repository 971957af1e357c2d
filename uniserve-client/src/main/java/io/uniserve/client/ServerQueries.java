package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;

/**
 * Running queries of one server.
 *
 * @param queries reads and plans, longest running first
 * @param stuck number of threads in operators that run on after their deadline or cancellation
 * @param error error of a server that did not answer; then the other fields are empty
 */
public record ServerQueries(ServerId server, List<RunningQuery> queries, int stuck, Optional<UniserveException> error) {
    public ServerQueries {
        queries = List.copyOf(queries);
    }
}
