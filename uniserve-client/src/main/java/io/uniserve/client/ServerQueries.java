package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;

/**
 * What runs on one server.
 *
 * @param queries reads and plans, longest first
 * @param stuck threads that do not come back from operators that were to end
 * @param error why the server did not tell; then nothing else is known
 */
public record ServerQueries(ServerId server, List<RunningQuery> queries, int stuck, Optional<UniserveException> error) {
    public ServerQueries {
        queries = List.copyOf(queries);
    }
}
